"""What a share is of ("of all one-point reviews, how many per cent …"), and the part that a word for it has ("return
rate", 수료율)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from packs.marketing.asking.naming import OWN, also_called, full_heading, holds, pattern_of, yes_and_no
from packs.marketing.asking.phrasing import AskedSentence, compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Measure
from packs.marketing.asking.spelt import pieces_of


def whole(sentence: AskedSentence, filters_of: Callable[[str], Sequence[Filter]]) -> list[Filter]:
    """The filters that the words for the whole name by themselves; nothing where no words say what the whole is."""
    for pattern in words()["share_of_what"]:
        match = compiled(pattern).search(sentence.text)
        if match is not None and (found := list(filters_of(match["whole"]))):
            return found
    return []


def with_those_beside(part: Sequence[Filter], filters: Sequence[Filter]) -> list[Filter]:
    """The part with other values of its column that rows are kept by: no row has both, and the shares of both are meant
    ("the shares of card and cash")."""
    found = []
    for one in part:
        others = [
            it for it in filters if it is not one and (it.column, it.op) == (one.column, one.op) == (one.column, "in")
        ]
        values = (value for it in (*others, one) for value in it.values)
        found.append(replace(one, values=tuple(dict.fromkeys(values))) if others else one)
    return found


def each_value(measures: Sequence[Measure]) -> list[Measure]:
    """A share of several values as the shares of each."""
    found: list[Measure] = []
    for one in measures:
        several = one.kind == "share" and len(one.part) == 1 and one.part[0].op == "in"
        parts = [replace(one.part[0], values=(value,)) for value in one.part[0].values] if several else []
        found += [replace(one, part=(part,)) for part in parts] if len(parts) > 1 else [one]
    return found


def of_column(sentence: AskedSentence, named: Sequence[Column]) -> list[Column]:
    """The columns of figures that are the whole by their own names ("what share of the weight", 전체 무게의 몇 %)."""
    said = words()["share_of_column"]
    whole = [one for one in named if one.scale is None and "%" not in one.name]
    whole = [one for one in whole if not any(holds(one, kind) for kind in ("age", "temperature"))]
    # a part of a heading may be what the rows are: 교습 of 교습 시간
    return [
        one
        for one in whole
        if compiled(said["of_it"].replace("NAME", pattern_of(one))).search(sentence.text) is not None
        or compiled(said["all_of_it"].replace("NAME", full_heading(one))).search(sentence.text) is not None
    ]


def rates(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """The part in "cancellation rate", 수료율: what is so, of a column of yes and no, or has a value."""
    if sentence.find(words()["hints"]["rate"]) is None:
        return []
    found: list[tuple[int, int, re.Match[str], Filter]] = []
    numbers = "|".join(full_heading(one) for one in profile.of("number"))
    for column in profile.of("category"):
        both = yes_and_no(column)
        parts = pieces_of(column.values)
        named = (
            {both[0]: pattern_of(column)} if both else {one: _stem(one, parts.get(one, ())) for one in column.values}
        )
        for value, name in named.items():
            match = sentence.find(words()["rate"].replace("NAME", f"(?:{name})"))
            if match is None or (numbers and compiled(numbers).match(sentence.text, match.start())):
                continue
            found.append((match.start(), len(value), match, Filter(column.name, "in", (value,))))
    for column in profile.of("number"):  # how many are late at all, of a column that counts the days
        match = sentence.find(words()["rate"].replace("NAME", f"(?:{pattern_of(column)})"))
        sure = match is not None and not compiled(numbers).match(sentence.text, match.start())
        if match is not None and sure and column.scale is None and profile.frame[column.name].min() == 0:
            found.append((match.start(), 0, match, Filter(column.name, "gt", (0.0,))))
    if not found:
        return []
    *_, match, filter_ = min(found, key=lambda one: one[:2])
    sentence.blank(*match.span())
    return [filter_]


def _stem(value: str, parts: Sequence[str]) -> str:
    """How a value begins in a word for its share: "return" of "returned"."""
    names = [value, *also_called(value), *parts]
    latin = [re.escape(one[: max(OWN, len(one) - 3)]) + "[a-z]*" for one in names if one.isascii() and len(one) > OWN]
    return (
        "|".join([r"(?<![가-힣一-龯A-Za-z])" + one for one in [*map(re.escape, names), *latin] if len(one) > 1])
        or "(?!)"
    )
