"""What is remembered of a thing: of what it speaks, what it says of that, and that it has become another. Pure."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from packs.assistant import actions, saying

_OWN = re.compile(r"\A(?:(?:my|our|the|내|제|우리|나의|저의)\s|私の|僕の|うちの)", re.IGNORECASE)
_SAYS = re.compile(
    r"\s?:\s|(?<=[가-힣A-Za-z0-9])(?:은|는|이|가)\s|\s(?:is|are|was|were)\s|[はが](?=[^\s])", re.IGNORECASE
)
_LONGEST = 80
"""Characters of a subject."""
_WITH = {
    "ko": re.compile(r"([가-힣A-Za-z]{2,12}?)(?:이랑|랑|와|과|하고)(?=\s)"),
    "en": re.compile(r"\bwith ((?-i:[A-Z])[\w'-]{1,30})", re.IGNORECASE),
    "ja": re.compile(r"([^\s、。の]{1,12}?)と(?=[^\s])"),
}


def parts(text: str) -> list[tuple[str, str]]:
    """Of what it may speak, and what it then says of that: one for each word that may stand between the two."""
    return [
        (text[: found.start()].strip(), text[found.end() :].strip())
        for found in _SAYS.finditer(text[:_LONGEST])
        if text[: found.start()].strip() and text[found.end() :].strip()
    ]


def same_subject(one: str, other: str) -> bool:
    """Whether two subjects are said by the same words."""
    return bool(plain(_OWN.sub("", one))) and plain(_OWN.sub("", one)) == plain(_OWN.sub("", other))


def is_about(text: str, subject: str) -> bool:
    """Whether that is what it speaks of."""
    return any(same_subject(of, subject) for of, _ in parts(text))


def replaces(new: str, old: str) -> bool:
    """Whether it gives the same thing another figure of the same kind: nothing can have both."""
    return any(
        same_subject(of, same) and _is_another_figure(says, said)
        for of, says in parts(new)
        for same, said in parts(old)
    )


def _is_another_figure(one: str, other: str) -> bool:
    figures = all(any(char.isdigit() for char in says) for says in (one, other))
    return figures and _kind(one) == _kind(other) and plain(one) != plain(other)


def _kind(says: str) -> str:
    return "".join(char for char in plain(says) if char.isalpha())


def plain(text: str) -> str:
    """Letters and figures alone."""
    return "".join(char for char in text.casefold() if char.isalnum())


def changed(text: str, language: str) -> tuple[str, str] | None:
    """What has become another, and what it is now."""
    for pattern in _changes(language):
        if found := pattern.search(text.strip()):
            return _OWN.sub("", found["of"]).strip(), found["now"].strip()
    return None


@cache
def _changes(language: str) -> tuple[re.Pattern[str], ...]:
    words = "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in actions.words("changed", language))
    if language == "ko":
        of = r"\A(?P<of>.{1,60})(?:은|는|이|가|을|를)\s"
        now = r"(?:이제(?:는|부터)?\s)?(?P<now>\S.{0,80}?)"
        return (
            re.compile(rf"{of}(?:{words})[가-힣]{{0,5}}[.,!]?\s{now}\Z"),
            re.compile(rf"{of}{now}(?:으로|로)\s(?:{words})"),
            re.compile(rf"\A(?P<of>.{{1,60}})\s(?P<now>\S{{1,40}}?)(?:으로|로)\s(?:{words})"),
        )
    if language == "ja":
        return (
            re.compile(rf"\A(?P<of>[^、。]{{1,60}}?)(?:は|が|を)(?:今は|もう)?(?P<now>[^、。]{{1,80}}?)(?:{words})"),
        )
    return (
        re.compile(rf"\A(?P<of>.{{1,60}}?)\s(?:{words})\s(?P<now>[^,.]{{1,80}})", re.IGNORECASE),
        re.compile(r"\A(?:please\s)?(?:change|update)\s(?P<of>.{1,60}?)\sto\s(?P<now>[^,.]{1,80})", re.IGNORECASE),
    )


def with_name(text: str, before: str, language: str) -> str:
    """The text with a name in the place of "she", if the clause before it has one."""
    someone = "|".join(map(re.escape, actions.words("persons", language)))
    found = _WITH.get(language, _WITH["en"]).search(before)
    if found is None:
        return text
    begins = r"\b" if language == "en" else ""
    return re.sub(rf"\A(?:that\s)?(?:{someone}){begins}", found[1], text, flags=re.IGNORECASE)


def corrected(text: str, notes: Sequence[str], language: str) -> tuple[str, str] | None:
    """Of which of the notes a sentence says that it has become another, by its subject, and what that is now; None where
    it speaks of none of them, or of two alike."""
    scored = sorted(((_share(text, _subject(note), language), note) for note in notes), reverse=True)
    if not scored or scored[0][0] < _ENOUGH:
        return None
    best = [note for score, note in scored if score == scored[0][0]]
    if len({plain(_bare(_subject(note))) for note in best}) > 1:
        return None
    subject = _subject(best[0])
    value = _new_value(text, subject, language)
    return (_OWN.sub("", subject).strip(), value) if value else None


def is_same_fact(note: str, subject: str, language: str) -> bool:
    """Whether a note is of the same subject, as far as its words tell."""
    return plain(_bare(_subject(note))) == plain(_bare(subject))


_ENOUGH = 0.5
_FIGURE = re.compile(r"[0-9A-Za-z][0-9A-Za-z\-_./#@]*")
_SMALL = frozenset(
    [
        "the",
        "a",
        "an",
        "it",
        "it's",
        "its",
        "is",
        "my",
        "our",
        "your",
        "to",
        "was",
        "from",
        "of",
        "and",
        "that",
        "i",
        "we",
        "for",
        "has",
        "have",
        "been",
        "ive",
        "i've",
    ]
)
_SAID_ENDS = (
    "이라고요",
    "이라고",
    "라고",
    "이래요",
    "래요",
    "이래",
    "이에요",
    "예요",
    "입니다",
    "이야",
    "야",
    "임",
    "으로",
    "로",
    "이다",
    "다",
    "요",
)
_PARTICLES = ("은", "는", "이", "가", "을", "를", "도")


def _subject(note: str) -> str:
    """Of what a note speaks: what stands before the word that says so, or before its first figure."""
    said = parts(note)
    if said:
        return said[0][0]
    figure = re.search(r"\d", note)
    if figure is None or not figure.start():
        return note
    head = note[: figure.start()]
    return (head.rsplit(None, 1)[0] if " " in head.strip() and not head.endswith(" ") else head).strip(" 、,") or note


def _bare(subject: str) -> str:
    return _OWN.sub("", subject)


def _telling(subject: str, language: str) -> list[str]:
    """The words of a subject that tell it from others."""
    if language == "ja":
        return [word for word in re.split(r"[のはがを、\s]+", _bare(subject)) if word]
    words = [_stripped(word.strip(".,!?").casefold()) for word in _bare(subject).split()]
    return [word for word in words if word not in _SMALL and word not in ("나", "내", "제", "저")]


def _stripped(word: str) -> str:
    end = next((end for end in _PARTICLES if word.endswith(end) and len(word) > len(end) + 1), "")
    return word.removesuffix(end) if end else word


def _share(text: str, subject: str, language: str) -> float:
    """Which part of the subject's words the text has."""
    said, some = plain(text), _telling(subject, language)
    return sum(plain(word) in said for word in some) / len(some) if some else 0.0


def _new_value(text: str, subject: str, language: str) -> str:
    """What is left of the text: without the subject, without what says that it has changed."""
    of = _telling(subject, language)
    said = parts(text)
    if language == "ja":
        rest = text
        for word in of:
            rest = rest.replace(word, "")
        figure = _FIGURE.search(rest)
        if figure:
            return figure[0]
        return re.sub(r"(?:です|だ|に(?:変|な).*|[。、！ねよの]+)\Z", "", said[0][1]) if said else ""
    changes = tuple(actions.words("corrections", language))
    kept = [word for word in re.split(r"[\s,;!?]+|(?<=\D)\.+(?=\s|\Z)", text) if word]
    kept = [word for word in kept if not _is_beside(word, of, changes, language)]
    figures = [at for at, word in enumerate(kept) if _FIGURE.match(word)]
    if language == "ko":
        if figures:
            kept = kept[figures[0] : figures[-1] + 1]
        if kept:
            end = next((end for end in _SAID_ENDS if kept[-1].endswith(end) and len(kept[-1]) > len(end)), "")
            kept[-1] = kept[-1].removesuffix(end) if end else kept[-1]
    elif digits := [word for word in kept if any(char.isdigit() for char in word)]:
        kept = digits
    return " ".join(kept).strip(" .")


def _is_beside(word: str, of: Sequence[str], changes: tuple[str, ...], language: str) -> bool:
    bare = _stripped(word.strip(".,!?").casefold())
    if any(plain(bare) == plain(one) for one in of) or bare in _SMALL or saying.is_filler(word, language):
        return True
    if language == "ko":
        return word.startswith((*changes, *actions.words("keep_words", "ko"), "줘", "주세", "둬", "놔")) or bare in (
            "내",
            "제",
            "나",
            "거",
            "내용",
        )
    return bare in changes or bare in actions.words("keep_words", "en")


def corrects(text: str, language: str) -> bool:
    """Whether it says that something has become another, or was told wrongly."""
    return actions.has(text, "corrections", language)


def tells(text: str, language: str) -> bool:
    """Whether it states something and asks for it to be kept in mind, though the words for that could also ask ("his name is
    Bo, are you keeping that?")."""
    if language != "ko" or text.rstrip().endswith(("?", "？")):
        return False
    asked = [at for at, word in enumerate(saying.plain_words(text)) if word.startswith(("기억하고", "알고", "외우고"))]
    before = saying.plain_words(text)[: asked[0]] if asked else []
    return bool(before) and before[-1].endswith(("야", "요", "다", "임", "음", "거든", "고", "니까", "대", "래"))


def kept(text: str, cut: Callable[[str], str], language: str) -> str:
    """What is to be kept of a sentence: `cut` takes away what stands around it; so it is done with each part, because who
    says "remember my code. it's 12" says both."""
    found: list[str] = []
    for part in saying.segments(text):
        rest = cut(_asked_to_keep(part, language))
        if rest and not saying.is_filler(rest, language):
            found.append(rest)
    return " ".join(found)


def _asked_to_keep(part: str, language: str) -> str:
    """Without the words that ask for it to be kept in mind."""
    for word in sorted(actions.words("keep_words", language), key=len, reverse=True):
        if language == "ja":
            part = re.sub(rf"{word}(?:おいて|いて|て)?(?:ください|下さい|くれ|ほしい)?[ねよ]?", "", part)
        elif language == "en":
            part = re.sub(rf"\b{re.escape(word)}\b", "", part, flags=re.IGNORECASE)
    return part.strip()
