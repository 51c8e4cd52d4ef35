"""Bounds on numbers that a sentence names: of the rating, of a column that it names, of the money that was paid."""

import re
from collections.abc import Collection, Sequence

from packs.marketing.asking.amounts import MAGNITUDE, linked, numbers_of
from packs.marketing.asking.leaving_out import is_left_out
from packs.marketing.asking.leftover import outside_blank
from packs.marketing.asking.naming import full_heading, holds, name_pattern, names_of, pattern_of, unit_of
from packs.marketing.asking.phrasing import (
    AskedSentence,
    bounded,
    compiled,
    is_bound,
    number_of,
    number_pattern,
    words,
)
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import OTHER_SIDE, Filter, Group, Op

_FEW = 12
"""Different numbers of a column that are rather names."""


def bounds_of(sentence: AskedSentence, profile: Profile, spoken: Sequence[str] = ()) -> list[Filter]:
    """Of the columns that are named or measured so, then of the rating."""
    found: list[Filter] = []
    bounds = any(sentence.find(words()[one]) for one in ("perfect", "nought", "magnitudes", "free_of_charge"))
    if not bounds and sentence.find(number_pattern()) is None:
        return found
    numbers = [column for column in profile.of("number") if column.scale is None]
    for column in sorted(numbers, key=lambda one: len(one.name), reverse=True):
        found += _nought(sentence, column)
    visits = [one for one in numbers if compiled(words()["visits"]).search(one.name)]
    if not found and len(visits) == 1 and sentence.take(words()["nought"]) is not None:
        found.append(Filter(visits[0].name, "in", (0.0,)))
    found += _free(sentence, profile)
    found += _decades(sentence, numbers)
    found += linked(sentence, profile, spoken)
    if profile.rating is not None:
        found += _ratings(sentence, profile.rating, spoken=profile.rating.name in spoken)
    return found


def measured_values(sentence: AskedSentence, profile: Profile) -> tuple[list[Filter], list[Group]]:
    """Values of a column of few numbers, with the unit that its heading has ("the 50 kW chargers"); two are sides."""
    for column in profile.of("number"):
        units = [one for one in re.split(r"[\s_()\[\]/]+", column.name.casefold()) if one in words()["heading_units"]]
        units += [column.name] if re.fullmatch("[가-힣一-龯]", column.name) else []  # 3층 of a column 층
        units += [one for one in (unit_of(column),) if one and one in words()["counters_of_kinds"]]  # 2박 of 박수
        kinds = units and (column.scale is None or column.name in units)
        values = profile.frame[column.name].drop_nulls().unique() if kinds else None
        if values is None or values.len() > _FEW:
            continue
        pattern = rf"(?<![\d.])(\d+(?:\.\d+)?)\s?(?:{'|'.join(map(re.escape, units))})(?![A-Za-z])"
        pattern += rf"(?!{words()['per_unit'].removesuffix('$')})"
        found = [one for one in compiled(pattern).finditer(sentence.left) if float(one[1]) in set(values.to_list())]
        found = [one for one in found if not is_bound(sentence.text, one.end(), one.start())]
        headed = [one.span() for it in profile.columns for one in compiled(full_heading(it)).finditer(sentence.text)]
        found = [one for one in found if not any(start <= one.start() < end for start, end in headed)]  # of "1泊料金"
        for match in found:
            sentence.blank(*match.span())
        if found:
            kept = Filter(column.name, "in", tuple(dict.fromkeys(float(one[1]) for one in found)))
            return [kept], [Group(column.name, steps=True)] if len(kept.values) > 1 else []
    return [], []


def _nought(sentence: AskedSentence, column: Column) -> list[Filter]:
    """As in "재택 하루도 안 하는"."""
    around = words()["nought_around"].replace("NAME", pattern_of(column))
    if sentence.take(rf"(?:{pattern_of(column)})(?:\S{{0,2}})\s*(?:{words()['nought']})|{around}"):
        return [Filter(column.name, "in", (0.0,))]
    return []


def _free(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """What cost nothing, where the one column of money says so of some."""
    money = [one for one in profile.of("number") if one.scale is None and holds(one, "amount")]
    if len(money) != 1 or profile.frame[money[0].name].min() != 0:
        return []
    taken = sentence.take(words()["free_of_charge"])
    while taken is not None and sentence.take(words()["free_of_charge"]) is not None:
        pass
    return [Filter(money[0].name, "in", (0.0,))] if taken is not None else []


def _decades(sentence: AskedSentence, numbers: list[Column]) -> list[Filter]:
    """People in their twenties, where ages are told in years."""
    ages = [one for one in numbers if holds(one, "age")]
    if len(ages) != 1 or (match := sentence.take(words()["decade"])) is None:
        return []
    first = float(next(one for one in match.groups() if one))
    return [Filter(ages[0].name, "ge", (first,)), Filter(ages[0].name, "le", (first + 9,))]


def _ratings(sentence: AskedSentence, column: Column, *, spoken: bool) -> list[Filter]:
    """`spoken`: it was bounded just before, and a number by itself is one of it."""
    said, number = words(), number_pattern()
    unit, stars = said["rating_unit"], rf"(?:{said['stars']}|{pattern_of(column)})(?:이|가|을|를|が|を|は)?"
    high = float(column.scale.high) if column.scale else 0.0
    found: list[Filter] = []
    if sentence.take(said["perfect"]):
        found.append(Filter(column.name, "in", (high,)))
    span = rf"({number}){unit}?\s*{said['between']}\s*({number}){unit}"
    named_span = rf"{stars}\s*({number})\s*{said['between']}\s*({number})(?![\d.])"
    if match := sentence.take(span) or sentence.take(named_span):
        found.append(Filter(column.name, "ge", (number_of(match[1]),)))
        found.append(Filter(column.name, "le", (number_of(match[2]),)))
    for op, after in said["after"].items():
        named = rf"{stars}\s*(?:of |at |is |was |with )?({number})(?:{unit}|\s?개|つ)?(?:짜리)?\s*(?:{after})"
        given = rf"(?<![A-Za-z])(?:gave|gives?|given|giving|rated|scored)\b[^.?!]{{0,40}}?\s({number})\s+(?:{after})"
        plain = rf"(?<!平均)(?<![\dA-Za-z가-힣.])({number}){unit}{'?' if spoken else ''}(?:짜리)?\s*(?:{after})"
        if match := sentence.take(rf"{named}|{plain}|{given}"):
            found.append(Filter(column.name, op, (number_of(match[1] or match[2] or match[3]),)))
    for op, before in said["before"].items():
        behind = rf"{stars}\s+(?:is |was |of )?(?:{before})\s+({number})"
        if match := sentence.take(rf"(?<![A-Za-z])(?:{before})\s+({number}){unit}|{behind}"):
            found.append(Filter(column.name, op, (number_of(match[1] or match[2]),)))
    return found or _exactly(sentence, column, unit, stars, number, spoken=spoken)


def _exactly(
    sentence: AskedSentence, column: Column, unit: str, stars: str, number: str, *, spoken: bool
) -> list[Filter]:
    """As in "별 하나나 둘", "9점 아니면 10점", "exactly 1", "10s"; those that are left out as such."""
    either, particle = words()["either"], r"?(?=\s|[을를이가은는도만だでのをはがも]|[?.,!]|$)"
    if compiled(words()["sides"]).search(sentence.text) is None:
        either = rf"(?:{either}|{words()['as_well']})"
    given = r"(?<![A-Za-z])(?:gave|given|giving|gives?|rated|rating|scored|scoring|scores?)\b[^.?!]{0,24}?\s"
    for pattern in (
        rf"{stars}\s*({number})(?:개|점|つ)?{words()['as_well']}{stars}\s*({number})(?:개|점|つ)?",
        rf"{given}({number})\s+(?:or|and)\s+({number})(?![\w.])",
        rf"(?<![\w.-])({number}){unit}?{either}({number}){unit}{particle if spoken else ''}",
        rf"{stars}\s*({number})(?:개|점)?{either}({number})(?:개|점)?(?=\s|만|[을를이가은는だでのをはが]|[?.,!]|$)",
        rf"(?<!平均)(?<![\dA-Za-z가-힣.-])({number}){unit}(?:짜리)?(?!\S*급)",
        rf"(?<![A-Za-z])(?:exactly|just|only|(?:gave|given|giving)(?: it| us| them)?(?: an?)?)\s+({number})(?![\w.])",
        rf"{stars}\s*(?:of |at |with |=|: )?\s*(?:just |an? )?({number})개?(?![\d.]|\s?(?:등|위|번째))(?=\D|$)",
        r"(?<![A-Za-z\d.가-힣一-龯])(\d{1,3})['\u2019]?s\b",
    ):
        if (match := sentence.find(pattern)) and not is_bound(sentence.text, match.end()):
            left_out = is_left_out(sentence, *match.span())
            sentence.blank(match.start(1) if pattern.startswith(given) else match.start(), match.end())
            values = tuple(number_of(one) for one in match.groups() if one)
            return [Filter(column.name, "not_in" if left_out else "in", values)]
    return []


def opinions(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """The bad ones and the good ones, by where the scale of the rating says that an opinion begins."""
    column = profile.rating
    if column is None or column.scale is None:
        return []
    if sentence.take(bounded(words()["bad_ones"])):
        return [Filter(column.name, "le", (float(column.scale.negative_to),))]
    if sentence.take(bounded(words()["good_ones"])):
        return [Filter(column.name, "ge", (float(column.scale.positive_from),))]
    return []


def take_opinions(sentence: AskedSentence) -> None:
    """Why they are unhappy is why what they gave is low: nothing more is said by it."""
    for said in ("bad_ones", "bad_alone", "good_ones", "good_alone"):
        sentence.take(bounded(words()[said]))


def first_places(sentence: AskedSentence) -> tuple[int, str] | None:
    """How many come first in "the first and the second", and its words."""
    places = sentence.take(words()["first_places"])
    return (int(places["last"]), places.group().strip()) if places is not None else None


def place(sentence: AskedSentence) -> int | None:
    """Which place is asked for ("the second best"): its word becomes that for the first, behind which it is told."""
    for language, first in (("ko", "가장"), ("en", ""), ("ja", "一番")):
        match = sentence.find(words()["places"][language])
        if match is None:
            continue
        said = next(one for one in match.groupdict().values() if one)
        start, end = match.span()
        sentence.put(start, end, first.ljust(end - start) if language == "ko" else first.rjust(end - start))
        return int(words()["nth_of"][said.lower()])
    return None


def many_of_the_most(sentence: AskedSentence) -> int | None:
    """As in "the five most expensive"."""
    match = sentence.take(words()["many_most"].replace("N", number_pattern()))
    return int(number_of(match["n"])) if match is not None else None


def of_figures(sentence: AskedSentence, profile: Profile) -> tuple[Op, float] | None:
    """A bound on the mean or the sum of a group, where a column of groups is named behind it: no row is bounded by it
    ("branches with an average rating above 4")."""
    if not any(compiled(pattern_of(one)).search(sentence.text) for one in profile.of("category")):
        return None
    said = words()
    before, after = ("|".join(f"(?:{one})" for one in said[key].values()) for key in ("before", "after"))
    for column in profile.of("number"):
        pattern = said["figure_bound"].replace("NAME", pattern_of(column)).replace("BEFORE", before)
        match = sentence.find(pattern.replace("AFTER", after).replace("N", number_pattern()))
        for key, words_of in (("before", said["before"]), ("after", said["after"])):
            bound = match[key] if match is not None else None
            op = next((op for op, one in words_of.items() if bound and compiled(one).fullmatch(bound)), None)
            if match is not None and op is not None:
                number = match.group("number")
                for name in ("number", key):
                    sentence.blank(*match.span(name))
                return op, number_of(number)
    return None


def only_opinions(sentence: AskedSentence, profile: Profile) -> list[Filter] | None:
    """Good or bad ones and no others ("just the unhappy ones"); nothing where nobody says so, and None where it is said
    of a table without ratings."""
    said, column = words(), profile.rating
    for alone, bad in ((said["bad_alone"], True), (said["good_alone"], False)):
        pattern = rf"{bounded(alone)}{said['only_after']}|{said['only_before']}{bounded(alone)}"
        if sentence.take(pattern):
            if column is None or column.scale is None:
                return None
            op: Op = "le" if bad else "ge"
            return [Filter(column.name, op, (float(column.scale.negative_to if bad else column.scale.positive_from),))]
    return opinions(sentence, profile)


def of_both(sentence: AskedSentence, profile: Profile, filters: Sequence[Filter]) -> list[Filter]:
    """The bound of one column for the other one as well ("70 or more in both English and science"), or of all subjects
    that there are."""
    bounds = [one for one in filters if one.op in OTHER_SIDE]
    others = [one for one in profile.of("number") if one.name not in {it.column for it in bounds}]
    named = [one for one in others if sentence.find(pattern_of(one)) is not None]
    if len(bounds) != 1 or len(named) != 1 or sentence.take(words()["of_both"]) is None:
        return []
    sentence.take(pattern_of(named[0]))
    return [Filter(named[0].name, bounds[0].op, bounds[0].values)]


def of_all_subjects(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """One bound for each of the columns that are subjects ("80 or more in all four subjects")."""
    subjects = [one for one in profile.of("number") if holds(one, "one_subject")]
    subjects = [one for one in subjects if sentence.find(pattern_of(one)) is not None] or subjects
    if len(subjects) < 2 or (match := sentence.find(bounded(words()["of_all_subjects"]))) is None:
        return []
    bounds = [one for one in numbers_of(sentence) if not one.loose]
    if len(bounds) != 1 or len(bounds[0].values) != 1:
        return []
    sentence.blank(*match.span())
    sentence.blank(*bounds[0].span)
    return [Filter(one.name, bounds[0].op, bounds[0].values) for one in subjects]


def rows_of_groups(sentence: AskedSentence, rows: Collection[str] = ()) -> tuple[Op, float] | None:
    """A bound on the rows of a group ("후기 10개 넘게 쌓인 지점"); `rows` are words for what a row is."""
    latin = "|".join(re.escape(one) for one in rows if one.isascii()) or "(?!)"
    number, unit = number_pattern(), rf"(?:{words()['rows_unit']}|\s(?:{latin})s?(?![A-Za-z]))"
    found: tuple[Op, float] | None = None
    for op, after in words()["after"].items():
        match = sentence.find(rf"(?<![A-Za-z\d.가-힣一-龯])({number}){unit}(?:{after})[가-힣ぁ-ん]*")
        if match is not None and not _of_single_rows(sentence.text[match.end() :], rows):
            sentence.blank(*match.span())
            found = (_of_those_kept(sentence, match, op), number_of(match[1]))
        behind = rf"(?:\s(?:of (?:the |our )?)?(?:{latin})s?|{words()['rows_unit']})(?![A-Za-z])"
        if found is None and (match := sentence.take(rf"(?<![A-Za-z\d.])({number})\s(?:{after}){behind}")) is not None:
            found = (_of_those_kept(sentence, match, op), number_of(match[1]))  # "5 or more jobs"
    for op, before in words()["before"].items():
        if (match := sentence.take(rf"(?<![A-Za-z])(?:{before})\s+({number}){unit}")) is not None:
            found = (_of_those_kept(sentence, match, op), number_of(match[1]))
    return found


def _of_single_rows(behind: str, rows: Collection[str]) -> bool:
    """Whether what is so many is said of rows, and not of groups of them: "10개 넘게 버린 기록"."""
    called = "|".join([*(re.escape(one) for one in rows if not one.isascii()), words()["any_row"]])
    korean = rf"\s?(?:[가-힣]{{1,5}}[은는던한된린긴]\s)?(?:{called})(?!{words()['done_by']})"
    return compiled(rf"{korean}|[ぁ-ん一-龯]{{0,5}}[たる]の?(?:{called})").match(behind) is not None


def _of_those_kept(sentence: AskedSentence, bound: re.Match[str], op: Op) -> Op:
    """The bound of the groups that stay, where those within it are left out."""
    before, behind = words()["leaves_out"]
    left = compiled(before).search(sentence.text[: bound.start()])
    right = compiled(behind).match(sentence.text, bound.end())
    for match in filter(None, (left, right)):
        said = re.search(r"[A-Za-z]+(?: out)?|[빼뺀제除外抜][가-힣ぁ-ん一-龯]*", match.group())
        if said is not None:
            sentence.blank(match.start() + said.start(), match.start() + said.end())
    return OTHER_SIDE.get(op, op) if left or right else op


def numbers_left(sentence: AskedSentence, profile: Profile) -> list[str]:
    """Numbers that nothing has read: a bound may have been meant by them. What stands in brackets behind what was read
    says it once more ("3분기(7~9월)"); those of a heading ("gas_m3") name it."""
    for column in profile.columns:
        for name in (column.name, *names_of(column)):
            while any(letter.isdigit() for letter in name) and sentence.take(name_pattern(name)):
                pass
    for match in compiled(r"[(（][^()（）]{0,24}[)）]").finditer(sentence.left):
        at = match.start() - 1
        if at >= 0 and sentence.text[at].strip() and not sentence.left[at].strip():
            sentence.blank(*match.span())
    left = compiled(rf"\d[\d,.]*(?:{MAGNITUDE})\w{{0,3}}|(?<![\w]){MAGNITUDE[3:-1]}\s?원").finditer(
        outside_blank(sentence, strict=True)
    )
    return [re.sub(r"\s+", " ", match.group()).strip() for match in left]
