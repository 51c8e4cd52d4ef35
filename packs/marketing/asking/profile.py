"""What a table holds, column by column: its kind, its role, the values of columns that have few."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeVar

import polars as pl

from packs.marketing.asking.phrasing import compiled, is_called, is_measured, words
from packs.marketing.asking.request import Grain
from packs.marketing.shapes import RatingScale
from packs.marketing.tables.columns import Guess, Role, guess_columns, role_of_name
from packs.marketing.tables.raw import RawTable
from packs.marketing.tables.values import (
    EMPTY,
    day_order,
    detect_scale,
    is_day_number,
    is_empty,
    parse_date,
    parse_rating,
)

Kind = Literal["number", "date", "category", "text", "id"]
MOST_VALUES = 300
"""Of a column that may be grouped by; more are names of rows."""
_SURE = 0.9
_SAMPLE, _LIKELY = 400, 0.7
"""Cells that are tried before all are, and the share of them that has to fit."""
_NUMBERED, _GAPS = 20, 1.5
"""Rows of a table whose numbers may be theirs, and how far these may reach."""
_CODES = 1000
"""From here on numbers under such a heading are codes."""
_LOOKED_AT = 20_000
"""Cells that show whether a column of words has more values than may be grouped by."""
_LONGEST_EMPTY = max(map(len, EMPTY))
_DAY, _HOURS = 24, 3
"""Hours, and how many different ones say when in the day something was."""
_TIME = re.compile(r"[T\s](\d{1,2}):\d{2}")
_TEXTS_REPEATED, _LONGEST_KIND = 10, 20
"""How often what is written under "content" comes again, and its letters, where it is what was done and no text."""
_SENTENCE = r"[.!?。！？]$|(?:[가-힣]\s?[가-힣]*[다요죠네])$|(?:です|ます|ました|ません|でした|った|ない|しい)$"
_V = TypeVar("_V")
_MONEY = re.compile(r"[\s,₩$€£¥%]|원|円|won", re.IGNORECASE)
_FIGURE = re.compile(r"[-+−]?\d+(?:\.\d+)?")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?")
_FINE, _FEW_FINE = re.compile(r"\d\.\d{2,}"), 0.1
"""What nobody gives as a mark: with so many places ("1.012")."""
_THOUSANDS = re.compile(r"[-+−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)")


@dataclass(frozen=True, slots=True)
class Column:
    """`values` of a category, most frequent first; `scale` of ratings; `made` of the times in a column of days,
    `lasted` from one column to another, `taken_together` of two columns of figures.
    In its table (naming.with_own_names): `also` are more names that it goes by,
    `not_called` those that mean another column."""

    name: str
    kind: Kind
    role: Role | None = None
    values: tuple[str, ...] = ()
    scale: RatingScale | None = None
    made: bool = False
    lasted: bool = False
    taken_together: bool = False
    also: tuple[str, ...] = ()
    not_called: tuple[str, ...] = ()
    silent: bool = False
    """A sentence means another column by the names of this one."""

    @property
    def is_of_the_file(self) -> bool:
        return not (self.made or self.lasted or self.taken_together)


@dataclass(frozen=True, slots=True)
class Profile:
    """`frame` has a column for each, typed by its kind; rows are those of the file, none left out. `spoken` is the
    column of days that a sentence names."""

    columns: tuple[Column, ...]
    frame: pl.DataFrame
    spoken: str | None = None

    def of(self, kind: Kind) -> list[Column]:
        return [column for column in self.columns if column.kind == kind]

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def rating(self) -> Column | None:
        return next((column for column in self.columns if column.scale is not None), None)

    @property
    def text(self) -> Column | None:
        texts = self.of("text")
        return next((column for column in texts if column.role == "text"), texts[0] if texts else None)

    @property
    def date(self) -> Column | None:
        """The day of a row, where there is only one column of days, or one that is called so; a day that is still to
        come, or the end of something, is no row's own where there are others."""
        dates = self.of("date")
        dates = [one for one in dates if one.name == self.spoken] or dates
        dates = [one for one in dates if not compiled(words()["later_day"]).search(one.name)] or dates
        return next((column for column in dates if column.role == "date"), dates[0] if len(dates) == 1 else None)

    @property
    def entity(self) -> Column | None:
        """What the rows are about."""
        named = [column for column in self.of("category") if column.role == "product"]
        return named[0] if named else None


def profile(table: RawTable) -> Profile:
    """Every cell that does not fit the kind of its column is null."""
    rows = [record.cells for record in table.records]
    guesses = guess_columns(table.columns, rows)
    columns: list[Column] = []
    series: list[pl.Series] = []
    names: set[str] = set()
    for at, guess in enumerate(guesses):
        name = table.columns[at].strip() or f"#{at + 1}"
        while name in names:
            name += "'"
        names.add(name)
        written = [cells[at].strip() for cells in rows]
        column, values = _column(name, _role(name, guess, written), written)
        columns.append(column)
        series.append(values)
    for at, column in enumerate(tuple(columns)):
        if column.kind == "date" and (hours := _hours(column.name, [cells[at] for cells in rows])) is not None:
            columns.append(hours[0])
            series.append(hours[1])
    if (lasted := _lasted(columns, rows)) is not None:
        columns.append(lasted[0])
        series.append(lasted[1])
    return Profile(tuple(columns), pl.DataFrame(series))


def _hours(name: str, cells: Sequence[str]) -> tuple[Column, pl.Series] | None:
    """The hour of the day in each cell, where most have one."""
    found = [_TIME.search(cell) for cell in cells]
    hours = [float(one[1]) if one is not None and int(one[1]) < _DAY else None for one in found]
    known = {one for one in hours if one is not None}
    if len(known) < _HOURS or 2 * sum(one is not None for one in hours) < len(hours):
        return None
    called = f"{name} (hour)"
    return Column(called, "number", made=True), pl.Series(called, hours, dtype=pl.Float64)


def _lasted(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> tuple[Column, pl.Series] | None:
    """Minutes between the two times of the day that each row has ("In", "Out"); None where there are not just two."""
    clocks: list[tuple[str, list[int | None]]] = []
    for at, column in enumerate(columns):
        if at >= len(rows[0]) or column.kind in ("date", "number"):
            continue
        found = [_CLOCK.fullmatch(cells[at].strip()) for cells in rows]
        filled = sum(bool(cells[at].strip()) for cells in rows)
        if filled and sum(one is not None for one in found) >= _SURE * filled:
            clocks.append((column.name, [60 * int(one[1]) + int(one[2]) if one is not None else None for one in found]))
    if len(clocks) != len(("from", "to")):
        return None
    (begun, first), (over, last) = clocks
    minutes = [
        None if one is None or other is None else float((other - one) % (60 * _DAY))
        for one, other in zip(first, last, strict=True)
    ]
    korean, japanese = re.search("[가-힣]", begun + over), re.search("[ぁ-んァ-ヶ一-龯]", begun + over)
    name = (
        f"소요시간(분), {begun}~{over}" if korean
        else f"所要時間（分）、{begun}〜{over}" if japanese
        else f"duration (min), {begun} to {over}"
    )  # fmt: skip
    return Column(name, "number", lasted=True), pl.Series(name, minutes, dtype=pl.Float64)


def _role(name: str, guess: Guess, cells: Sequence[str]) -> Role | None:
    """Small numbers under a heading that says what they are ("수량"), or in what ("Salt (t)"), are no ratings; nor are
    those from nought on that end before ten, whatever they are, and what is measured finely."""
    counts = is_measured(name) or re.search(words()["counting_headings"], name.strip(), re.IGNORECASE) is not None
    counts |= _is_in_a_unit(name)
    counts |= "0" in cells and "10" not in cells
    counts |= sum(_FINE.fullmatch(one) is not None for one in cells) > _FEW_FINE * len(cells)
    counts |= re.search(words()["class_headings"], name.strip(), re.IGNORECASE) is not None
    things = re.fullmatch(r"(?:[A-Za-z]+ )?([A-Za-z]{3,})s", name.strip())  # packets are counted
    counts |= things is not None and re.search(words()["marks_named"], things[1], re.IGNORECASE) is None
    numbered = re.search(words()["numbers_of"], name.strip(), re.IGNORECASE) is not None  # "No. in party" is no number
    if guess.role == "id" and numbered:
        return None
    return None if guess.role == "rating" and guess.found == "content" and counts else guess.role


def _is_in_a_unit(name: str) -> bool:
    """Whether the heading ends with what it is measured in: "Salt (t)", 대인(명)."""
    measured_in = re.search(r"[(\[（]\s*([^()\[\]（）]+?)\s*[)\]）]\s*$", name)
    known = (*words()["asked_in"], words()["counted_in"])
    return measured_in is not None and any(measured_in[1].casefold() in units for units in known)


def _column(name: str, role: Role | None, cells: Sequence[str]) -> tuple[Column, pl.Series]:
    empty = {cell for cell in cells if len(cell) <= _LONGEST_EMPTY and is_empty(cell)}
    full = [cell for cell in cells if cell not in empty] if empty else list(cells)
    if full and role != "id":
        priced = not _is_of_days(name, role) and _likely(full, lambda cell: is_day_number(cell) or None)
        if not priced and _likely(full, lambda cell: parse_date(cell) or parse_date(cell, "dmy")):
            order, _ = day_order(full)
            if (days := _parsed(full, lambda cell: parse_date(cell, order))) is not None:
                return Column(name, "date", role), pl.Series(name, [days.get(cell) for cell in cells], dtype=pl.Date)
        if not is_called(name, "version") and (figures := _parsed(full, number_of)) is not None:
            numbers = [figures.get(cell) for cell in cells]
            known = [number for number in numbers if number is not None]
            if (_are_numbered(known) and not _is_in_a_unit(name)) or _are_codes(name, known):
                return Column(name, "id", "id"), pl.Series(name, [None if cell in empty else cell for cell in cells])
            scale = detect_scale(known) if role == "rating" else None
            return Column(name, "number", role, scale=scale), pl.Series(name, numbers, dtype=pl.Float64)
    texts = pl.Series(name, [None if cell in empty else cell for cell in cells], dtype=pl.String)
    # of a million texts none is counted: more values than that are in the first of them already
    if full and role != "id" and texts.head(_LOOKED_AT).n_unique() <= MOST_VALUES + 1:
        counts = texts.drop_nulls().value_counts(sort=True)
        repeated = _TEXTS_REPEATED * counts.height <= len(full) and max(map(len, counts[name])) <= _LONGEST_KIND
        repeated &= 2 * counts[name].str.contains(_SENTENCE).sum() < counts.height  # what people say is no kind of work
        if counts.height <= MOST_VALUES and 2 * counts.height <= len(full) and (role != "text" or repeated):
            return Column(name, "category", None if role == "text" else role, tuple(counts[name].to_list())), texts
    return Column(name, "id" if role == "id" or _short(full) else "text", role), texts


def _is_of_days(name: str, role: Role | None) -> bool:
    """Whether the heading says so."""
    named = role_of_name(name)
    return role == "date" or (named is not None and named[0] == "date")


def _are_numbered(numbers: Sequence[float]) -> bool:
    """Whether they number the rows (5001, 5002, …): whole, each once, with few gaps."""
    if len(numbers) < _NUMBERED or any(one != int(one) for one in numbers):
        return False
    return len(set(numbers)) == len(numbers) and max(numbers) - min(numbers) < _GAPS * len(numbers)


def _are_codes(name: str, numbers: Sequence[float]) -> bool:
    """Whether the heading says so, and each row has one of its own, and a long one: "4901085"."""
    if re.search(words()["code_headings"], name.strip(), re.IGNORECASE) is None:
        return False
    return len(set(numbers)) == len(numbers) and all(one == int(one) and one >= _CODES for one in numbers)


def number_of(cell: str) -> float | None:
    """A finite number, with its currency or unit: "12,900원", "4.5", "★★★☆☆", "(3)" is none."""
    if not _THOUSANDS.search(cell) and (rating := parse_rating(cell)) is not None:
        return rating  # "4,5" is four and a half, "4,500" is none of that
    plain = _MONEY.sub("", unicodedata.normalize("NFKC", cell)).replace("−", "-")
    return float(plain) if len(plain) < 30 and _FIGURE.fullmatch(plain) else None


def _parsed(full: Sequence[str], parse: Callable[[str], _V | None]) -> dict[str, _V] | None:
    """What the cells stand for, each spelling looked at once; None unless most of them stand for something. A sample
    says soon that a column of texts does not."""
    if not _likely(full, parse):
        return None
    found = {cell: value for cell in set(full) if (value := parse(cell)) is not None}
    return found if sum(cell in found for cell in full) >= _SURE * len(full) else None


def _likely(full: Sequence[str], parse: Callable[[str], object]) -> bool:
    sample = full[:: max(1, len(full) // _SAMPLE)][:_SAMPLE]
    return sum(parse(cell) is not None for cell in sample) >= _LIKELY * len(sample)


def _short(cells: Sequence[str]) -> bool:
    lengths = sorted(map(len, cells))
    return bool(lengths) and lengths[len(lengths) // 2] < 8


def grain_for(profile: Profile, column: Column, within: tuple[date | None, date | None] = (None, None)) -> Grain:
    """So that a line has some points and not a thousand; years that are named are compared as years."""
    days = profile.frame[column.name].drop_nulls()
    first, last = within[0] or days.min(), within[1] or days.max()
    if within[0] and within[1] and within[0].year != within[1].year and _are_whole_years(*within):
        return "year"
    span = (last - first).days if isinstance(first, date) and isinstance(last, date) else 0
    return "day" if span <= 31 else "month" if span <= 1100 else "year"


def _are_whole_years(first: date | None, last: date | None) -> bool:
    return bool(first and last) and (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)  # type: ignore[union-attr]  # both are there
