"""Single rows that a question is about: the dearest order, the items that are below their level."""

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from packs.marketing.asking.measures import meant_by_adjective
from packs.marketing.asking.money import the_money
from packs.marketing.asking.naming import full_heading, holds, is_of_persons, names_of, pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, plain, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Measure, Request

_MOST_NAMES, _LONG_NAME, _NAME = 3, 40, 16


def names_of_rows(profile: Profile) -> list[Column]:
    """The columns that tell one row from another: with a value of its own for nearly each."""
    return [one for one in profile.columns if one.kind in ("id", "text") and _is_short(one, profile)][:_MOST_NAMES]


def _is_short(column: Column, profile: Profile) -> bool:
    cells = profile.frame[column.name]
    letters, noted = cells.str.len_chars().median(), 2 * cells.null_count() > cells.len()
    longest = _LONG_NAME
    if column.role == "text":  # names may have been taken for texts, and texts may be called after what they are of
        longest = _NAME if any(holds(column, one) for one in ("named", "person", "product")) else 0
    return not noted and isinstance(letters, float) and letters < longest


def _is_long(column: Column, profile: Profile) -> bool:
    """Whether its cells are sentences: the names of a class are told, whatever they were taken for."""
    letters = profile.frame[column.name].str.len_chars().median()
    return isinstance(letters, float) and letters >= _LONG_NAME


def rows_are_meant(sentence: AskedSentence, profile: Profile, rows: frozenset[str]) -> bool:
    """Whether what is sought is called as a row is, or as the column that names one, and is no group."""
    told = [plain(one).rstrip("s") for column in names_of_rows(profile) for one in names_of(column)]
    text = plain(sentence.text)
    return any(one in text for one in {*rows, *told} - _groups(profile) if len(one) > 1)


def _groups(profile: Profile) -> set[str]:
    """What groups are called, and all words for the same."""
    groups = {plain(one).rstrip("s") for column in profile.of("category") for one in names_of(column)}
    persons = any(map(is_of_persons, profile.of("category"))) and not any(
        holds(one, kind) for one in names_of_rows(profile) for kind in ("named", "person", "payer")
    )  # each has several rows, and none of these is called by a name
    groups |= {plain(one) for one in words()["columns"]["person"]} | {"사람", "人", "person"} if persons else set()
    return groups | {plain(one) for line in words()["rows"] if groups & {plain(one) for one in line} for one in line}


def single_row(sentence: AskedSentence, profile: Profile, rows: frozenset[str]) -> tuple[Column, bool] | None:
    """By which column the one row is sought that has most or least of it ("the review with the most likes: of which
    product?"), and whether the most; None where no row is."""
    said = words()["single_row"]
    if compiled(said["hint"]).search(sentence.text) is None:
        return None
    spelt = "|".join(map(re.escape, sorted(rows - _groups(profile), key=len, reverse=True))) or "(?!)"
    ways = [(full_heading(one), one) for one in profile.of("number")]  # the whole heading before a word of it
    for spoken, column in (*ways, *((pattern_of(one), one) for one in profile.of("number"))):
        name = f"(?:{spoken})"
        for pattern in said["patterns"]:
            match = compiled(pattern.replace("NAME", name).replace("ROWS", spelt)).search(sentence.text)
            if match is not None:
                sentence.blank(*match.span())
                return column, compiled(said["least"]).search(match.group()) is None
    mean = bounded("|".join(words()["measures"][one] for one in ("mean", "median")))
    by_group = any(compiled(pattern_of(one)).search(sentence.text) for one in profile.of("category"))
    numbers = [one for one in profile.of("number") if one.scale is None]
    money = the_money(profile) or (numbers[0] if len(numbers) == 1 else None)
    size = compiled(said["at_once"]).search(sentence.text) if money is not None else None  # who spent most at a time
    sentence.blank(*size.span()) if size is not None else None
    size = size or (sentence.take(said["size"].replace("ROWS", spelt)) if money is not None and not by_group else None)
    if money is not None and size is not None:
        return money, compiled(f"{said['least']}|小").search(size.group()) is None
    match = compiled(rf"(?<![A-Za-z])[a-z]+est (?:{spelt})(?![A-Za-z])").search(sentence.text)
    averaged = sentence.find(mean) is not None
    if match is None or averaged:
        return None if averaged else _one_of_all(sentence, profile, money)
    by, most = meant_by_adjective(AskedSentence(match.group()), profile)
    if by is None or most is None or by.kind != "number":
        return None
    sentence.blank(*match.span())
    return by, most  # "the longest episode"


def _one_of_all(sentence: AskedSentence, profile: Profile, money: Column | None) -> tuple[Column, bool] | None:
    """As in "the biggest single performance for income": one row, whatever it is called, and no group."""
    said = words()["single_row"]
    groups = "|".join([*words()["time_units"].values(), *map(pattern_of, profile.of("category"))])
    match = sentence.find(said["one_of_all"].replace("GROUPS", groups))
    by = next((one for one in profile.of("number") if sentence.find(pattern_of(one)) is not None), money)
    if match is None or by is None:
        return None
    sentence.blank(*match.span())
    return by, compiled(said["least"]).search(match.group()) is None


def ranked(request: Request, by: Column, sentence: AskedSentence, profile: Profile) -> Request:
    """The rows that come first by a column, with the columns that are named beside it."""
    return replace(
        request,
        asks="rows",
        groups=(),
        columns=_told(by.name, request, sentence, profile),
        limit=request.limit or 1,
    )


def listed(request: Request, sentence: AskedSentence, profile: Profile) -> Request:
    """Those that the filters keep, by their names."""
    return replace(request, asks="rows", columns=_told("", request, sentence, profile))


def are_named(filters: Sequence[Filter], profile: Profile) -> bool:
    """Whether rows are kept by their names."""
    names = {one.name for one in names_of_rows(profile)}
    return any(one.column in names and one.op == "in" for one in filters)


def told_whole(request: Request, profile: Profile) -> Request | None:
    """All that there is of rows that are named one by one, where no figure of them is asked for."""
    names = {one.name for one in names_of_rows(profile)}
    grouped = any(one.column not in names for one in request.groups)
    asked = request.asks != "figures" or request.measures != (Measure("count"),)
    if asked or grouped or not are_named(request.filters, profile):
        return None
    columns = tuple(one.name for one in profile.columns if one.is_of_the_file)
    return replace(request, asks="rows", columns=columns, groups=(), descending=None, limit=None)


def says_which(sentence: AskedSentence) -> bool:
    """Whether one asks in so many words which rows they are."""
    return compiled(bounded(words()["which_rows"])).search(sentence.text) is not None


def is_wanted(sentence: AskedSentence) -> bool:
    """Whether a list is asked for, and no figure of what it has, which a bound may have named ("a list of orders over
    100")."""
    said = words()
    figures = bounded("|".join(said["measures"].values()))
    return compiled(said["list_asked"]).search(sentence.text) is not None and not compiled(figures).search(
        sentence.text
    )


def is_listing(sentence: AskedSentence, profile: Profile) -> bool:
    """Whether one asks which rows they are, and for no figure."""
    if says_which(sentence):
        return True
    names = "|".join(pattern_of(one) for one in names_of_rows(profile))
    return (
        bool(names)
        and sentence.find(rf"(?:{names})(?:들|\s?목록)?(?=\s(?!수(?:는|가|를|도)?(?:\s|$|[?.,]))|[을를도만,.]|$)")
        is not None
    )


def _counts_rows(name: str, profile: Profile) -> bool:
    """Whether nothing but numbers stands there."""
    return bool(profile.frame[name].drop_nulls().cast(pl.String).str.contains(r"^\d+$").all())


def _told(first: str, request: Request, sentence: AskedSentence, profile: Profile) -> tuple[str, ...]:
    said = [one.name for one in profile.columns if compiled(pattern_of(one)).search(sentence.text)]
    if compiled(words()["when"]).search(sentence.text) is not None and profile.date is not None:
        said.append(profile.date.name)
    kept = [one.column for one in request.filters]
    names: Sequence[str] = [one.name for one in names_of_rows(profile)]
    if compiled(words()["who"]).search(sentence.text) is not None:
        names = [*(one.name for one in profile.columns if is_of_persons(one)), *names]
    if not names:
        names = [one.name for one in profile.columns if one is not profile.text or not _is_long(one, profile)]
    elif all(profile.column(one).kind == "id" and (first or _counts_rows(one, profile)) for one in names):
        # a number says little of a row
        names = [*names, *(one.name for one in profile.of("category")[:_MOST_NAMES])]
    found = [first, *names, *said, *kept] if first else [*names, *said, *kept]
    return tuple(dict.fromkeys(found))
