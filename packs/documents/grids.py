"""Figures of a document as grids: tables, lists whose points say the same thing with another figure, and parts of one
kind under titles of their own (recipes, rooms), each field a column."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from packs.documents.alike import has, said
from packs.documents.amounts import CLOCK, DATE, amounts, around_figure, in_ones
from packs.documents.data import load
from packs.documents.passages import Passage
from packs.documents.sentences import sentences, unlisted

NUMBER = re.compile(r"[+\-−]?\s?\d[\d,]{0,20}(?:\.\d{1,6})?")
SMALLEST, FEWEST_POINTS = 2, 3
"""Figures of a table, and points of a list, that there have to be."""
MOST_LABEL, LONGEST_POINT = 80, 72
_UNIT = re.compile(r"\d\s?([^\W\d_]{1,7})")
_FRONT = re.compile(r"^\s{0,3}[(]?\s?(?:[$€£¥₩]|[A-Z]{3})?\s?$")
_MARKS = re.compile(r"[(（]([^)）]{0,20})[)）]")
MONEY = re.compile(r"[$€£¥₩원円]|\d\s?(?:달러|유로|won|euros?|pounds?|dollars?|ウォン)")
_COUNT = re.compile(r"^\d{1,3}[.)]?$")
_NAMED = re.compile(r"([^:：\d]{2,24})[:：]\s")
_FIELDS = re.compile(r"\s[/|·]\s|[,、;](?!\d)\s?")
_FIELD = re.compile(
    r"^(?P<name>[^\d:：]{2,24}?)\s?[:：]?\s?(?P<figure>[$€£¥₩]?\s?\d[\d,]{0,12}(?:\.\d{1,4})?\s?[^\W\d_]{0,7}%?)[.。]?$"
)


class Cell(NamedTuple):
    """A figure, as it is written, under a column and of a row."""

    row: Passage
    label: str
    column: str
    number: float
    text: str


class Grid(NamedTuple):
    """Figures with the names of their rows and columns; `title` is what stands above. A row `of_all` tells the whole of
    the others; rows that are `numbered` have their number as well."""

    title: str
    cells: tuple[Cell, ...]
    of_all: frozenset[str] = frozenset()
    head: tuple[str, ...] = ()
    numbered: tuple[tuple[str, str], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Those with some figures."""
        names = [cell.column for cell in self.cells]
        return tuple(name for name in dict.fromkeys(names) if names.count(name) >= SMALLEST)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.label for cell in self.cells))

    def of(self, *, label: str | None = None, column: str | None = None) -> list[Cell]:
        """Figures of a row, a column, or both; of none of the rows that tell the whole."""
        return [
            cell
            for cell in self.cells
            if (label is None or cell.label == label)
            and (column is None or cell.column == column)
            and (label is not None or cell.label not in self.of_all)
        ]


def grids(passages: Sequence[Passage]) -> list[Grid]:
    """All of a document, in its order."""
    return [*filter(None, map(_table, tables(passages))), *_lists(passages), *_parts(passages)]


def figure(text: str) -> float | None:
    """Of a cell that begins with one."""
    flat = unicodedata.normalize("NFKC", text)
    match = NUMBER.search(flat)
    if match is None or not _FRONT.match(flat[: match.start()]) or ":" in flat or flat.count("~"):
        return None
    return float(digits(match.group()))


def digits(text: str) -> str:
    return text.replace(",", "").replace(" ", "").replace("−", "-")


def unit_of(cell: Cell) -> str:
    """The word behind its figure, without the end of an English plural; else what its column has in brackets."""
    match = _UNIT.search(unicodedata.normalize("NFKC", cell.text))
    if match:
        return match[1].casefold().removesuffix("s")
    marked = _MARKS.search(unicodedata.normalize("NFKC", cell.column))
    return marked[1].split(",")[0].strip().casefold() if marked else ""


def worth(cell: Cell) -> float:
    """The figure, to be compared: of times in minutes."""
    return cell.number * lasting().get(unit_of(cell), 1.0)


@cache
def lasting() -> dict[str, float]:
    """Minutes of each unit of time."""
    minutes: dict[float, list[str]] = cues()["minutes"]  # type: ignore[assignment]
    return {str(unit): float(length) for length, units in minutes.items() for unit in units}


def bare(name: str) -> str:
    """A name without what stands in brackets."""
    return _MARKS.sub(" ", name).strip()


def tables(passages: Sequence[Passage]) -> list[list[Passage]]:
    """Rows of one table one after another."""
    found: list[list[Passage]] = []
    before: Passage | None = None
    for one in passages:
        if one.is_row and one.cells:
            if before is not None and before.is_row and before.context == one.context and found:
                found[-1].append(one)
            else:
                found.append([one])
        before = one
    return [rows for rows in found if len(rows) >= SMALLEST]


def _table(rows: Sequence[Passage]) -> Grid | None:
    head = [name for name, _ in rows[0].cells]
    at = row_names(rows)
    cells: list[Cell] = []
    for row in rows:
        label = row.cells[at][1] or " ".join(cell for _, cell in row.cells[:at] if cell)
        for name, cell in row.cells[at + 1 :]:
            text = in_ones(cell)
            number = figure(text)
            if number is not None:
                cells.append(Cell(row, label, name, number, text))
    if not cells:
        return None
    labels = dict.fromkeys(cell.label for cell in cells)
    of_all = frozenset(label for label in labels if is_of_all(label))
    numbered = tuple((row.cells[0][1].strip(".)"), row.text) for row in rows if row.cells[0][1]) if at else ()
    if at:  # what has no number where the others have one is no item, but what follows from them
        of_all |= {row.cells[at][1] for row in rows if not row.cells[0][1]}
    return Grid(rows[0].title, tuple(cells), of_all, tuple(head), numbered)


def is_of_all(label: str) -> bool:
    there = said(label)
    return any(
        has(there, word) if word.isascii() or len(word) == 1 else there.text.startswith(word)
        for word in cues()["whole"]
    )


@cache
def cues() -> dict[str, list[str]]:
    """computed.yaml"""
    words: dict[str, list[str]] = load("computed.yaml")
    return words


def row_names(rows: Sequence[Passage]) -> int:
    """The column that rows are named by: the first, or the second where the first only counts them."""
    first = [row.cells[0][1].strip() for row in rows]
    counted = [one for one in first if _COUNT.match(one)]
    if len(rows[0].cells) > 2 and len(counted) > 1 and counted == sorted(counted, key=lambda one: int(one.strip(".)"))):
        numbers = [int(one.strip(".)")) for one in counted]
        return 1 if numbers == list(range(numbers[0], numbers[0] + len(numbers))) else 0
    return 0


def _lists(passages: Sequence[Passage]) -> list[Grid]:
    """Points of a list, each with one figure of a unit: the unit is the column. Where no list has enough of them, those
    of all lists together."""
    every: dict[str, list[Cell]] = {}
    for point in passages:
        if not point.is_listed or point.is_title or _is_prose(point.text):
            continue
        found = [one for one in amounts(point) if one.unit not in (CLOCK, DATE, "")]
        units = [one.unit for one in found]
        for one in found:
            if units.count(one.unit) == 1:
                text = in_ones(one.text)
                column = around_figure(text)[1].strip().casefold() or around_figure(text)[0]
                every.setdefault(one.unit, []).append(Cell(point, _label(point.text), column, one.value, text))
    return [grid for cells in every.values() for grid in _by_title(cells)]


def _is_prose(text: str) -> bool:
    """Whether a point says more than what costs how much: clauses of a contract are numbered, too."""
    return len(text) > LONGEST_POINT or len(sentences(text)) > 1


def _by_title(cells: Sequence[Cell]) -> list[Grid]:
    titles = dict.fromkeys(cell.row.title for cell in cells)
    groups = {title: [cell for cell in cells if cell.row.title == title] for title in titles}
    full = {title: some for title, some in groups.items() if len(some) >= FEWEST_POINTS}
    if full or len(cells) < FEWEST_POINTS:
        return [Grid(title, _of_one_column(some)) for title, some in full.items()]
    return [Grid("", _of_one_column(cells))]


def _of_one_column(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    return tuple(cell._replace(column=cells[0].column) for cell in cells)


def _label(text: str) -> str:
    point = unlisted(text)
    named = _NAMED.match(point)
    return named[1].strip() if named else point[:MOST_LABEL]


def _parts(passages: Sequence[Passage]) -> list[Grid]:
    """Fields of one name, each with a figure, under titles of their own: the titles are the rows."""
    cells: list[Cell] = []
    for one in passages:
        if one.is_title or one.is_row or not one.title:
            continue
        for piece in _FIELDS.split(one.text):
            match = _FIELD.match(unicodedata.normalize("NFKC", piece).strip())
            if match and (number := NUMBER.search(match["figure"])):
                label = unlisted(one.title)
                cells.append(
                    Cell(one, label, match["name"].strip(), float(digits(number.group())), match["figure"].strip())
                )
    rows: dict[str, set[str]] = {}
    for cell in cells:
        rows.setdefault(cell.column, set()).add(cell.label)
    names = {
        name
        for name, labels in rows.items()
        if len(labels) >= FEWEST_POINTS and sum(cell.column == name for cell in cells) == len(labels)
    }
    some = tuple(cell for cell in cells if cell.column in names)
    return [Grid("", some)] if some else []
