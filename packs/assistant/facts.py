"""What is remembered of a thing: of what it speaks, what it says of that, and that it has become another. Pure."""

import re
from collections.abc import Callable
from functools import cache

from packs.assistant import actions, asking, saying
from packs.assistant.phrases import pattern
from packs.assistant.saying import HANGUL

OWN = re.compile(r"\A(?:(?:my|our|the|내|제|우리|나의|저의)\s|私の|僕の|うちの)", re.IGNORECASE)
_SAYS = re.compile(
    r"\s?:\s|(?<=[가-힣A-Za-z0-9])(?:은|는|이|가)\s|\s(?:is|are|was|were)\s|[はが](?=[^\s])", re.IGNORECASE
)
_LONGEST = 80
"""Characters of a subject."""
_SECRET = re.compile(r"(?<![^\s:はがを])(?=[!-~]*[A-Za-z])(?=[!-~]*\d)[A-Za-z0-9!?#$%&*~^;@+=_-]{4,}")
"""A word of letters, figures and marks, as passwords are. Its marks are part of it and end no sentence: letters that
nobody writes stand in their place while it is cut."""
_MARKED = re.compile(
    r"(?<![^\s:はがを])(?:[A-Za-z0-9]+[!?~^;@#$%&*+=_][A-Za-z0-9][!-~]*|[!?~^#*@$][A-Za-z0-9][!-~]*"
    r"|[A-Za-z0-9]+[#*+$%&=@]+(?![!-~]))"
)
"""A word with a mark before, within or behind its letters not of prose ("@kim", "let!me!in", "A+", "1234#")."""
_IN_QUOTES = re.compile(
    r"“[^”]{1,80}”|‘[^’]{1,80}’|「[^」]{1,80}」|『[^』]{1,80}』|(?<!\w)\"[^\"]{1,80}\"|(?<!\w)'[^']{1,80}'(?!\w)"
)
"""What is quoted: its marks are part of it and end no sentence."""
_LEFT_OPEN = re.compile(r"(?:[“‘「『]|(?<!\w)[\"'])(?=[^”’」』\"']{0,80}\Z)")
"""Where a quotation begins whose end was cut off with what stood behind it."""
_MARKS = "!?~^;#*@$%&+=_-"
_WITHIN = re.compile(r"[!?~^;](?=\S)")
_MARKS_AWAY = {ord(mark): 0xA4D0 + at for at, mark in enumerate(_MARKS)}
_MARKS_BACK = {away: mark for mark, away in _MARKS_AWAY.items()}
_BECAUSE = re.compile(r"(?:なん)?(?:だ|です)?から(?:ね|さ)?\Z")
"""Behind a Japanese fact that is to be kept."""
_WITH = {
    "ko": re.compile(r"([가-힣A-Za-z]{2,12}?)(?:이랑|랑|와|과|하고)(?=\s)"),
    "en": re.compile(r"\bwith ((?-i:[A-Z])[\w'-]{1,30})", re.IGNORECASE),
    "ja": re.compile(r"([^\s、。の]{1,12}?)と(?=[^\s])"),
}
_OF = {
    "ko": re.compile(r"([가-힣]{2,4}?)(?:의|은|는|이|가)?\s"),
    "en": re.compile(r"((?!(?:The|My|Our|His|Her|Their|This|That)\b)[A-Z][\w-]{1,30})\b"),
    "ja": re.compile(r"([^\s、。]{1,12}?)(?:さん|くん|ちゃん)?[のはが]"),
}
"""Whom a fact is about."""
_TOPIC = {"ko": re.compile(r"[가-힣0-9A-Za-z](?:은|는)\s"), "ja": re.compile("は")}


def parts(text: str) -> list[tuple[str, str]]:
    """Of what it may speak, and what it then says of that: one for each word that may stand between the two."""
    return [
        (text[: found.start()].strip(), text[found.end() :].strip())
        for found in _SAYS.finditer(text[:_LONGEST])
        if text[: found.start()].strip() and text[found.end() :].strip()
    ]


def same_subject(one: str, other: str) -> bool:
    """Whether two subjects are said by the same words."""
    return bool(plain(OWN.sub("", one))) and plain(OWN.sub("", one)) == plain(OWN.sub("", other))


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
    """What stands beside the figures, without the ending that the last of them only decides ("512야", "521이야")."""
    letters = "".join(char for char in plain(says) if char.isalpha())
    ends = actions.words("value_ends", "ko")
    return letters.removesuffix(next((end for end in ends if letters.endswith(end)), ""))


def plain(text: str) -> str:
    """Letters and figures alone."""
    return "".join(char for char in text.casefold() if char.isalnum())


def changed(text: str, language: str) -> tuple[str, str] | None:
    """What has become another, and what it is now."""
    for change in _changes(language):
        if found := change.search(text.strip()):
            of = re.sub(r"['’](?:s|has)\Z", "", OWN.sub("", found["of"]).strip())
            return of, found["now"].strip()
    return None


@cache
def _changes(language: str) -> tuple[re.Pattern[str], ...]:
    words = "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in actions.words("changed", language))
    if language == "ko":
        of, topic = (rf"\A(?P<of>.{{1,60}}){tied}\s" for tied in (_tied("은이을", "는가를"), _tied("은을", "는를")))
        now, word = (rf"(?:이제(?:는|부터)?\s)?(?P<now>\S{some})" for some in (".{0,80}?", r"\S{0,40}?"))
        becomes = "|".join(actions.words("becomes", language))
        return (
            re.compile(rf"{of}(?:{words})[가-힣]{{0,5}}[.,!]?\s{now}\Z"),
            # who changes something is its subject: what stands before "이" is no thing that was changed
            re.compile(rf"(?:{of}){now}(?:으로|로)\s(?:{becomes})"),
            re.compile(rf"(?:{topic}){now}(?:으로|로)\s(?:{words})"),
            re.compile(rf"(?:{of}){word}(?:으로|로)\s(?:{words})"),
            re.compile(rf"\A(?P<of>.{{1,60}})\s(?P<now>\S{{1,40}}?)(?:으로|로)\s(?:{words})"),
        )
    if language == "ja":
        return (
            re.compile(
                rf"\A(?P<of>[^、。]{{1,60}}?)(?:は|が|を)(?:今は|もう)?(?P<now>[^、。]{{1,80}}?)(?:\s?に)?(?:{words})"
            ),
        )
    return (
        re.compile(rf"\A(?P<of>.{{1,60}}?)\s(?:{words})\s(?P<now>[^,.]{{1,80}})", re.IGNORECASE),
        re.compile(r"\A(?:please\s)?(?:change|update)\s(?P<of>.{1,60}?)\sto\s(?P<now>[^,.]{1,80})", re.IGNORECASE),
    )


_OPEN = "".join(chr(0xAC00 + 28 * syllable) for syllable in range(399))
"""The syllables of Korean that end in a vowel."""


def _tied(closed: str, open_: str) -> str:
    """A particle that may stand there: "이" is none behind a vowel ("와이파이"), nor "가" behind a consonant."""
    return rf"(?:(?<![{_OPEN}])(?<=[가-힣])[{closed}]|(?<=[{_OPEN}])[{open_}]|(?<=[^가-힣])[{closed}{open_}])"


def only_says_that(text: str, language: str) -> bool:
    """Whether it says that something has become another, and not what it is now: the next sentence says that."""
    if language not in actions.LAST:
        return False
    words = "|".join(map(re.escape, actions.words("changed", language)))
    tied, end = (r"(?:은|는|이|가)\s", r"[가-힣]{0,5}") if language == "ko" else ("[はが]", "[^、。0-9]{0,4}")
    return re.search(rf"\A[^,.、。0-9]{{1,40}}{tied}(?:{words}){end}[.!~。！\s]*\Z", text.strip()) is not None


def with_name(text: str, before: str, language: str) -> str:
    """The text with a name in the place of "she", if the clause before it has one."""
    return _named(text, _WITH.get(language, _WITH["en"]).search(before), language)


def with_its_name(text: str, before: str, language: str) -> str:
    """The same with the name of whom the fact before it is about."""
    return _named(text, _OF.get(language, _OF["en"]).match(before), language)


def _named(text: str, found: re.Match[str] | None, language: str) -> str:
    if found is None:
        return text
    someone = "|".join(map(re.escape, actions.words("persons", language)))
    begins = r"\b" if language == "en" else ""
    return re.sub(rf"\A(?:that\s)?(?:{someone}){begins}", found[1], text, flags=re.IGNORECASE)


def corrects(text: str, language: str) -> bool:
    """Whether it says that something has become another, or was told wrongly."""
    return actions.has(text, "corrections", language)


def lacks_its_value(text: str, language: str) -> bool:
    """Whether it only names a thing that has a number, a day or another value, and does not say it ("my locker
    code")."""
    if any(char.isdigit() for char in text) or parts(text) or _states(text, language):
        return False
    words = (text.split() or [""]) if language != "ja" else [text]
    ends = tuple(actions.words("valued", language))
    return words[-1].casefold() in ends if language == "en" else words[-1].endswith(ends)


def completed(thing: str, value: str) -> str:
    """A thing with the value that was asked for; the answer alone where it names the thing itself."""
    pointed = re.sub(
        r"\A(?:it['’]?s|it is|that['’]?s|그건|그거는?|이건|それは|これは)\s?", "", value, flags=re.IGNORECASE
    )
    end = next((one for one in actions.words("value_ends", "ko") if pointed.endswith(one)), "")
    decided = bool(end) and pointed.removesuffix(end)[-1:].isdigit()
    return value if is_about(value, thing) else f"{thing}: {pointed.removesuffix(end) if decided else pointed}"


def tells(text: str, language: str) -> bool:
    """Whether it states something and asks for it to be kept in mind, though the words for that could also ask."""
    if language != "ko" or text.rstrip().endswith(("?", "？")):
        return False
    asked = [at for at, word in enumerate(saying.plain_words(text)) if word.startswith(("기억하고", "알고", "외우고"))]
    before = saying.plain_words(text)[: asked[0]] if asked else []
    return bool(before) and before[-1].endswith(("야", "요", "다", "임", "음", "거든", "고", "니까", "대", "래"))


def kept(text: str, cut: Callable[[str], str], language: str) -> str:
    """What is to be kept of a sentence: `cut` takes away what stands around it; so it is done with each part, because
    who says "remember my code. it's 12" says both."""
    found: list[str] = []
    quoting = frozenset(actions.words("quoting", language))
    for part in saying.segments(_literal(text, language)):
        rest = cut(_asked_to_keep(saying.without_also(part, language), language))
        rest = _not_pointing(rest, language)
        if not all(saying.is_filler(word, language) or word in quoting for word in rest.split()):
            found.append(_LEFT_OPEN.sub("", rest))
    return " ".join(found).translate(_MARKS_BACK)


def value(text: str, cut: Callable[[str], str], language: str) -> str:
    """What something has become: the same, of what is one value, in which no mark with more behind it ends anything."""
    text = _WITHIN.sub(_with_marks_away, _literal(text, language))
    return _not_pointing(cut(_asked_to_keep(text, language)), language).translate(_MARKS_BACK)


def _literal(text: str, language: str) -> str:
    """The text with the marks of its values away: of passwords and the like also those that could end a sentence."""
    for pattern_ in (
        _IN_QUOTES,
        _SECRET,
        _MARKED,
        *([_secret(language)] if actions.has(text, "secrets", language) else []),
    ):
        text = pattern_.sub(_with_marks_away, text)
    return text


@cache
def _secret(language: str) -> re.Pattern[str]:
    """A value behind what says that it is one, with all marks behind it."""
    words = "|".join(map(re.escape, [*actions.words("secrets", language), *actions.words("secret_ties", language)]))
    return re.compile(rf"(?:{words})\s*[!-~]+", re.IGNORECASE)


def _with_marks_away(word: re.Match[str]) -> str:
    return word[0].translate(_MARKS_AWAY)


def _not_pointing(text: str, language: str) -> str:
    """Without a word behind it that only points at it ("… 이것도")."""
    said = text.split()
    while said and said[-1].casefold().strip(",.") in actions.words("pronouns", language):
        said.pop()
    return " ".join(said)


def _asked_to_keep(part: str, language: str) -> str:
    """Without the words that ask for it to be kept in mind."""
    for word in sorted(actions.words("keep_words", language), key=len, reverse=True):
        if language == "ja":
            part = re.sub(
                rf"{word}(?:おいて|いて|て)?(?:ください|下さい|ほしい|(?:くれ|もら|いただ)[^、。]{{0,10}})?[ねよ]?",
                "",
                part,
            )
            part = _BECAUSE.sub("", part.strip())
        elif language == "ko":
            part = re.sub(
                rf"(?:(?:이거|이것|이건|이걸|그거|꼭|절대)\s)?(?<![가-힣]){word}[가-힣]{{0,6}}(?:\s(?:줘|둬|놔|주|두|마|말|돼|안|달|부탁)[가-힣]{{0,4}})?"
                rf"(?:\s수\s(?:있|없)[가-힣]{{0,4}})?\Z",
                "",
                part.strip(),
            )
        elif language == "en":
            part = re.sub(rf"\b{re.escape(word)}\b", "", part, flags=re.IGNORECASE)
    return part.strip()


def has_forgotten(text: str, language: str) -> bool:
    """Whether they say that they do not know it any more: they want to hear it."""
    return actions.has(text, "forgotten", language)


def that_forgets(text: str, language: str) -> str:
    """The part of a sentence that asks for it to be forgotten."""
    found = pattern("memory", language, "forget")
    parts = [part for part in saying.segments(text) if found.search(part)]
    return saying.without_fillers(parts[-1] if parts else text, language)


def orders(text: str, language: str) -> bool:
    """Whether it asks for something to be kept in mind, though it may end as a question ("could you …?"), and asks
    for nothing else."""
    said = saying.plain_words(text)
    if language not in actions.LAST and asking.begins_asking(text, language):
        return False
    if asking.is_marked(text) and said and said[-1] in actions.words("recalls", language):
        return False  # "내 차 번호 기억해?"
    return actions.has(text, "keep_orders", language) and not asking.has_question_word(text, language)


def one_by_one(text: str, language: str) -> list[str]:
    """The facts of a text that tells several, each of its own subject; the text itself where it tells one."""
    found = [text]
    for border in _borders(language).finditer(text):
        before, after = found[-1][: border.start() - len(text)], text[border.end() :]
        if _states(before, language) and _states(after, language) and not _goes_on(before, after, language):
            # a verb that is cut off its tie is no word ("서랍에 있고")
            tied = "" if not HANGUL.match(before[-1:]) or border.group().strip() != "고" else border.group()
            found[-1:] = [(before + tied).strip(" ,"), after.strip()]
    return found


def _goes_on(before: str, after: str, language: str) -> bool:
    """Whether it speaks of the same still: a topic is named once ("민지는 …이고 알레르기가 있다")."""
    topic = _TOPIC.get(language)
    return topic is not None and topic.search(before) is not None and topic.search(after) is None


def _states(text: str, language: str) -> bool:
    """Whether it says something of a thing that it names."""
    return _says(language).search(text) is not None


@cache
def _borders(language: str) -> re.Pattern[str]:
    """Where one fact may end and the next begin."""
    either = "|".join(map(re.escape, actions.words("fact_ties", language)))
    return re.compile(
        rf"(?<=[가-힣0-9A-Za-z])(?:{either})[,\s]\s*" if language == "ko" else rf"(?:{either})", re.IGNORECASE
    )


@cache
def _says(language: str) -> re.Pattern[str]:
    """A subject, and behind it what says something of it."""
    either = "|".join(map(re.escape, actions.words("fact_verbs", language)))
    if language == "ko":
        return re.compile(rf"\A\s*\S.*?[가-힣0-9A-Za-z](?:{either})\s+\S")
    if language == "ja":
        return re.compile(rf"\A[^、。]+?(?:{either})[^、。]")
    return re.compile(rf"\A\s*(?!(?:{either})\b)\S.*?(?:\b|(?<=')|(?=['’]))(?:{either})\s+\S", re.IGNORECASE)
