"""By what name a person calls a thing that is there, in a sentence about it: the words in front, without those that are
said on the way, up to what says which kind of thing it is or what shall become of it. Pure.

"아 미안 치과 4시로 옮겨줘" -> "치과"; "cancel the plants reminder, it may rain" -> "plants"; "push it to 3" -> ""."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from contracts.cognitive import Entity
from contracts.patterns import bounded
from contracts.shape import JsonValue
from packs.assistant import actions, asking
from packs.assistant.actions import FALLBACK, words
from packs.assistant.saying import ENDS, is_filler, without_fillers

_MARK = "\x1f"
"""Stands for what was found in the text: no name goes over it."""
_ORDINAL_KO, _OTHER_KO = re.compile(r"(첫|두|세|네)\s번째"), re.compile(r"다른\s(거|건|것|걸)")
_TOPIC = ("은", "는", "을", "를", "도", "이나", "부터", "까지", "요")
_QUOTED = re.compile(r"[‘“「『\"]([^‘’“”「」『』\"]{1,80})[’”」』\"]|(?<!\w)'([^']{1,80})'(?![A-Za-z0-9])")
_STOPS_EN = re.compile(
    r"\s(?:to|till|until|from|by|back|forward|forwards|instead|please|again|off|out|into|as|so|because|cause|since|"
    r"later|earlier|up|down|now|anymore|any more|i|it's|he's|she's|we|they|is|was|are|has|at|on|for the)\b.*\Z",
    re.IGNORECASE | re.DOTALL,
)
_SMALL = frozenset({"do", "we", "to", "half", "it", "at", "past", "quarter", "am", "pm", "make", "around", "about"})
_LEADS_EN = re.compile(
    r"\A(?:['\u2019]s\s)?(?:(?:the|my|our|that|this|a|an|of|about|for|all|next|up|off|me|what|where|when)\s)*",
    re.IGNORECASE,
)
_SORT_OF_EN = re.compile(
    r"\A\s(?:(?:the|my|that|a)\s)?(?:reminder|alarm|appointment|event|task|to-?do|note|alert)\s"
    r"(?:to|about|for|of|that|called|named|saying|with)\s", re.IGNORECASE
)  # fmt: skip
_MISSED_EN = re.compile(
    r"\A\s*(?:(?:i|we)\s)?(?:can['\u2019]?t|cannot|can\snot|won['\u2019]t)\s(?:be\sable\sto\s)?"
    r"(?:make\sit\sto|come\sto|go\sto|get\sto|make|attend)\s", re.IGNORECASE
)  # fmt: skip
"""Who cannot come to a thing names it."""
_SPOKEN_OF = {
    "ko": re.compile(
        r"(?:아까|방금|좀\s?전에?|조금\s?전에?|금방)(?:\s(?:그|전|말한|잡은|넣은|등록한|추가한))*(?:\s|\Z)|(?:그|저)\s"
    ),
    "en": re.compile(r"(?:that|this|the)\s(?=\S)", re.IGNORECASE),
    "ja": re.compile(
        r"(?:さっき|先ほど|たった今|さきほど)(?:の|入れた|言った|登録した|追加した|話した)*|(?:あの|その)(?=\S)"
    ),
}
_WITH = {
    "ko": re.compile(
        r"(?<!\S)(?P<who>[가-힣A-Za-z]{2,10}?)(?:이랑|랑|하고|와|과)\s(?:하는|하기로|만나|보는|보기로|먹는|먹기로|가는|가기로|잡은|잡힌|같이|함께)"
    ),
    "en": re.compile(r"\bwith\s(?:(?:the|my|our)\s)?(?P<who>[\w.'’-]{2,30}(?:\s[A-Z][\w'’-]{1,30})?)"),
    "ja": re.compile(r"(?P<who>[一-龯々ァ-ヶーA-Za-z]{1,10}(?:さん|くん|ちゃん|様|先生|部長|課長|社長|係長))と"),
}
"""With whom something is done."""
_PARTICLES_JA = re.compile(r"\A(?:から|まで|には|では|に|で|は|が|を|も|へ|の|と|より|って)+")
_DO_JA = re.compile(r"(?:して|しよ|する|した|します)[ぁ-ん下]{0,6}")
"""Nothing but that it be so ("16時からにして")."""
_ENDS_JA = bounded(r"(?:って|とか|は|が|を|も|に|で|の|と)+\Z")
_REASON_JA = re.compile(r"(?:から|ので|んで|ため|けど)\Z")


def called(text: str, cut: Sequence[Entity], language: str) -> str:
    """Empty: it is not named, or only pointed at."""
    for one in sorted(cut, key=lambda entity: -entity.start):
        text = f"{text[: one.start]}{_MARK}{text[one.end :]}"
    parts = [part for part in re.split(rf"{ENDS.pattern}|{_MARK}", text) if part and part.strip()]
    found: Iterator[str]
    match language:
        case "ko":
            found = map(_korean, parts)
        case "ja":
            found = map(_japanese, _from_the_verb(parts))
        case _:
            found = _english(parts)
    return next((name for name in found if name), "")


def called_with(text: str, cut: Sequence[Entity], language: str) -> str:
    """What it is called, and with whom it is, where that is said somewhere else in the sentence ("cancel the lunch, the
    one with Tom"): of two lunches that says which."""
    name = called(text, cut, language)
    found = _WITH.get(language, _WITH[FALLBACK]).search(text)
    if found is None or is_pointer(found["who"], language) or found["who"].casefold() in name.casefold():
        return name
    if not name and points(text, language):
        return ""
    return f"{name} {found['who']}".strip()


def points(text: str, language: str) -> bool:
    """Whether it has a word that points at a thing."""
    return any(True for _ in _pointing(language).finditer(text))


def all_quoted(text: str) -> list[str]:
    """What stands in quotation marks, in order."""
    return [(found[1] or found[2]).strip() for found in _QUOTED.finditer(text)]


def quoted(text: str) -> str:
    """What stands in quotation marks, if something does."""
    found = _QUOTED.search(text)
    return (found[1] or found[2]).strip() if found else ""


def asked(text: str, language: str) -> str:
    """A question without what is said before it and behind it ("… again, brain like a sieve")."""
    parts = [part for part in ENDS.split(text) if part and part.strip()]
    if len(parts) < 2:
        return without_fillers(text, language)
    telling = [part for part in parts if without_fillers(part, language)]
    asking_ = [part for part in telling if asking.asks(part, language)]
    named = [part for part in telling if part not in asking_]
    if asking_ and named and asking.says_only_which(asking_[0], language):
        return without_fillers(named[-1], language)
    return without_fillers((asking_ or telling or parts)[0], language)


def spoken_of(name: str, language: str, last: Mapping[str, JsonValue]) -> str:
    """A name without what says before it that it was spoken of ("さっきの会議", "아까 그 회의", "that dentist"); where
    nothing is left that names one, that of what was spoken of `last`."""
    found = _SPOKEN_OF.get(language, _SPOKEN_OF[FALLBACK]).match(name)
    bare = name[found.end() :].strip() if found else name
    if bare == name or actions.names_one(bare, language):
        return bare
    return str(last.get("new_title") or last.get("title") or last.get("text") or name)


def begins_pointing(text: str, language: str) -> bool:
    """Whether its first word only points ("it's …")."""
    first = (re.split(r"['’\s、はが]", without_fillers(text, language), maxsplit=1) or [""])[0]
    return is_pointer(first, language)


def is_pointer(word: str, language: str) -> bool:
    """Whether a word does nothing but point."""
    return word.casefold() in words("pronouns", language)


def is_pointing(name: str, language: str) -> bool:
    """Whether it is nothing but a word that points, or for any thing of its kind."""
    return name.casefold() in words("pronouns", language) or name.casefold() in words("sorts", language)


def beside_quoted(text: str, language: str) -> str:
    """What a thing is called that shall be called by what stands in quotation marks: behind "instead of", or before."""
    found = _QUOTED.search(text)
    assert found is not None
    behind = re.search(r"\b(?:instead of|rather than|not)\s+(?P<old>.{1,80})", text[found.end() :], re.IGNORECASE)
    before = text[: found.start()]
    return behind["old"] if behind else called(before, (), language)


def _korean(part: str) -> str:
    name: list[str] = []
    spoken = _ORDINAL_KO.sub(r"\1번째", _OTHER_KO.sub(r"다른\1", part)).split()
    for at, word in enumerate(spoken):
        bare = word.strip("'\"‘’“”,.!?~… ")
        if not name and (
            bare in ("그", "이", "저", *_TOPIC, *words("put_in", "ko"))
            or is_filler(bare, "ko")
            or is_filler(bare.rstrip("은는을를도요"), "ko")
        ):
            continue
        if name and bare in words("links", "ko"):
            continue
        if not bare or _ends_name_ko(bare) or is_filler(bare, "ko"):
            break
        shorter = next((bare[: -len(end)] for end in _TOPIC if bare.endswith(end) and len(bare) > len(end)), "")
        sort = _sort_ko(bare) if _sort_ko(bare) is not None else _sort_ko(shorter) if shorter else None
        if sort is not None:
            name += [sort] if sort else []
            break
        if shorter and not any(_sort_ko(one) == "" for one in spoken[at + 1 : at + 2]):
            name.append(shorter)
            break
        name.append(bare)
    return " ".join(name).strip()


def _ends_name_ko(word: str) -> bool:
    """A word that points, or says what is to be done, ends the name."""
    if word.startswith(tuple(one.replace(" ", "") for one in words("pronouns", "ko"))):
        return True
    verbs = words("verbs", "ko")
    ways = words("ways", "ko")
    doing = (*verbs["change"], *verbs["delete"], *verbs["add"], *words("stops", "ko"), *verbs["look"])
    doing = (*doing, *ways["later"], *ways["earlier"])
    return word in words("not_names", "ko") or word.startswith((*doing, *words("no_name", "ko")))


def _sort_ko(word: str) -> str | None:
    """What is left of a word that says the kind of thing ("치과일정"): empty if it is nothing but that."""
    for sort in words("sorts", "ko"):
        if word == sort or (word.startswith(sort) and len(word) - len(sort) <= 1):
            return ""
        if word.endswith(sort) and len(sort) > 1:
            return word[: -len(sort)]
    return None


def _from_the_verb(parts: Sequence[str]) -> Iterator[str]:
    """The part with the verb first, then those before it, the nearest first."""
    verbs = words("verbs", "ja")
    doing = [*verbs["change"], *verbs["delete"], *words("stops", "ja"), *words("dealt_with", "ja")]
    places = [at for at, part in enumerate(parts) if any(verb in part for verb in doing)]
    last = places[-1] if places else len(parts) - 1
    yield from reversed(parts[: last + 1])
    yield from parts[last + 1 :]


def _japanese(part: str) -> str:
    said = without_fillers(part, "ja")
    said = next((said.removeprefix(word) for word in ("もう", "やっぱり", "やっぱ") if said.startswith(word)), said)
    said = _PARTICLES_JA.sub("", said)
    if is_filler(said, "ja"):
        return ""
    found = _japanese_end().search(said)
    name = said[: found.start()] if found else said
    if found is None and _REASON_JA.search(name):
        return ""
    name = _ENDS_JA.sub("", name.strip("「」『』 　、。w"))
    nothing = (
        _REASON_JA.search(name) or _DO_JA.fullmatch(name) or name in words("pronouns", "ja") or is_filler(name, "ja")
    )
    return "" if nothing else name


@cache
def _japanese_end() -> re.Pattern[str]:
    verbs = words("verbs", "ja")
    doing = [*verbs["change"], *verbs["delete"]]
    for of in ("stops", "sorts", "dealt_with", "ends_of_names", "pronouns"):
        doing += words(of, "ja")
    return re.compile("|".join(re.escape(word) for word in sorted(doing, key=len, reverse=True)))


def _english(parts: Sequence[str]) -> Iterator[str]:
    before: list[str] = []
    verbs = words("verbs", "en")
    doing = [*verbs["change"], *verbs["delete"], *words("stops", "en"), *words("dealt_with", "en")]
    verb = actions.pattern_of(doing, "en")
    for at, part in enumerate(parts):
        said = without_fillers(part, "en")
        found = verb.search(said)
        if found is None:
            before.append(said)
            continue
        behind = said[found.end() :].strip()
        yield _english_name(f" {behind}")
        if not behind or points(behind, "en"):
            # "bin bags sorted, tick that off"
            yield from (_english_name(f" {one}") for one in before)
        yield _english_name(f" {said[: found.start()]}")
        if not points(behind, "en"):
            # what was found in the sentence may stand in front of the name: "shift the 11 am tasting"
            yield from (_english_name(f" {one}") for one in parts[at + 1 :])
        return
    yield from (_english_name(f" {one}") for one in before[:1])


def _english_name(said: str) -> str:
    said = _SORT_OF_EN.sub("", said)
    said = _MISSED_EN.sub(" ", said)
    said = _STOPS_EN.sub("", f"{said} ").strip()
    said = _LEADS_EN.sub("", f"{said} ").strip()
    found = re.search(rf"\s?\b(?:{'|'.join(map(re.escape, words('sorts', 'en')))})\b.*\Z", said, re.IGNORECASE)
    said = (said[: found.start()] if found else said).strip(" .,!?'\"")
    said = re.sub(rf"\s(?:{'|'.join(words('happened', 'en'))})\Z", "", said)
    pointing = said.casefold() in (*words("pronouns", "en"), *words("half_pointers", "en"))
    nothing = pointing or is_filler(said, "en") or not _tells(said)
    return "" if nothing else said


def _tells(said: str) -> bool:
    """Figures and the smallest words name nothing."""
    return any(len(word) > 1 and not word.isdigit() and word.casefold() not in _SMALL for word in said.split())


@cache
def _pointing(language: str) -> re.Pattern[str]:
    some = sorted(words("pronouns", language), key=len, reverse=True)
    either = "|".join(re.escape(word).replace(r"\ ", r"\s{0,3}" if language == "ko" else " ") for word in some)
    return re.compile(rf"\b(?:{either})\b" if language == "en" else rf"(?:{either})", re.IGNORECASE)
