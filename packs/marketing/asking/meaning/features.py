"""What speaks for a column to be the one that is measured, or grouped by; and what a question says by known words."""

import re
from collections.abc import Collection, Sequence

import numpy as np

from packs.marketing.asking import grouping, listing, measures, units
from packs.marketing.asking.meaning.sought import Floats, Nearness, Sought, Vectors
from packs.marketing.asking.money import the_money
from packs.marketing.asking.naming import (
    full_heading,
    heading_pattern,
    holds,
    is_of_persons,
    pattern_of,
    unit_of,
    yes_and_no,
)
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Column
from packs.marketing.asking.request import Grain, Group

OF_A_NUMBER, OF_A_GROUP, OF_A_QUESTION = 22, 26, 28
"""How many features there are of each."""
GRAINS: tuple[Grain, ...] = ("month", "day", "weekday", "week", "year", "quarter")


def numbers(asked: Sought) -> list[Column]:
    """The columns that may be measured."""
    return [one for one in asked.profile.of("number") if not one.made]


def groups(asked: Sought) -> list[Group]:
    """All that rows may be grouped by."""
    profile = asked.profile
    few = [one.name for one in numbers(asked) if grouping.is_of_kinds(one, profile)]
    times = [Group(profile.date.name, grain) for grain in GRAINS] if profile.date is not None else []
    return [*(Group(one.name) for one in profile.of("category")), *map(Group, few), *times]


def of_numbers(
    asked: Sought, vectors: Vectors, columns: Sequence[Column], within: tuple[int, int] | None = None
) -> Floats:
    """[columns, OF_A_NUMBER]; by a part of the sentence alone with `within`."""
    start, end = within or (0, len(asked.sentence.text))
    text, left = asked.sentence.text[start:end], asked.sentence.left[start:end]
    part = AskedSentence(text) if within is not None else asked.sentence
    said, profile = words(), asked.profile
    near = Nearness(asked, vectors, text if within is not None else None)
    bound = {one.column for one in asked.kept.filters}
    asked_in = units.asked_in(AskedSentence(text), profile)
    money = the_money(profile)
    paid, costs = (_has(bounded(said["money_spoken"][one]), text) for one in ("surely", "asked"))
    adjective, _ = measures.meant_by_adjective(AskedSentence(text), profile)
    sold = _has(bounded(said["sold"]), text)
    heads = [near.to_heading(one) for one in columns]
    rows = []
    for at, one in enumerate(columns):
        others = max((head for other, (head, _) in enumerate(heads) if other != at), default=0.0)
        rows.append([
            _has(full_heading(one), text), _has(heading_pattern(one), text), _has(pattern_of(one), text),
            _has(full_heading(one), left), _has(pattern_of(one), left),
            heads[at][0], heads[at][0] - others, heads[at][1],
            asked_in is not None and asked_in.name == one.name,
            money is one and paid, money is one and costs, money is one,
            one.scale is not None, one.scale is not None and _has(said["marks_asked"], text),
            len(columns) == 1, one.name in bound, measures.is_added(one), holds(one, "amount"),
            adjective is not None and adjective.name == one.name, units.is_asked_how_many(one, part),
            _is_in_its_unit(one, text), sold and holds(one, "quantity"),
        ])  # fmt: skip
    return np.array(rows, dtype=np.float32).reshape(len(columns), OF_A_NUMBER)


def of_groups(asked: Sought, vectors: Vectors, candidates: Sequence[Group]) -> Floats:
    """[candidates, OF_A_GROUP]."""
    text, left = asked.sentence.text, asked.sentence.left
    said, profile = words(), asked.profile
    near = Nearness(asked, vectors)
    values = [one for one in asked.kept.filters if one.op in ("in", "not_in", "contains")]
    one_value = {one.column for one in values if len(one.values) == 1}
    some = {one.column for one in values if one.op == "in" and len(one.values) > 1}
    sides = {one.column for one in asked.kept.groups}
    who = _has(said["who"], text) or _has(said["who_most"], text)
    where, course = _has(said["where_asked"], text), _has(bounded(said["over_time"]), text)
    entity, height = profile.entity, max(profile.frame.height, 1)
    heads = {one.column: near.to_heading(profile.column(one.column)) for one in candidates}
    rows = []
    for group in candidates:
        one, grain = profile.column(group.column), group.grain
        others = max((head for name, (head, _) in heads.items() if name != one.name), default=0.0)
        name, different = pattern_of(one), profile.frame[one.name].n_unique()
        each = f"{name}|{grouping.part_of(one, profile)}"
        named = [
            _has(full_heading(one), text), _has(heading_pattern(one), text), _has(name, text), _has(name, left),
            _each(each, name, text), _has(said["which_of"].replace("NAME", f"{name}|{grouping.end_of(one)}"), text),
            heads[one.name][0], heads[one.name][0] - others, heads[one.name][1], near.to_values(one),
        ] if grain is None else [0.0] * 10  # fmt: skip
        rows.append([
            *named,
            who and is_of_persons(one), where and any(holds(one, kind) for kind in said["place_kinds"]),
            is_of_persons(one),
            0.0 if grain else np.log(different), 0.0 if grain else different / height,
            one.name in one_value, one.name in some, one.name in sides,
            grain is not None, grain is not None and _has(said["grains"].get(grain, "(?!)"), text),
            grain is not None and _has(said["time_units"].get(grain, "(?!)"), text),
            course and grain == "month", grain == "month", one.kind == "number",
            entity is not None and entity.name == one.name, yes_and_no(one) is not None,
        ])  # fmt: skip
    return np.array(rows, dtype=np.float32).reshape(len(candidates), OF_A_GROUP)


def of_question(asked: Sought) -> Floats:
    """[OF_A_QUESTION]."""
    text, said, profile = asked.sentence.text, words(), asked.profile
    kinds, added = profile.of("category"), numbers(asked)
    measured = [_has(bounded(said["measures"][kind]), text) for kind in ("mean", "sum", "share", "count")]
    found = [
        any(_each(pattern_of(one), pattern_of(one), text) for one in kinds),
        any(_has(pattern_of(one), text) for one in kinds),
        any(_has(pattern_of(one), text) for one in profile.of("number")),
        bool(asked.kept.filters), any(one.op == "in" and len(one.values) > 1 for one in asked.kept.filters),
        bool(asked.kept.groups), any(map(is_of_persons, kinds)), profile.date is not None,
        profile.rating is not None, bool(asked.kept.rates),
        any(_has(grain, text) for grain in said["grains"].values()), _has(said["who"], text),
        any(_has(pattern_of(one), text) for one in listing.names_of_rows(profile)), *measured,
        _has(f"(?:{said['high']})", text), _has(f"(?:{said['low']})", text), _has(bounded(said["superlatives"]), text),
        listing.is_listing(AskedSentence(text), profile), listing.rows_are_meant(asked.sentence, profile, asked.rows),
        _has(_many_rows(asked.rows), text), any(_is_in_its_unit(one, text) for one in added),
        any(units.is_asked_how_many(one, asked.sentence) for one in added),
        any(one.op == "empty" for one in asked.kept.filters),
        *(_has(bounded(said["money_spoken"][one]), text) for one in ("surely", "asked")),
    ]  # fmt: skip
    return np.array(found, dtype=np.float32)


def _many_rows(rows: Collection[str]) -> str:
    """What asks how many rows there are, by a word for what a row is."""
    called = "|".join(re.escape(one) for one in sorted(rows, key=len, reverse=True)) or "(?!)"
    return (
        rf"몇\s?(?:건|{called})|何\s?(?:件|{called})|(?<![A-Za-z])how many (?:of (?:our|the|these|those) )?(?:{called})"
    )


def _has(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None


def _each(called: str, name: str, text: str) -> bool:
    said = words()
    behind = rf"(?:{called}){said['kind_behind']}\s?(?:{said['each']})"
    return _has(rf"{behind}|(?<![A-Za-z])(?:{said['each_before']}|(?:each|every|per|by) [a-z]+ )(?:{name})", text)


def _is_in_its_unit(column: Column, text: str) -> bool:
    """Whether what its heading says that it is measured in is spoken of ("몇 킬로", "how many days")."""
    heading = units.heading_units(column)
    for same in words()["asked_in"]:
        spelt = [re.escape(one) for one in same if len(one) > 1]
        latin = [rf"(?<![A-Za-z]){one}(?![A-Za-z])" if one.isascii() else one for one in spelt]
        if heading & set(same) and _has("|".join(latin), text):
            return True
    unit = unit_of(column)
    return bool(unit) and not unit.isascii() and _has(rf"(?:몇|何)\s?{re.escape(unit)}", text)
