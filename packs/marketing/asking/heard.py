"""Whether all that a question says of which rows are meant is heard: what is read of it is looked at once more against
its words and against itself."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from packs.marketing.asking.contradicting import in_accord
from packs.marketing.asking.naming import pattern_of
from packs.marketing.asking.passed_over import blanks_passed_over, named_in, passed_over
from packs.marketing.asking.phrasing import compiled, sentences, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Request
from packs.marketing.asking.spelt import spelling

_BRACKETS = re.compile(r"\s?[(（]([^()（）]{6,90})[)）]")
_MEANS = ("mean", "median")


def heard(asked: str, profile: Profile, before: Request | None, read: Callable[[str], list[Request]]) -> list[Request]:
    """The requests of `read`. Reasons and explanations are left aside, and told so, where without them there is an
    answer; values and blanks that are named and of which nothing has come are asked about."""
    said = words()["blank_is_nought"]
    nought = compiled(said).search(asked)
    text = compiled(said).sub(" ", asked) if nought is not None else asked
    told = [in_accord(one, before, profile) for one in read(text)]
    if any(one.unread for one in told) and not any(one.unknown for one in told):
        rest, beside = without_reasons(text, profile)
        again = [in_accord(one, before, profile) for one in read(rest)] if beside else []
        if again and not any(one.unread or one.unknown for one in again):
            told, text = [*again[:-1], replace(again[-1], aside=(*again[-1].aside, *beside))], rest
    if any(one.unread or one.unknown or one.asks in ("why", "preview") for one in told):
        return told
    lost = passed_over(text, told, profile) or blanks_passed_over(text, told, profile)
    since = compiled(words()["as_of"]["days"]).search(text)
    if since is not None and not any(it.days for one in told for it in one.measures):
        lost = (since.group().strip(),)  # nothing here counts the days until then
    measures = [it for one in told for it in one.measures if it.column is not None]
    if nought is not None and (len(measures) > 1 or any(it.kind in _MEANS for it in measures)):
        lost = (nought.group().strip(" ()（）"),)  # they would lower a mean, and count in a sum of several
    return [replace(told[-1], unread=lost)] if lost else told


def without_reasons(asked: str, profile: Profile) -> tuple[str, tuple[str, ...]]:
    """The text without sentences and brackets that give a reason, an opinion or an explanation and hold no value, no
    number and no name of a column; and these."""
    said, beside = words()["reasons"], []
    rest = asked
    for match in reversed(list(_BRACKETS.finditer(asked))):
        if compiled(said["inside"]).search(match[1].strip()) and not _holds(match[1], profile):
            beside.append(match[1].strip())
            rest = rest[: match.start()] + rest[match.end() :]
    spans = sentences(rest)
    asking = compiled(f"[?？]|{words()['question']}")
    asked_there = [span for span in spans if asking.search(rest, *span)]
    for start, end in reversed(spans if asked_there else []):
        one = rest[start:end].strip()
        reason = compiled(said["sentence"]).search(one) is not None and (start, end) not in asked_there
        if reason and compiled(said["limits"]).search(one) is None and not _holds(one, profile):
            beside.append(one)
            rest = rest[:start] + rest[end:]
    return rest, tuple(reversed(beside))


def _holds(text: str, profile: Profile) -> bool:
    """Whether anything of the table is named, or a number."""
    if any(letter.isdigit() for letter in text):
        return True
    named: Sequence[str] = [pattern_of(one) for one in profile.columns]
    values = (spelling(value) for one in profile.of("category") for value in named_in(text, one.values) if value)
    return any(compiled(one).search(text) is not None for one in (*named, *values))
