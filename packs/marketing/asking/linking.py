"""Which values of the table a question names."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache

import polars as pl

from packs.marketing.asking.leaving_out import is_left_out
from packs.marketing.asking.lexicon import alike as alike_words
from packs.marketing.asking.naming import (
    NAME,
    OWN,
    also_called,
    bare_heading,
    begun_with_values,
    by_its_sign,
    full_heading,
    headings_of,
    is_figure_of_speech,
    is_joined,
    is_of_persons,
    is_told_apart,
    name_pattern,
    names_of,
    names_pattern,
    pattern_of,
    yes_and_no,
)
from packs.marketing.asking.phrasing import TAKEN, AskedSentence, compiled, plain, plain_words, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group
from packs.marketing.asking.sounding import by_sound
from packs.marketing.asking.spelt import FAMILY, own_parts, pieces_of, spelling, stems

_ANY = re.compile(
    r"(?<!얼마)(?<!칠)(?<!몇 [명개번건회대분])(?<!몇[명개번건회대분])(?:이나|(?<!이)나|또는|혹은|아니면)\s"
    r"|\bor\b|(?<![いるたのす])か(?=、|(?![知教分調確見])[一-龯ァ-ヶA-Za-z])|または|もしくは"
)
_SHAPED = re.compile(r"\d{3,}")
_NAME = (2, 4)
"""Letters from which a name of a row is known by itself: of any, and of a Latin one."""
_SEXES = {"m": "male", "f": "female"}


def link_values(
    sentence: AskedSentence, profile: Profile, named: Sequence[Column] = ()
) -> tuple[list[Filter], list[Group]]:
    """A filter for each column of which values are named; of several that are not "or" a group is made as well. Of the
    columns that name single rows (`named`) only names that stand there are looked for."""
    filters: list[Filter] = []
    groups: list[Group] = []
    categories = profile.of("category")
    names_there = [it for one in named if (it := with_those_there(one, sentence.text, profile)).values]
    take_included(sentence, categories)
    spoken = [one for one in categories if is_told_apart(one, categories, sentence)]
    by_sound(sentence, spoken)
    names = {plain(name) for one in profile.columns for name in names_of(one)}
    headings = {plain(name) for one in profile.columns for name in headings_of(one)}
    as_said, as_it_was = sentence.text, sentence.left
    longer = [name for one in profile.of("number") for name in names_of(one) if " " in name]
    longer += begun_with_values(profile.of("number"), categories)
    spans = [one.span() for name in longer for one in compiled(name_pattern(name)).finditer(sentence.left)]
    spans += [
        one.span() for one in compiled(rf"(?:{words()['apart']})(?! from)").finditer(sentence.left)
    ]  # no 차 of 차이
    for start, end in spans:
        sentence.blank(start, end)  # of "monthly fees" the first word is no value
    filters += _on_the_way(sentence, spoken)
    on_the_way = {one.column for one in filters}
    for column in [*names_there, *_own_first(sentence, [one for one in spoken if one.name not in on_the_way])]:
        others = {plain(value) for one in categories if one.name != column.name for value in one.values}
        as_whole = sentence.left
        longer_ones = _longer(sentence, column, categories)
        for start, end in longer_ones:
            sentence.blank(start, end)
        kept, left_out = _named(sentence, column, names, headings, others)
        for start, end in longer_ones:
            sentence.put_back(as_whole, start, end)
        if left_out:
            filters.append(Filter(column.name, "not_in", tuple(left_out)))
        if kept:
            filters.append(Filter(column.name, "in", tuple(kept)))
            if len(kept) > 1 and (not _ANY.search(sentence.text) or compiled(words()["told_apart"]).search(as_said)):
                groups.append(Group(column.name))
    for start, end in spans:
        sentence.put_back(as_it_was, start, end)
    order = [one.name for one in (*spoken, *names_there)]
    return sorted(filters, key=lambda one: order.index(one.column)), groups


def _longer(sentence: AskedSentence, column: Column, categories: Sequence[Column]) -> list[tuple[int, int]]:
    """Where values of several words of other columns stand: a part of one is no part of one of these."""
    low, own = sentence.left.casefold(), column.values
    found = (it for one in categories if one is not column for it in one.values if " " in it and it not in own)
    return [
        match.span()
        for value in found
        if value.casefold() in low
        for match in compiled(spelling(value)).finditer(sentence.left)
    ]


def with_those_there(column: Column, text: str, profile: Profile) -> Column:
    """The column with the names of rows that the text has; a Latin one of a single small word is any word."""
    known = {plain(name) for one in profile.columns for name in (*names_of(one), *one.values)}
    cells = profile.frame.select(pl.col(column.name).drop_nulls().unique())
    bare = pl.col(column.name).str.normalize("NFKC").str.to_lowercase().str.replace_all(r"[\s\-_]+", "")
    there = cells.filter(pl.lit(plain(text)).str.contains(bare, literal=True))[column.name].to_list()
    there = [one for one in there if len(one) >= _NAME[one.isascii()] and not one.isnumeric()]
    there = [one for one in there if plain(one) not in known and plain(one) not in plain_words()]
    return replace(column, values=tuple(one for one in there if not (one.islower() and one.isascii())))


def in_brackets(sentence: AskedSentence, profile: Profile) -> None:
    """A word that brackets behind it explain by a heading or a value is read as that: "coupon (쿠폰)". The figure that
    is asked for of it stays ("平均時間(minutes)")."""
    known = {
        plain(name): (one.name, names_of(one)) for one in profile.columns for name in (bare_heading(one.name), one.name)
    }
    values = {plain(value): value for one in profile.of("category") if not yes_and_no(one) for value in one.values}
    figures = compiled("|".join(words()["measures"][one] for one in ("mean", "median", "sum")))
    for match in reversed(list(compiled(words()["explained"]).finditer(sentence.text))):
        heading, _, value = match["name"].partition("=")
        figure = figures.match(match["word"])
        start = match.start() + (figure.end() if figure is not None and figure.end() < len(match["word"]) else 0)
        name, also = known.get(plain(heading), (values.get(plain(heading), ""), ()))
        also = (*also, *also_called(name), *alike_words(name))
        spoken = "|".join(spelling(one) for one in also if " " in one) or "(?!)"
        longer = compiled(rf"(?:{spoken})\s?$").search(sentence.text[: match.start("name") - 1])  # "safety stock (…)"
        called = longer is not None or plain(match["word"]) in map(plain, also)
        if not name or (plain(heading) not in known and (not called or plain(match["word"]) in values)):
            continue  # another word than its own goes with what stands in brackets
        if any(letter.isdigit() for letter in name):
            name = bare_heading(name) or name  # "(1-10)" bounds nothing
        sentence.put(longer.start() if longer else start, match.end(), f"{name} = {value.strip()}" if value else name)


def take_whatever(sentence: AskedSentence, profile: Profile) -> None:
    """What a row may be narrows nothing, nor do other values of its column right before that ("취소 반품 구분없이")."""
    match = sentence.take(words()["whatever"])
    for column in profile.of("category") if match is not None else ():
        spelt = "|".join(spelling(name) for value in column.values for name in (value, *also_called(value)))
        if match is not None and compiled(spelt).search(match.group()) is not None:
            while listed := compiled(rf"(?:{spelt})[\s,·/]*$").search(sentence.left[: match.start()].rstrip(TAKEN)):
                sentence.blank(*listed.span())


def take_included(sentence: AskedSentence, categories: Sequence[Column]) -> None:
    """Values and columns that are only said to count as well ("cancelled ones included") narrow nothing."""
    if sentence.find(words()["hints"]["included"]) is None:
        return
    for column in categories:
        if yes_and_no(column) is not None and not _states() & {plain(one) for one in names_of(column)}:
            continue  # "breakfast included" is so; cancelled ones only count as well
        spelt = [spelling(name) for value in column.values for name in (value, *also_called(value))]
        name = f"(?:{'|'.join([*spelt, pattern_of(column)])})"
        for pattern in words()["included"]:
            sentence.take(pattern.replace("NAME", name))


@cache
def _states() -> frozenset[str]:
    return frozenset(map(plain, words()["states"]))


def _own_first(sentence: AskedSentence, categories: Sequence[Column]) -> list[Column]:
    """First those whose whole heading stands there; of columns that share values ("from", "to") the one that is spoken
    of by a name the others do not have."""
    counts = Counter(value for one in categories for value in one.values)
    shared = [one for one in categories if any(counts[value] > 1 for value in one.values)]
    headed = [one for one in categories if sentence.find(full_heading(one)) is not None]
    whole = [one for one in categories if any(is_joined(value, sentence.text) for value in one.values)]
    names = {one.name: {plain(name) for name in names_of(one)} for one in shared}

    def is_spoken_of(column: Column) -> bool:
        others = set().union(*(names[one.name] for one in shared if one is not column))
        own = [name for name in names_of(column) if plain(name) not in others]
        return bool(own) and sentence.find(names_pattern(own)) is not None

    return sorted(
        categories, key=lambda one: (one not in whole, not (one in shared and is_spoken_of(one)), one not in headed)
    )


def _on_the_way(sentence: AskedSentence, categories: Sequence[Column]) -> list[Filter]:
    """Of two columns that share their values, one of where something comes from and one of where it goes, the values
    that are said as either ("서울에서 부산으로", "to Busan")."""
    found: list[Filter] = []
    for way in words()["ways"].values():
        columns = [one for one in categories if compiled(way["heading"]).search(one.name)]
        others = {value for one in categories if one not in columns for value in one.values}
        if len(columns) != 1 or len(others & set(columns[0].values)) < FAMILY:
            continue
        spelt = {value: "|".join(map(spelling, (value, *also_called(value)))) for value in columns[0].values}
        for value, said in spelt.items():
            before, behind = rf"(?<![A-Za-z])(?:{way['before']})\s+(?:{said})", rf"(?:{said})\s?(?:{way['behind']})"
            if (match := sentence.take(f"{before}|{behind}")) is not None:
                left_out = is_left_out(sentence, *match.span())
                found.append(Filter(columns[0].name, "not_in" if left_out else "in", (value,)))
    return found


def unknown_values(sentence: AskedSentence, profile: Profile) -> list[str]:
    """What is spelt like a value with a number in it ("film-74930") and is none: told, never passed over."""
    shapes = {
        re.sub(r"\d+", r"\\d+", re.escape(unhyphened(value)).replace(r"\ ", r"[\s\-_]*"))
        for column in profile.of("category")
        for value in column.values
        if _SHAPED.search(value) and not value[:1].isdigit()
    }
    found: list[str] = []
    for shape in shapes:
        while (match := sentence.take(rf"(?<![A-Za-z]){shape}(?!\d)")) is not None:
            found.append(match.group())
    return found


def alike(profile: Profile, unknown: Sequence[str]) -> tuple[str, ...]:
    """Examples of values for a name that is none: of the column whose values begin as it does, else of the first."""
    columns = profile.of("category")
    begun = tuple(plain(one)[:2] for one in unknown)
    near = (one for one in columns if any(plain(value).startswith(begun) for value in one.values))
    found = next(near, None) if begun else None
    return (found or columns[0]).values[:5] if columns else ()


def unhyphened(value: str) -> str:
    return re.sub(r"[\-_]+", " ", value)


def _named(
    sentence: AskedSentence,
    column: Column,
    names: Collection[str],
    headings: Collection[str],
    others: Collection[str],
) -> tuple[list[str], list[str]]:
    """Values that are kept, and those that are left out. `names` are those of columns, and `headings` what stands over
    them; `others` are values of other columns, which no part of one of these is taken for."""
    kept: list[tuple[int, int, str]] = []
    without: list[tuple[int, int, str]] = []
    noted = compiled(words()["note_headings"]).search(column.name) is not None  # a note goes by all that it says
    noted |= column.kind != "category"  # and so does the name of a row
    shortest = NAME if is_of_persons(column) else OWN
    parts, pieces = ({}, {}) if noted else (own_parts(column.values, shortest), pieces_of(column.values))
    own = set(map(plain, column.values))
    for value in sorted(column.values, key=len, reverse=True):
        also = [*also_called(value), *by_its_sign(value, column)]
        also += [one for one in alike_words(value) if plain(one) not in names]
        if own == set(_SEXES):
            also += [_SEXES[plain(value)], *also_called(_SEXES[plain(value)])]
        also = [one for one in also if plain(one) not in own and plain(one) not in others]
        if (decade := re.match(r"([1-9]0)\s?(?:대|代|s)", value)) is not None:
            also += [f"{decade[1]}{end}" for end in ("대", "代", "s")]
        also += [one for one in (*parts.get(value, ()), *stems(value)) if not {plain(one)} & {*names, *others}]
        pieced = (one for one in pieces.get(value, ()) if plain(one) not in others)
        also += [one for one in pieced if not any(one in name for name in names)]
        same = value.isascii() and plain(value) in headings  # a station that is called "Station"
        beside = _beside_heading(value, column) if same else ()
        if re.search("[가-힣]$", value) and re.search("[가-힣]$", column.name):
            also.append(value + column.name[-1])  # 종일권 of an 이용권 that is 종일
        spelt = "|".join([spelling(value, as_it_is=same), *map(spelling, also), *beside])
        for match in iter(lambda spelt=spelt: compiled(spelt).search(sentence.left), None):  # type: ignore[misc]  # mypy cannot type a lambda's default
            if not match.group().strip() or _is_a_kind(sentence.text, match, value):
                break
            if is_figure_of_speech(sentence.text, match, value):
                sentence.blank(*match.span())
                continue
            if is_left_out(sentence, *match.span()):
                without.append((*match.span(), value))
            else:
                kept.append((*match.span(), value))
            sentence.blank(*match.span())
    while listed := [one for one in kept if any(_are_listed(sentence.text, one, other) for other in without)]:
        without += listed  # "without chicken and pizza", 치킨이랑 피자 빼고
        kept = [one for one in kept if one not in listed]
    left_out = [value for *_, value in sorted(without)]
    # of "fleet cards" the second word is a noun to the first, and no other value
    latin = [(start, end) for start, end, _ in kept if sentence.text.isascii()]
    behind = {start for start, _ in latin if any(sentence.text[end:start] == " " for _, end in latin)}
    wanted = dict.fromkeys(value for at, _, value in sorted(kept) if value not in left_out and at not in behind)
    return list(wanted), list(dict.fromkeys(left_out))


def _is_a_kind(text: str, match: re.Match[str], value: str) -> bool:
    """Whether one asks which of a kind it is, and part of a value has the same word: サイト of どの予約サイト."""
    asked = compiled(words()["which_kind"]).search(text, 0, match.start())
    return asked is not None and plain(match.group()) != plain(value)


def _are_listed(text: str, one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    """Whether nothing but what joins a list stands between a value and another that is left out."""
    (_, end, _), (start, _, _) = sorted((one, other))
    between = text[end:start]  # 휴직 퇴사는 빼고
    return end <= start and (between.isspace() or compiled(words()["listed"]).fullmatch(between) is not None)


def _beside_heading(value: str, column: Column) -> tuple[str, str]:
    """A value that is called as another column is, right behind the heading of its own or before it ("status paid")."""
    heading = re.escape(bare_heading(column.name))
    return rf"(?<=\b{heading} ){re.escape(value)}(?![A-Za-z])", rf"(?<![A-Za-z]){re.escape(value)}(?= {heading}\b)"
