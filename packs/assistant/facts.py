"""What is remembered of a thing: of what it speaks, what it says of that, and that it has become another. Pure."""

import re
from collections.abc import Callable
from functools import cache

from packs.assistant import actions, saying
from packs.assistant.phrases import pattern

OWN = re.compile(r"\A(?:(?:my|our|the|내|제|우리|나의|저의)\s|私の|僕の|うちの)", re.IGNORECASE)
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
    return "".join(char for char in plain(says) if char.isalpha())


def plain(text: str) -> str:
    """Letters and figures alone."""
    return "".join(char for char in text.casefold() if char.isalnum())


def changed(text: str, language: str) -> tuple[str, str] | None:
    """What has become another, and what it is now."""
    for change in _changes(language):
        if found := change.search(text.strip()):
            return OWN.sub("", found["of"]).strip(), found["now"].strip()
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


def corrects(text: str, language: str) -> bool:
    """Whether it says that something has become another, or was told wrongly."""
    return actions.has(text, "corrections", language)


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
    for part in saying.segments(text):
        rest = cut(_asked_to_keep(part, language))
        if rest and not saying.is_filler(rest, language) and rest.casefold() not in actions.words("pronouns", language):
            found.append(rest)
    return " ".join(found)


def _asked_to_keep(part: str, language: str) -> str:
    """Without the words that ask for it to be kept in mind."""
    for word in sorted(actions.words("keep_words", language), key=len, reverse=True):
        if language == "ja":
            part = re.sub(rf"{word}(?:おいて|いて|て)?(?:ください|下さい|くれ|ほしい)?[ねよ]?", "", part)
        elif language == "ko":
            part = re.sub(
                rf"(?:(?:이거|이것|이건|이걸|그거|꼭|절대)\s)?(?<![가-힣]){word}[가-힣]{{0,6}}(?:\s(?:줘|둬|놔|주|두|마|말|돼|안)[가-힣]{{0,4}})?\Z",
                "",
                part.strip(),
            )
        elif language == "en":
            part = re.sub(rf"\b{re.escape(word)}\b", "", part, flags=re.IGNORECASE)
    return part.strip()


def that_forgets(text: str, language: str) -> str:
    """The part of a sentence that asks for it to be forgotten."""
    found = pattern("memory", language, "forget")
    parts = [part for part in saying.segments(text) if found.search(part)]
    return saying.without_fillers(parts[-1] if parts else text, language)
