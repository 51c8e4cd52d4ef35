"""Which figures a sentence asks for, of which columns."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from packs.marketing.asking import people
from packs.marketing.asking.lexicon import in_other_words
from packs.marketing.asking.money import amounts_spoken_of, money_that_is_meant, speaks_of_money, the_money
from packs.marketing.asking.naming import (
    bare_heading,
    full_heading,
    heading_pattern,
    holds,
    in_full,
    is_of_persons,
    name_pattern,
    names_of,
    names_pattern,
    pattern_of,
)
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, hints_at, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Measure, MeasureKind, Request
from packs.marketing.asking.units import asked_in, is_asked_how_many, is_counted_so

_MOST_DECIMALS = 4
_SOME_PERSONS = 5
"""Different values from which a column names people, and no kinds of them."""


def named_numbers(sentence: AskedSentence, profile: Profile) -> list[Column]:
    """Columns of numbers that are named, by their own heading before what such columns are called elsewhere."""
    numbers = [one for one in profile.of("number") if one.scale is None]
    rated = [profile.rating] if profile.rating else []
    subjects = [one for one in numbers if holds(one, "one_subject")]
    none_called_so = len(subjects) > 1 and not any(holds(one, "subject") for one in profile.columns)
    if none_called_so and sentence.take(bounded(words()["all_subjects"])) is not None:
        sentence.take(bounded(words()["all_subjects"]))  # "of the four subjects, which subject …"
        if not any(sentence.find(pattern_of(one)) for one in subjects):
            if all(sentence.find(pattern_of(one)) is None for one in profile.of("category")):
                sentence.take(bounded(f"{words()['high']}|{words()['low']}"))  # each is told: one sees which is first
            return subjects
    every = [*numbers, *(one for one in profile.of("number") if one.scale is not None and one not in rated)]
    whole = "|".join(map(full_heading, rated)) or "(?!)"
    left = compiled(whole).sub(" ", sentence.left)  # "the written score" names no other score
    for pattern in (full_heading, heading_pattern, pattern_of):
        if named := _not_within_others(
            sentence, [one for one in every if compiled(pattern(one)).search(left)], pattern
        ):
            named = amounts_spoken_of(_of_which(sentence, named, every), sentence, by_name=pattern is not pattern_of)
            left = sentence.left
            if pattern is full_heading and compiled(whole).search(left) is None:
                left = compiled("|".join(map(pattern, named))).sub(" ", left)
            return [*named, *(one for one in rated if one not in named and compiled(pattern_of(one)).search(left))]
    return [one for one in rated if sentence.find(pattern_of(one))]


def _of_which(sentence: AskedSentence, named: list[Column], every: Sequence[Column]) -> list[Column]:
    """A part of another figure, named before it, is what is meant: "card takings" of "takings" and "of which card"."""
    parts = [one for one in every if compiled(words()["part_heading"]).search(one.name) is not None]
    for one in parts:
        for other in named:
            at = sentence.find(pattern_of(other)) if other is not one else None
            before = sentence.text[: at.start()] if at is not None else ""
            part = compiled(rf"(?:{pattern_of(one)})\s+$").search(before)
            if part is not None and at is not None:
                sentence.put(part.start(), at.end(), one.name)
                return [one, *(it for it in named if it not in (one, other))]
    return named


def _not_within_others(sentence: AskedSentence, named: list[Column], pattern: object) -> list[Column]:
    """Who says "reorder level" has not named the "level" as well: the longer name takes the words."""
    if len(named) < 2 or not callable(pattern):
        return named
    spans = {one.name: match.span() for one in named if (match := sentence.find(pattern(one))) is not None}
    return [
        one
        for one in named
        if not any(
            start <= spans[one.name][0]
            and spans[one.name][1] <= end
            and end - start > spans[one.name][1] - spans[one.name][0]
            for other, (start, end) in spans.items()
            if other != one.name
        )
    ]


def meant_by_adjective(sentence: AskedSentence, profile: Profile) -> tuple[Column | None, bool | None]:
    """The column that an adjective speaks of ("dearest", "the least happy"), and whether its most is the most of it."""
    for owner in words()["adjectives"]:
        columns = [one for one in profile.columns if _is_of(one, owner["of"], profile)]
        columns = columns or [one for one in profile.columns if _is_of(one, owner.get("or", ()), profile)]
        for descending in (True, False):
            said = bounded(owner["high" if descending else "low"])
            if len(columns) == 1 and compiled(said).search(sentence.text) is not None:
                sentence.take(said)
                return columns[0], descending
    return None, None


def is_of_something_else(ranking: str) -> bool:
    """Whether a superlative is of lengths, weights or ages: ratings have none."""
    said = [
        one
        for one in words()["adjectives"]
        if not {"rating", "satisfaction", "amount", "date", "people"} & {*one["of"]}
    ]
    return any(compiled(rf"^\W*{bounded(one[end])}").search(ranking) for one in said for end in ("high", "low"))


def _is_of(column: Column, kinds: Sequence[str], profile: Profile) -> bool:
    if "date" in kinds:
        return column is profile.date
    if "rating" in kinds:
        return column is profile.rating
    return column.kind == "number" and any(holds(column, kind) for kind in kinds)


def extreme(sentence: AskedSentence, profile: Profile) -> Measure | None:
    """The highest price is a figure; which shop has the highest is none."""
    for owner in words()["adjectives"]:
        columns = [one for one in profile.of("number") if _is_of(one, owner["of"], profile)]
        ends: tuple[tuple[MeasureKind, str], ...] = (("max", "high"), ("min", "low"))
        for kind, end in ends if len(columns) == 1 else ():
            said = words()["figure_of_most"].replace("ADJ", f"(?:{owner[end]})(?:est)?")
            if not compiled(words()["which"]).search(sentence.text) and sentence.take(said) is not None:
                return Measure(kind, columns[0].name)
    both = all(sentence.find(bounded(words()["measures"][end])) for end in ("max", "min"))
    if both or not hints_at(sentence, "extreme") or sentence.find(bounded(words()["which"])):
        return None
    for kind, pattern in words()["extreme"].items():
        for column in profile.of("number"):
            if sentence.take(pattern.replace("NAME", pattern_of(column))):
                return Measure(kind, column.name)
    return None


def ratio(sentence: AskedSentence, profile: Profile) -> Measure | None:
    """One column by another, as in "energy divided by area"; both by their headings or what such columns are called."""
    if not hints_at(sentence, "ratio") or _is_for_each(sentence, profile):
        return None
    numbers = {one.name: _one_of(one) for one in profile.of("number") if one.scale is None and not one.made}
    named = {name: spelt for name, spelt in numbers.items() if sentence.find(spelt) is not None}
    called = sorted(named, key=lambda name: sentence.find(full_heading(profile.column(name))) is None)
    for top, bottom in permutations(called, 2):
        said = [one.replace("TOP", named[top]).replace("BOTTOM", named[bottom]) for one in words()["ratio"]]
        if [one for one in said if sentence.take(one) is not None]:  # each that says it is read
            sentence.take(words()["rate_of"])
            one = re.escape(in_full(bare_heading(bottom)).split()[-1].casefold().removesuffix("s"))
            sentence.take(rf"(?<![A-Za-z])(?:per|an?|each|for each|for every) {one}(?![A-Za-z])|{one}\s?(?:당|あたり)")
            return Measure("ratio", top, per=bottom)
        times = words()["times"].replace("TOP", named[top]).replace("BOTTOM", named[bottom])
        if sentence.take(times) is not None:
            return Measure("mean" if sentence.take(bounded(words()["measures"]["mean"])) else "sum", top, per=bottom)
    return None


def _one_of(column: Column) -> str:
    """Its names, and a Latin heading in the plural by one of them ("per visitor")."""
    many = column.name.isascii() and column.name.endswith("s")
    return pattern_of(column) + (rf"|(?<![A-Za-z]){re.escape(column.name[:-1])}(?![A-Za-z])" if many else "")


def different(sentence: AskedSentence, profile: Profile) -> list[Measure]:
    """How many shops there are is no number of rows."""
    if not hints_at(sentence, "distinct"):
        return []
    pattern = words()["distinct"]
    spelt = {one.name: pattern_of(one) for one in profile.of("category")}
    coded = [one for one in profile.of("category") if compiled(words()["code_headings"]).search(one.name)]
    for one in [*profile.of("id"), *coded]:
        cells = profile.frame[one.name].drop_nulls()
        if cells.n_unique() < cells.len():  # whoever orders twice is one customer
            spelt[one.name] = f"{pattern_of(one)}|{names_pattern(in_other_words(one.name))}"
    once = sentence.take(words()["each_once"]) is not None
    if once and (person := _numbered_persons(sentence, profile)) is not None:
        return [Measure("distinct", person)]
    found = [Measure("distinct", name) for name, said in spelt.items() if sentence.take(pattern.replace("NAME", said))]
    return found or _persons_of_rows(sentence, profile, asked=once) or _days_of_rows(sentence, profile)


def _numbered_persons(sentence: AskedSentence, profile: Profile) -> str | None:
    """The column that numbers what is counted once each: patients by their 患者番号."""
    for one in profile.columns:
        match = compiled(r"(.{2,12}?)\s?(?:번호|番号|no\.?|number|id)").fullmatch(one.name.strip())
        if match is not None and compiled(re.escape(match[1])).search(sentence.text) is not None:
            return one.name
    return None


def _days_of_rows(sentence: AskedSentence, profile: Profile) -> list[Measure]:
    """How many days there were, where a day has several rows and no column counts days."""
    said, day = words(), profile.date
    lengths = ("hours", "waiting", "nights", "delay")
    in_days = [one for one in profile.of("number") if any(holds(one, kind) for kind in lengths)]
    if day is None or in_days or any(is_counted_so(one, sentence) for one in profile.of("number")):
        return []
    ranked = compiled(bounded(said["superlatives"])).search(sentence.text)  # "on which day of the month …, and when?"
    if ranked or compiled(said["days_lasted"]).search(sentence.text) or profile.frame[day.name].is_unique().all():
        return []
    return [Measure("distinct", day.name)] if sentence.take(said["days_counted"]) is not None else []


def _persons_of_rows(sentence: AskedSentence, profile: Profile, *, asked: bool) -> list[Measure]:
    """Who comes again is one person: how many there are, beside how many rows, where one column alone names them."""
    if not asked and sentence.find(bounded(words()["how_many_persons"])) is None:
        return []
    kinds = compiled(words()["kinds_of_persons"])
    columns = [one for one in profile.of("category") if is_of_persons(one) and not kinds.search(one.name)]
    columns = [one for one in columns if any(holds(one, kind) for kind in ("named", "person", "payer"))]
    if len(columns) != 1 or len(columns[0].values) < _SOME_PERSONS or people.counted(sentence, profile) is not None:
        return []
    return [Measure("distinct", columns[0].name)]


def what_is_counted(
    sentence: AskedSentence, profile: Profile, named: list[Column], kinds: list[MeasureKind]
) -> tuple[list[Column], list[MeasureKind], list[str]]:
    """People and things that a column counts are no rows. The last are words for what no column counts."""
    summed: list[MeasureKind] = ["sum" if one == "count" else one for one in kinds]
    crowd = compiled(bounded(words()["crowd"])).search(sentence.text)
    if crowd is not None and not any(holds(one, "people") for one in profile.of("number")):
        sentence.blank(*crowd.span())
        return named, kinds, [crowd.group()]
    persons = people.counted(sentence, profile)
    if persons is not None and (not named or named == [persons]):
        beside: list[MeasureKind] = ["count"] if people.take(sentence, profile) else []
        return [persons], [*beside, *(summed or ["sum"] * len(beside))], people.without_something(sentence)
    return _what_was_sold(sentence, profile, named, kinds, summed)


def _what_was_sold(
    sentence: AskedSentence,
    profile: Profile,
    named: list[Column],
    kinds: list[MeasureKind],
    summed: list[MeasureKind],
) -> tuple[list[Column], list[MeasureKind], list[str]]:
    """See what_is_counted: so many pieces of it, and for how much."""
    sold = sentence.find(bounded(words()["sold"]))
    headings = "|".join(full_heading(one) for one in profile.columns)
    if sold is not None and headings and compiled(headings).match(sentence.text, sold.start()) is not None:
        sold = None  # "sales channel"
    if sold is not None and compiled(words()["rows_sold"]).match(sentence.text, sold.start()) is not None:
        sentence.blank(*sold.span())
        sold = None  # how often something was
    if sold is not None:
        sentence.blank(*sold.span())
    numbers = profile.of("number")
    in_stock = any(holds(one, "reorder") or holds(one, "stock") for one in numbers)  # what is there was not sold
    counted = [one for one in numbers if holds(one, "quantity")]
    of_sales = [one for one in counted if compiled(words()["happened"]["sale"]).search(one.name)]
    quantity = None if in_stock else next(iter([*of_sales, *counted]), None)
    there = [one for one in numbers if holds(one, "stock") and not holds(one, "reorder")]
    if "count" in kinds and not named and len(there) == 1 and sentence.find(words()["pieces_left"]) is not None:
        return there, summed, []
    if quantity in named:  # the jars of "jars sold" are no other figure
        at = compiled(bounded(words()["sold"])).search(sentence.text)
        before = sentence.text[: at.start()] if at is not None else ""
        named = [one for one in named if one is quantity or not compiled(rf"(?:{pattern_of(one)})\s+$").search(before)]
    taken = sentence.find(words()["takes_in"]) is not None and "count" in kinds and named in ([], [quantity])
    if taken and quantity is not None and (money := money_that_is_meant(sentence, profile, surely=True)) is not None:
        return [quantity, money], list(dict.fromkeys(summed)), []  # "what did we take, and how many were sold?"
    if sold and quantity is not None and "count" in kinds and named and all(holds(one, "amount") for one in named):
        return [quantity, *named], list(dict.fromkeys(summed)), []  # how many were sold, and for how much
    if sold and quantity is not None and not [one for one in named if one is not quantity]:
        return [quantity], summed or ["sum"], []
    by_unit = asked_in(AskedSentence(sentence.text), profile) if sold else None  # nights "went", and nothing was sold
    nothing_sold = sold and quantity is None and (by_unit is None or by_unit not in named)
    missing = [sold.group()] if sold and nothing_sold and (in_stock or not kinds) else []
    return named, summed if named and holds(named[0], "quantity") else kinds, missing


def decimals(sentence: AskedSentence) -> int:
    """To how many of them the figures are told."""
    match = sentence.take(words()["decimals"])
    if match is None and sentence.take(words()["whole"]):
        return 0
    said = next((one for one in match.groupdict().values() if one), "2") if match else "2"
    return min(int(words()["digits"].get(said.lower(), said)), _MOST_DECIMALS)


def is_summed(column: Column, sentence: AskedSentence) -> bool:
    """As is_added, and whatever stands for what is added where it is spoken of ("the takings" of a column of fees)."""
    if is_added(column) or is_asked_how_many(column, sentence):
        return True
    own = [one for one in column.also if one not in names_of(replace(column, also=()))]
    return any(compiled(name_pattern(one)).search(sentence.text) for one in own)


def is_added(column: Column) -> bool:
    """Whether one adds up its figures, rather than taking their mean."""
    if column.taken_together:
        return True
    if column.scale is not None or any(holds(column, kind) for kind in words()["averaged"]):
        return column.scale is None and any(holds(column, kind) for kind in words()["added"] if kind != "price")
    return any(holds(column, kind) for kind in (*words()["added"], "amount")) or is_counted(column)


def is_counted(column: Column) -> bool:
    """Whether the heading says that things are counted in it, however few they are."""
    return compiled(words()["counting_headings"]).search(column.name.strip()) is not None


def beside_share(share: Measure, kinds: Sequence[MeasureKind], named: Sequence[Column]) -> list[Measure]:
    """A share, and the other figure that is asked for with it: of the column that is named, or what is shared out."""
    if share.kind == "portion" and share.column is not None and {"count", "sum"} & set(kinds):
        return [Measure("sum", share.column), share]
    parts = {one.column for one in share.part}
    column = named[0] if named and (named[0].name not in parts or named[0].scale is not None) else None
    return [*(Measure(one, column.name) for one in kinds if column and one in ("mean", "median")), share]


def ratio_of_before(sentence: AskedSentence, profile: Profile, before: Request | None) -> Measure | None:
    """The figure of before for each of something that a column counts ("and per night?")."""
    told = next((one.column for one in before.measures if one.column), None) if before is not None else None
    return _for_each_one(sentence, profile, told)


def _for_each_one(sentence: AskedSentence, profile: Profile, told: str | None) -> Measure | None:
    for column in profile.of("number") if told is not None and not _is_for_each(sentence, profile) else ():
        units = [unit for kind, unit in words()["units"].items() if kind != "quantity" and holds(column, kind)]
        per = words()["per_one"].replace("NAME", "|".join([_one_of(column), *units]))
        if column.name != told and sentence.take(per) is not None:
            return Measure("ratio", told, per=column.name)
    return None


def _is_for_each(sentence: AskedSentence, profile: Profile) -> bool:
    """Whether a column that is one for each of something is named by all of its heading ("price per night")."""
    named = [one for one in profile.of("number") if compiled(words()["per_heading"]).search(one.name)]
    return any(sentence.find(full_heading(one)) is not None for one in named)


def averaged_over(sentence: AskedSentence, profile: Profile) -> Measure | None:
    """That a day, a week, a month or a person is meant, each of which has so much on average, where something is added
    up or rows are counted. Its words are taken before the days are read, and the names of values ("하루" is a dog)."""
    persons = [one for one in profile.of("category") if is_of_persons(one)]
    # so much for a customer is no matter of who served them
    persons = [one for one in persons if holds(one, "named") or holds(one, "person") or sentence.find(pattern_of(one))]
    for each, pattern in words()["on_average"].items():
        match = sentence.find(pattern)
        per = (persons[0] if len(persons) == 1 else None) if each == "person" else profile.date
        said = rf"{pattern}|(?<![A-Za-z])per {each}(?![A-Za-z])"
        if match is None or per is None or any(compiled(said).search(one.name) for one in profile.columns):
            continue
        money = the_money(profile) is not None and speaks_of_money(sentence)
        counted = sentence.find(bounded(words()["measures"]["count"])) is not None
        if counted or money or any(is_summed(one, sentence) for one in named_numbers(sentence, profile)):
            sentence.blank(*match.span())
            return Measure("ratio", per=per.name, each=each)
    return None


def on_average(sentence: AskedSentence, profile: Profile, over: Measure) -> Measure | None:
    """What is added up, or how many rows there are, by how many days or persons (`over`): no mean of the rows."""
    named = [one for one in named_numbers(sentence, profile) if is_summed(one, sentence)]
    money = the_money(profile) if not named and speaks_of_money(sentence) else None
    column = named[0] if named else money
    if column is None and sentence.find(bounded(words()["measures"]["count"])) is None:
        return None
    for kind in ("mean", "count" if column is None else "sum"):
        while sentence.take(bounded(words()["measures"][kind])) is not None:
            pass
    return replace(over, column=column.name if column is not None else None)


def for_each_one(sentence: AskedSentence, profile: Profile, named: Sequence[Column]) -> Measure | None:
    """What is named for each of something that a column counts ("the price per night")."""
    told = next((one.name for one in named if one.scale is None), None)
    return _for_each_one(sentence, profile, told)
