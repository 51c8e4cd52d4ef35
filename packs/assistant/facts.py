"""What is remembered of a thing: of what it speaks, what it says of that, and that it has become another. Pure."""

import re
from functools import cache

from packs.assistant import actions

_OWN = re.compile(r"\A(?:(?:my|our|the|내|제|우리|나의|저의)\s|私の|僕の|うちの)", re.IGNORECASE)
_SAYS = (
    re.compile(r"\A(?P<of>[^:]{1,80}?)\s?:\s(?P<says>.{1,400})"),
    re.compile(r"\A(?P<of>.{0,79}?[가-힣A-Za-z0-9])(?:은|는)\s(?P<says>.{1,400})"),
    re.compile(r"\A(?P<of>.{0,79}[가-힣A-Za-z0-9])(?:이|가)\s(?P<says>.{1,400})"),
    re.compile(r"\A(?P<of>.{1,80}?)\s(?:is|are|was|were)\s(?P<says>.{1,400})", re.IGNORECASE),
    re.compile(r"\A(?P<of>[^、。]{1,80}?)[はが](?P<says>.{1,400})"),
)
_WITH = {
    "ko": re.compile(r"([가-힣A-Za-z]{2,12}?)(?:이랑|랑|와|과|하고)(?=\s)"),
    "en": re.compile(r"\bwith ((?-i:[A-Z])[\w'-]{1,30})", re.IGNORECASE),
    "ja": re.compile(r"([^\s、。の]{1,12}?)と(?=[^\s])"),
}


def parts(text: str) -> tuple[str, str] | None:
    """Of what it speaks, and what it says of it."""
    for pattern in _SAYS:
        if found := pattern.match(text):
            return found["of"].strip(), found["says"].strip()
    return None


def same_subject(one: str, other: str) -> bool:
    """Whether two subjects are said by the same words."""
    return bool(plain(_OWN.sub("", one))) and plain(_OWN.sub("", one)) == plain(_OWN.sub("", other))


def replaces(new: str, old: str) -> bool:
    """Whether it gives the same thing another figure of the same kind: nothing can have both."""
    one, other = parts(new), parts(old)
    if one is None or other is None or not same_subject(one[0], other[0]):
        return False
    if not all(any(char.isdigit() for char in says) for _, says in (one, other)):
        return False
    return _kind(one[1]) == _kind(other[1]) and plain(one[1]) != plain(other[1])


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
