"""What figures show and the text does not say: the highest, the lowest, a total, a difference, a mean; from rows,
columns and lists (grids.py) and from sentences that list figures, told as computed."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from packs.documents.alike import said
from packs.documents.asking import read_question
from packs.documents.counting import counts_in
from packs.documents.evidence import Meanings
from packs.documents.grids import NUMBER, SMALLEST, Cell, Grid, cues, digits, grids, is_of_all, unit_of, worth
from packs.documents.passages import Passage
from packs.documents.ranges import is_range, within
from packs.documents.wording import (
    ALIKE,
    COUNTED,
    PARTLY,
    PLAIN,
    WHOLE,
    Task,
    Wording,
    common_of,
    is_low,
    stands_any,
    task_of,
)

_PIECES, _LAST = re.compile(r"(?<!\d),|,(?!\d)|[、;.。](?!\d)"), re.compile(r"[:：]")
_PRICED = re.compile(rf"[$€£¥₩]?\s?({NUMBER.pattern})")
LIKE = 0.5
"""What it counts that a column is about what the question is about, beside its name being said."""
SURE, UNSAID, UNKNOWN = 0.2, 0.4, 0.67
"""The share of the question's words that figures say nothing of, up to which it is told as the answer ("last year's" is
a word); above which a sum or a mean, or anything is not told at all."""
MOST_NAME = 24
"""Letters of what a figure of a sentence is called; what is longer is no name."""
_SUMS = ("total", "average", "difference")


class Computed(NamedTuple):
    """`kind` as in computed.yaml; the value with its unit, of what (a row or a column), what it was computed from, and
    the row that it stands in, of the highest and the lowest. `sure`: the question is about nothing else."""

    kind: str
    value: str
    of: str
    terms: tuple[str, ...]
    row: str = ""
    page: int | None = None
    sure: bool = True


class _Meant(NamedTuple):
    """Figures, what they are of, and how plainly they are meant."""

    score: float
    cells: list[Cell]
    of: str
    grid: Grid | None = None


def computed(text: str, passages: Sequence[Passage], meanings: Meanings | None = None) -> Computed | None:
    """None where nothing of this is asked for, or it cannot be told of what. Without `meanings` words decide alone."""
    task = task_of(said(text))
    if task is None or any(one.name == "reason" for one in read_question(text).kinds):
        return None
    if task.kind == "average" and any(
        stands_any(said(f"{one.title} {one.text}"), cues()[task.kind]) for one in passages
    ):
        return None  # the document has one
    words = Wording(text, meanings or _none)
    found = [one for grid in grids(passages) if (one := _Meaning(words, grid, task).meant()) and one.score > 0]
    if task.kind in ("difference", "total"):
        least = PLAIN if task.kind == "total" else ALIKE  # of one word for the same thing it is not added up
        some = [one for one in passages if not one.cells and words.touches(one.text)]
        found += [meant for one in some if (meant := _of_sentence(words, one, least))]
    best = max(found, key=lambda meant: meant.score, default=None)
    if best is None or sum(meant.score == best.score for meant in found) > 1:
        return None
    around = _around(best, passages[0].text)
    if words.leaves_out and best.grid:
        around += best.grid.labels
    unsaid = words.unsaid(around)
    before = cues()["before"]
    other = stands_any(words.asked, before) and not stands_any(said(" ".join(around)), before)
    most = UNSAID if task.kind in ("total", "average") else UNKNOWN
    told = _told(task.kind, best, words.place)
    many = [number for number, _ in counts_in(words.asked.text) if number > 1 and number != len(best.cells)]
    other = other or (task.kind == "total" and bool(many))  # so many of each are not added up here
    return told._replace(sure=unsaid <= SURE and not other) if told and unsaid <= most else None


def _around(meant: _Meant, title: str) -> list[str]:
    """All that is said around the figures."""
    rows = [text for cell in meant.cells for text in (cell.label, cell.row.text, cell.row.context)]
    grid = meant.grid
    return [title, meant.of, *rows, *((grid.title, *grid.head, *grid.columns) if grid else ())]


def _none(_texts: Sequence[str]) -> Sequence[Sequence[float]]:
    return ()


class _Meaning:
    """A grid as a question means it: how plainly its title, its rows and its columns are named."""

    def __init__(self, words: Wording, grid: Grid, task: Task) -> None:
        self.words, self.grid, self.task = words, grid, task
        self.title = words.named(grid.title)
        names = grid.columns
        common = common_of(names)
        self.plain = {name: words.named(name, common) for name in names}
        self.wanted = {name: words.wants(name, grid.of(column=name)) for name in names}
        liked = words.like([f"{grid.title} {name}".strip() for name in names])
        self.columns = {
            name: self.plain[name] + self.wanted[name] + LIKE * max(like, 0.0)
            for name, like in zip(names, liked, strict=True)
        }
        self.column = _best(self.columns, grid)
        self.labels = _rows_named(words, grid)
        plainest = max(self.labels.values(), default=0.0)
        self.left_out = frozenset(
            label for label, score in self.labels.items() if words.leaves_out and score == plainest >= PLAIN
        )

    def meant(self) -> _Meant | None:
        """The row, the column, or the figures of two rows or columns that are meant."""
        sums = self.task.kind in _SUMS
        if not self.columns or (sums and stands_any(said(self.grid.title), cues()[self.task.kind])):
            return None  # without figures, or the table says it itself
        most = max(self.labels.values(), default=0.0)
        several = [label for label, score in self.labels.items() if score >= PARTLY]
        best = [label for label, score in self.labels.items() if score == most >= PLAIN]
        if self.words.leaves_out and self.task.kind not in _SUMS:
            return self._whole(self.column) if self.left_out else None
        if found := self._spread(self.column) or self._pair(best if len(best) == SMALLEST else several, self.column):
            return found
        along = sums or self.words.compares or max(self.plain.values(), default=0.0) < PLAIN
        enough = most >= (PARTLY if self.task.kind == "difference" else WHOLE)
        if along and len(best) == 1 and enough:
            return self._along(best[0], 1.0 + most + 0.5 * self.title)
        return self._whole(self.column)

    def _spread(self, column: str | None) -> _Meant | None:
        """The highest and the lowest of a column, where their difference is asked for."""
        asked = self.words.asked
        if (
            column is None
            or self.task.kind != "difference"
            or not is_low(asked)
            or not stands_any(asked, cues()["most"])
        ):
            return None
        some = sorted(self.grid.of(column=column), key=worth)
        if len(some) < SMALLEST:
            return None
        return _Meant(self._rated(column), [some[-1], some[0]], f"{some[-1].label} / {some[0].label}", self.grid)

    def _pair(self, labels: Sequence[str], column: str | None) -> _Meant | None:
        if column is None or self.task.kind not in ("difference", "total") or len(labels) != SMALLEST:
            return None
        some = [cell for label in labels for cell in self.grid.of(label=label, column=column)]
        of = f"{' / '.join(labels)}, {column}"
        return _Meant(1.5 + self._rated(column), some, of, self.grid) if len(some) == SMALLEST else None

    def _along(self, label: str, score: float) -> _Meant | None:
        """Along a row: the two columns that are named, or all of one unit; those of a difference must be two."""
        cells = self.grid.of(label=label)
        named = [cell for cell in cells if self.plain.get(cell.column, 0.0) >= PLAIN]
        if self.words.spans and self.task.kind in ("total", "average") and len(named) == SMALLEST:
            first, last = (cells.index(cell) for cell in named)
            return _Meant(score + 1.0, cells[first : last + 1], label, self.grid)
        if self.task.kind in ("difference", "total") and len(named) == SMALLEST and len(set(map(unit_of, named))) == 1:
            return _Meant(score + 1.0, named, _of_two(label, named), self.grid)
        units: dict[str, list[Cell]] = {}
        for cell in cells:
            units.setdefault(unit_of(cell), []).append(cell)
        if self.task.kind == "difference":
            pairs = [one for one in units.values() if len(one) == SMALLEST]
            return _Meant(score, pairs[0], _of_two(label, pairs[0]), self.grid) if len(pairs) == 1 else None
        some = max(units.values(), key=len, default=[])
        apart = len(some) == SMALLEST and not any(map(str.isdigit, "".join(cell.column for cell in some)))
        ranged = self.task.kind in _SUMS and is_range(label)  # prices of one size are of different things
        if self.task.kind == "average" and apart and not unit_of(some[0]):
            return None  # "sessions" and "people" have no mean
        return _Meant(score, some, label, self.grid) if self.task.plainly and len(some) > 1 and not ranged else None

    def _whole(self, column: str | None) -> _Meant | None:
        """All of a column; no sum where the table has one, nor where only the title is named."""
        sums = self.task.kind in _SUMS
        if self.task == Task("total") and self.grid.of_all and column is not None:
            return self._of_all(column)
        if column is None or self.task.kind == "difference" or not self.task.plainly or (sums and self.grid.of_all):
            return None
        named = max(self.plain[column], self.wanted[column])
        if named < PLAIN if sums else max(named, self.title) <= 0:
            return None
        cells = [cell for cell in self.grid.of(column=column) if cell.label not in self.left_out]
        return _Meant(self._rated(column) + 0.1, cells, column, self.grid)

    def _of_all(self, column: str) -> _Meant | None:
        """The row that has the total, where there is one."""
        rows = [label for label in self.grid.of_all if is_of_all(label)]
        cells = self.grid.of(label=rows[0], column=column) if len(rows) == 1 else []
        return _Meant(self._rated(column), cells, rows[0], self.grid) if cells else None

    def _rated(self, column: str) -> float:
        return self.title + self.columns[column]


def _of_two(label: str, cells: Sequence[Cell]) -> str:
    return f"{label}: {cells[0].column} / {cells[1].column}"


def _rows_named(words: Wording, grid: Grid) -> dict[str, float]:
    """How plainly each row is named; a row of figures from one to another by a figure between them."""
    labels = [label for label in grid.labels if label not in grid.of_all]
    common = common_of(labels)
    return {label: 1.0 if within(words.asked.text, label) else words.named(label, common) for label in labels}


def _best(named: dict[str, float], grid: Grid) -> str | None:
    """The column that is meant; of several alike what others multiplied make, the sum of a line."""
    most = max(named.values(), default=0.0)
    best = [name for name, score in named.items() if score > 0 and score >= most - LIKE / 5]
    made = [name for name in best if len(best) > 1 and _is_product(name, grid)]
    return made[0] if made else max(named, key=lambda name: named[name]) if most > 0 else None


def _is_product(name: str, grid: Grid) -> bool:
    others = [column for column in grid.columns if column != name]
    pairs = [(one, two) for at, one in enumerate(others) for two in others[at + 1 :]]
    return any(_multiplies(grid, one, two, name) for one, two in pairs)


def _multiplies(grid: Grid, one: str, two: str, product: str) -> bool:
    rows = [{cell.column: cell.number for cell in grid.of(label=label)} for label in grid.labels]
    whole = [row for row in rows if {one, two, product} <= set(row)]
    return len(whole) >= SMALLEST and all(abs(row[one] * row[two] - row[product]) < 0.5 for row in whole)


def _of_sentence(words: Wording, one: Passage, least: float) -> _Meant | None:
    """Two figures of one unit that a sentence lists, both under a name that the question says ("rice 32 minutes, oats
    58 minutes"); a figure names as well (7월 11건, 8월 17건)."""
    cells: list[Cell] = []
    for piece in _PIECES.split(unicodedata.normalize("NFKC", one.text)):
        figures = list(_PRICED.finditer(piece))
        label = _LAST.split(piece[: figures[-1].start()])[-1].strip() if figures else ""
        if label and len(_name(label)) <= MOST_NAME:
            text = piece[figures[-1].start() :].strip(" .。")
            cell = Cell(one, label, "", float(digits(figures[-1][1])), text)
            cells.append(cell._replace(column=unit_of(cell)))
    counted = [cell for cell in cells if words.counts(cell.label)]
    counted = counted if len(counted) > 1 else []
    named = counted or [cell for cell in cells if words.named(_name(cell.label)) >= least]
    named = [cell for cell in named if not any(_is_more(cell.label, other.label) for other in named)]
    unit = min((cell.column for cell in named), key=len, default="")
    if len(named) != SMALLEST or not all(cell.column.startswith(unit) for cell in named):
        return None
    named = [cell._replace(text=cell.text[: cell.text.find(unit) + len(unit)] if unit else cell.text) for cell in named]
    return _Meant(1.2, named, " / ".join(cell.label if counted else _name(cell.label) for cell in named))


def _name(label: str) -> str:
    """What stands before a figure: the last word, of wide letters; of others all."""
    words = [word for word in COUNTED.sub(" ", label).split() if len(word) > 1]
    return words[-1] if words and not words[-1].isascii() else " ".join(words)


def _is_more(label: str, other: str) -> bool:
    """Whether a name begins with another one, and is longer."""
    one, two = _name(label), _name(other)
    return label != other and len(one) > len(two) and one.startswith(two)


def _told(kind: str, meant: _Meant, place: int = 1) -> Computed | None:
    cells, of = meant.cells, meant.of
    if kind == "total" and meant.grid and of in meant.grid.of_all:
        return Computed("row", cells[0].text, of, (), cells[0].row.text, cells[0].row.page)
    if len(cells) < SMALLEST:
        return None
    terms = tuple(cell.text for cell in cells)
    page = cells[0].row.page
    if kind in ("most", "least"):
        return _best_of(kind, meant, place)
    numbers = [cell.number for cell in cells]
    if kind == "difference":
        value_ = abs(numbers[0] - numbers[1]) if len(numbers) == SMALLEST else None
    else:
        value_ = sum(numbers) / (len(numbers) if kind == "average" else 1)
    if value_ is None or len(set(map(_unit, cells))) > 1:
        return None
    return Computed(kind, shown(value_, cells), of, terms, "", page)


def _best_of(kind: str, meant: _Meant, place: int) -> Computed | None:
    """The highest or the lowest, or which of them is asked for."""
    cells, of = meant.cells, meant.of
    ranked = sorted(cells, key=worth, reverse=kind == "most")[place - 1 : place]
    if not ranked or sum(worth(cell) == worth(ranked[0]) for cell in cells) > 1:
        return None
    best, terms = ranked[0], tuple(cell.text for cell in cells)
    if place > 1:  # the row itself: it is neither the highest nor the lowest
        return Computed("row", best.text, best.label, (), best.row.text, best.row.page)
    one = of == best.label  # a row is looked along, a column down
    value = f"{best.text} {_marked(best)}".strip()
    return Computed(kind, value, best.column if one else best.label, terms, best.row.text, best.row.page)


def _unit(cell: Cell) -> str:
    match = NUMBER.search(unicodedata.normalize("NFKC", cell.text))
    return unicodedata.normalize("NFKC", cell.text)[match.end() :].strip() if match else ""


def _marked(cell: Cell) -> str:
    """The unit that only its column has."""
    return "" if _unit(cell) or not cell.text[-1:].isdigit() else unit_of(cell)


def shown(value: float, cells: Sequence[Cell]) -> str:
    """With as many decimals as the figures have, and their unit where they share it."""
    matches = [NUMBER.search(unicodedata.normalize("NFKC", cell.text)) for cell in cells]
    decimals = max(len(match.group().partition(".")[2]) for match in matches if match)
    whole = f"{value:,.{decimals}f}" if decimals or value == int(value) else f"{value:,.2f}".removesuffix("0")
    first = unicodedata.normalize("NFKC", cells[0].text)
    front = first[: matches[0].start()] if matches[0] else ""
    unit = _unit(cells[0]) or _marked(cells[0])
    return f"{front}{whole}{' ' * (unit.isascii() and unit.isalpha())}{unit}"
