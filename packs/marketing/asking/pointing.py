"""Words that point at what was asked or told before: some rows, one of what was ranked."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from packs.marketing.asking.naming import is_of_persons, pattern_of
from packs.marketing.asking.phrasing import AskedSentence, compiled, number_of, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Request


class Pointing(NamedTuple):
    """Words for the rows before ("of those"), or for one of what was ranked ("that one") with its place; `turned`: in
    which order it is the first ("the worst of them")."""

    rows: str = ""
    at_one: str = ""
    place: int = 1
    turned: bool | None = None


def pointing(
    sentence: AskedSentence,
    profile: Profile,
    before: Request | None,
    names_rows: Callable[[int], Sequence[Filter]],
    remarked: int = 0,
) -> Pointing:
    """`names_rows` are the filters that the sentence itself has named, up to there: a word may point at these. Up to
    `remarked` it only says what it has seen ("the worst was 2010, I see. That year …")."""
    said, first = words(), _the_first(sentence, profile, before)
    if first is not None:
        return first
    if (match := sentence.take(said["before_that"])) is not None and not names_rows(match.start()):
        return Pointing(rows=match.group())
    for key, pointed in (("theirs", before is not None), ("this_one", before is not None and bool(before.filters))):
        found = sentence.find(said[key]) if pointed else None
        if found is not None and not names_rows(found.start()):
            sentence.blank(*found.span())
            return Pointing(rows=found.group())
    if (placed := _placed(sentence, profile, before)) is not None:
        return placed
    one = sentence.take(said["that_one"])
    if one is None or (0 < remarked <= one.start() and names_rows(remarked)):
        return Pointing()
    named = any(it.op == "between" for it in names_rows(one.start()))  # "May was hectic. How many came that month?"
    return Pointing() if named else Pointing(at_one=one.group())


def _the_first(sentence: AskedSentence, profile: Profile, before: Request | None) -> Pointing | None:
    """The one that was told before as the first of all, by a word for a person; "they" of persons and customers."""
    if before is None or len(before.groups) != 1 or before.descending is None or before.limit != 1:
        return None
    column, said = profile.column(before.groups[0].column), words()["that_person"]
    if (counted := sentence.find(said["how_many_is_that"])) is not None:
        sentence.blank(*counted.span("that"))
        return Pointing(at_one=counted["that"])
    who = is_of_persons(column) or compiled(said["kinds"]).search(column.name) is not None
    match = sentence.take(f"{said['alone']}|{said['they']}" if who else said["alone"])
    return Pointing(at_one=match.group()) if match is not None else None


def _placed(sentence: AskedSentence, profile: Profile, before: Request | None) -> Pointing | None:
    """One of what was ranked before, by its place ("1위 메뉴", "the number one") or by what it is ("that menu")."""
    if before is None or len(before.groups) != 1:
        return None
    column = next((one for one in profile.columns if one.name == before.groups[0].column), None)
    name = f"(?:{pattern_of(column)})" if column is not None else "(?!)"
    asked = sentence.find(words()["which_of_them"]) is not None or sentence.find(words()["asks_of_one"]) is None
    for most, said in () if asked else ((True, words()["high"]), (False, words()["low"])):
        match = sentence.take(rf"(?:{said})\s?(?:{name}|{words()['one_of_them']})(?:{words()['of_it']})")
        if match is not None:
            return Pointing(at_one=match.group(), turned=most)
    if before.descending is None:
        return None
    if (match := sentence.take(rf"{words()['nth']}(?:\s?{name})?")) is not None:
        return Pointing(at_one=match.group(), place=int(number_of((match["n"] or match["en"] or "1").lower())))
    match = sentence.take(rf"(?:그\s?|\bthat |その){name}")
    return Pointing(at_one=match.group()) if match is not None else None
