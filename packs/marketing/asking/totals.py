"""What the most of something adds up to, where neither rows nor averages of rows are meant."""

from collections.abc import Sequence

from packs.marketing.asking.naming import full_heading, holds, is_of_persons, pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, plain, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group, Measure
from packs.marketing.asking.units import heading_units


def ranked_by(
    sentence: AskedSentence, profile: Profile, groups: Sequence[Group], filters: Sequence[Filter], wanted: list[Measure]
) -> list[Measure]:
    """The figures by which groups are ranked: what was asked for, unless it is a mean that nobody asked for of what
    adds up ("top three donors by weight"), or rows of what is counted in pieces ("who gave the most rice")."""
    if len(wanted) != 1 or not groups:
        return wanted
    if (column := _added(sentence, profile, groups, wanted[0])) is not None:
        return [Measure("sum", column.name)]
    if wanted == [Measure("count")] and (pieces := _pieces(sentence, profile, filters)) is not None:
        return [Measure("sum", pieces.name)]
    return wanted


def _added(sentence: AskedSentence, profile: Profile, groups: Sequence[Group], measure: Measure) -> Column | None:
    """What is weighed of those who brought it, or where it is counted as well, adds up; of a body it would not."""
    if measure.kind != "mean" or measure.column is None or measure.per is not None:
        return None
    column = profile.column(measure.column)
    said = words()
    mean = bounded("|".join(said["measures"][one] for one in ("mean", "median")))
    if compiled(mean).search(sentence.text) is not None or not heading_units(column) & {*said["totals"]["units"]}:
        return None
    by_it = said["totals"]["by"].replace("NAME", f"{full_heading(column)}|{pattern_of(column)}")
    if compiled(by_it).search(sentence.text) is None:
        return None
    grouped = [profile.column(one.column) for one in groups]
    counted = any(holds(one, "quantity") for one in profile.of("number"))
    return column if counted or all(map(is_of_persons, grouped)) else None


def _pieces(sentence: AskedSentence, profile: Profile, filters: Sequence[Filter]) -> Column | None:
    """The one column of pieces, where the most of a thing is sought that is named right behind it."""
    numbers = profile.of("number")
    counted = [one for one in numbers if holds(one, "quantity") and one.scale is None]
    in_stock = any(holds(one, "reorder") or holds(one, "stock") for one in numbers)
    things = [it for it in filters if it.op == "in" and _is_of_things(profile.column(it.column))]
    named = {_one(word) for it in things for value in it.values for word in str(value).split()}
    most = compiled(words()["totals"]["most"]).finditer(sentence.text)
    return counted[0] if len(counted) == 1 and not in_stock and any(_one(it["thing"]) in named for it in most) else None


def _one(word: str) -> str:
    return plain(word).removesuffix("s").removesuffix("e").removesuffix("i").removesuffix("y")


def _is_of_things(column: Column) -> bool:
    return column.role == "product" or holds(column, "product")
