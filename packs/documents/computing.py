"""What a table shows and does not say: the highest, the lowest, a total, a difference, a mean; from whole columns and
rows of figures, and told as computed."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from packs.documents.alike import Said, groups_in, has, said
from packs.documents.asking import is_empty, read_question, words_of
from packs.documents.data import load
from packs.documents.passages import Passage

_NUMBER = re.compile(r"[+\-−]?\s?\d[\d,]{0,20}(?:\.\d{1,6})?")
_UNIT = re.compile(r"\d\s?([^\W\d_]{1,7})")
_FRONT = re.compile(r"^\s{0,3}[(]?\s?[$€£¥₩]?\s?$")
_MARKS = re.compile(r"[(（][^)）]{0,20}[)）]")
_PIECES, _LAST = re.compile(r"(?<!\d),|,(?!\d)|[、;.。](?!\d)"), re.compile(r"[:：]")
_COUNTED = re.compile(r"\d{1,9}\s?[^\W\d_]")
_PRICED = re.compile(rf"[$€£¥₩]?\s?({_NUMBER.pattern})")
_MONEY = re.compile(r"[$€£¥₩원円]|\d\s?(?:달러|유로|won|euros?|pounds?|dollars?|ウォン)")
SMALLEST = 2
PLAIN, WHOLE = 0.6, 0.9
"""So plainly a name is said, and not only a word for the same thing; and all of it."""
_SUMS = ("total", "average", "difference")
Rows = Sequence[Passage]


class Computed(NamedTuple):
    """`kind` as in computed.yaml; the value with its unit, of what (a row or a column), what it was computed from, and
    the row that it stands in, of the highest and the lowest."""

    kind: str
    value: str
    of: str
    terms: tuple[str, ...]
    row: str = ""
    page: int | None = None


class _Cell(NamedTuple):
    row: Passage
    label: str
    column: str
    number: float
    text: str


class _Meant(NamedTuple):
    """Figures, what they are of, and how plainly they are meant."""

    score: float
    cells: list[_Cell]
    of: str


def computed(text: str, passages: Sequence[Passage]) -> Computed | None:
    """None where nothing of this is asked for, or it cannot be told of what."""
    asked = said(text)
    kind = _kind(asked)
    if kind is None or any(one.name == "reason" for one in read_question(text).kinds):
        return None
    if kind == "average" and any(
        _stands(said(f"{one.title} {one.text}"), word) for one in passages for word in _cues()[kind]
    ):
        return None  # the document has one
    words = _Words(asked, frozenset(groups_in(asked)), tuple(words_of(text)))
    found = [meant for table in _tables(passages) if (meant := _of_table(kind, words, table)) and meant.score > 0]
    if kind in ("difference", "total"):
        found += [meant for one in passages if not one.cells and (meant := _of_sentence(words, one))]
    best = max(found, key=lambda meant: meant.score, default=None)
    if best is None or sum(meant.score == best.score for meant in found) > 1:
        return None
    return _told(kind, best)


class _Words(NamedTuple):
    asked: Said
    groups: frozenset[int]
    words: tuple[str, ...]

    @property
    def compares(self) -> bool:
        """Whether one of two is asked for."""
        return any(_stands(self.asked, word) for word in _cues()["more"])

    def wants(self, column: str, cells: Sequence[_Cell]) -> float:
        """More for a column of money where the question is about money."""
        if not any(_stands(self.asked, word) for word in _cues()["money"]):
            return 0.0
        return 1.0 if all(_MONEY.search(cell.text) for cell in cells if cell.column == column) else 0.0

    def named(self, name: str) -> float:
        """How plainly the question has a name, 0..1: its letters, a part of them, a word for the same thing."""
        there = said(_MARKS.sub(" ", name))
        if not there.text.strip():
            return 0.0
        if has(self.asked, there.text.strip()):
            return 1.0
        parts = [part for part in there.tokens if not is_empty(part)]
        own = sum(any(_alike(part, word) for word in self.words) or has(self.asked, part) for part in parts)
        if parts and own:
            return 0.6 + 0.3 * own / len(parts)
        return 0.5 if self.groups & set(groups_in(there)) else 0.0

    def counts(self, label: str) -> bool:
        """Whether the question has all figures of a name, with what they count."""
        figures = _COUNTED.findall(label)
        return bool(figures) and all(figure.replace(" ", "") in self.asked.text.replace(" ", "") for figure in figures)


def _alike(part: str, word: str) -> bool:
    if part.isascii() and word.isascii():
        return len(word) > 3 and (part.startswith(word[:-1]) or word.startswith(part))
    return len(part) > 1 and len(word) > 1 and (part in word or word in part or part[:2] == word[:2])


def _kind(asked: Said) -> str | None:
    """What is to be computed. Of two that are compared the lower one is meant by the words of the lowest."""
    words = _cues()
    for kind in ("difference", "average", "total"):
        if any(_stands(asked, word) for word in words[kind]):
            return kind
    high = [word for word in (*words["most"], *words["more"]) if _stands(asked, word)]
    if high:
        rest = asked.text
        for word in sorted(words["most"], key=len, reverse=True):
            rest = rest if word.isascii() else rest.replace(word, " ")  # what is dear has the letters of what is cheap
        return "least" if any(_stands(said(rest), word) for word in words["least"]) else "most"
    lowest = [word for word in words["least"] if word.isascii() and word.endswith("st")]
    return "least" if any(_stands(asked, word) for word in (*lowest, "꼴찌", "최저", "최소", "最低", "最小")) else None


def _stands(asked: Said, word: str) -> bool:
    return f" {word} " in asked.words if word.isascii() else word in asked.text


def _tables(passages: Sequence[Passage]) -> list[Rows]:
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


def _of_table(kind: str, words: _Words, rows: Rows) -> _Meant | None:
    """The row, the column, or the two rows that are meant."""
    cells = [cell for row in rows for cell in _figures(row)]
    names = [name for name in dict.fromkeys(cell.column for cell in cells) if _times(name, cells) >= SMALLEST]
    labels = {cell.label: words.named(cell.label) for cell in cells}
    totals = _cues()["total"]
    has_it = kind in _SUMS and any(_stands(said(rows[0].title), word) for word in _cues()[kind])
    if has_it or not names or any(_stands(said(label), word) for label in labels for word in totals):
        return None  # the table says it itself
    title = words.named(rows[0].title)
    more = words.wants if kind in ("most", "least", "difference") else _as_it_is
    columns = {name: words.named(name) + more(name, cells) for name in names}
    named = [label for label, score in labels.items() if score >= PLAIN and score == max(labels.values())]
    if kind == "difference" and len(named) == SMALLEST:
        column = _best(columns) or (names[0] if len(names) == 1 else "")
        return _Meant(2.0 + title, [cell for cell in cells if cell.label in named and cell.column == column], column)
    several = [label for label, score in labels.items() if score >= PLAIN]
    if kind == "total" and len(several) == SMALLEST:
        column = _best(columns) or (names[0] if len(names) == 1 else "")
        some = [cell for cell in cells if cell.label in several and cell.column == column]
        return _Meant(1.5 + title, some, " + ".join(several)) if some else None
    along = kind in _SUMS or words.compares or _best(columns)
    if len(named) == 1 and along and max(labels.values()) >= WHOLE:
        some = [cell for cell in cells if cell.label == named[0]]
        return _Meant(1.0 + labels[named[0]] + 0.5 * title, some, named[0])
    return None if kind == "difference" else _of_column(kind, columns, title, cells)


def _of_sentence(words: _Words, one: Passage) -> _Meant | None:
    """Two figures of one unit that a sentence lists, both under a name that the question says ("rice 32 minutes, oats
    58 minutes"); a figure names as well (7월 11건, 8월 17건)."""
    cells: list[_Cell] = []
    for piece in _PIECES.split(unicodedata.normalize("NFKC", one.text)):
        figures = list(_PRICED.finditer(piece))
        label = _LAST.split(piece[: figures[-1].start()])[-1].strip() if figures else ""
        if label:
            text = piece[figures[-1].start() :].strip(" .。")
            cells.append(_Cell(one, label, _unit_of(text), float(_digits(figures[-1][1])), text))
    counted = [cell for cell in cells if words.counts(cell.label)]
    counted = counted if len(counted) > 1 else []
    named = counted or [cell for cell in cells if words.named(_name(cell.label))]
    named = [cell for cell in named if not any(_is_more(cell.label, other.label) for other in named)]
    unit = min((cell.column for cell in named), key=len, default="")
    if len(named) != SMALLEST or not all(cell.column.startswith(unit) for cell in named):
        return None
    named = [cell._replace(text=cell.text[: cell.text.find(unit) + len(unit)] if unit else cell.text) for cell in named]
    return _Meant(1.2, named, " / ".join(cell.label if counted else _name(cell.label) for cell in named))


def _name(label: str) -> str:
    """What stands before a figure: the last word, of wide letters; of others all."""
    words = [word for word in _COUNTED.sub(" ", label).split() if len(word) > 1]
    return words[-1] if words and not words[-1].isascii() else " ".join(words)


def _is_more(label: str, other: str) -> bool:
    """Whether a name begins with another one, and is longer."""
    one, two = _name(label), _name(other)
    return label != other and len(one) > len(two) and one.startswith(two)


def _of_column(kind: str, columns: dict[str, float], title: float, cells: list[_Cell]) -> _Meant | None:
    """The column that is named; where none is, the only one, or for the highest and the lowest all of the table."""
    column = _best(columns) or (next(iter(columns)) if title and len(columns) == 1 else None)
    if column is not None:
        return _Meant(columns[column] + title + 0.1, [cell for cell in cells if cell.column == column], column)
    if kind in ("most", "least") and title >= PLAIN:
        return _Meant(title, [cell for cell in cells if cell.column in columns], "")
    return None


def _as_it_is(_column: str, _cells: Sequence[_Cell]) -> float:
    return 0.0


def _times(name: str, cells: Sequence[_Cell]) -> int:
    return sum(cell.column == name for cell in cells)


def _best(named: dict[str, float]) -> str | None:
    most = max(named.values(), default=0.0)
    best = [name for name, score in named.items() if score == most and most > 0]
    return best[0] if len(best) == 1 else None


def _figures(row: Passage) -> list[_Cell]:
    label = row.cells[0][1]
    found = []
    for name, text in row.cells[1:]:
        number = _number(text)
        if number is not None:
            found.append(_Cell(row, label, name, number, text))
    return found


def _number(text: str) -> float | None:
    """Of a cell that begins with a figure."""
    flat = unicodedata.normalize("NFKC", text)
    match = _NUMBER.search(flat)
    if match is None or not _FRONT.match(flat[: match.start()]) or ":" in flat or flat.count("~"):
        return None
    return float(_digits(match.group()))


def _digits(figure: str) -> str:
    return figure.replace(",", "").replace(" ", "").replace("−", "-")


def _worth(cell: _Cell) -> float:
    """The figure, to be compared: of times in minutes."""
    return cell.number * _lasting().get(_unit_of(cell.text), 1.0)


def _unit_of(text: str) -> str:
    """The word behind its first figure, without the end of an English plural."""
    match = _UNIT.search(text)
    return match[1].casefold().removesuffix("s") if match else ""


@cache
def _lasting() -> dict[str, float]:
    """Minutes of each unit of time."""
    return {str(unit): minutes for minutes, units in _cues()["minutes"].items() for unit in units}  # type: ignore[attr-defined]


def _told(kind: str, meant: _Meant) -> Computed | None:
    cells, of = meant.cells, meant.of
    if len(cells) < SMALLEST:
        return None
    terms = tuple(cell.text for cell in cells)
    page = cells[0].row.page
    if kind in ("most", "least"):
        best = (max if kind == "most" else min)(cells, key=_worth)
        if sum(_worth(cell) == _worth(best) for cell in cells) > 1:
            return None
        one = of == best.label  # a row is looked along, a column down
        return Computed(kind, best.text, best.column if one else best.label, terms, best.row.text, best.row.page)
    numbers = [cell.number for cell in cells]
    if kind == "difference":
        value = abs(numbers[0] - numbers[1]) if len(numbers) == 2 else None
    else:
        value = sum(numbers) / (len(numbers) if kind == "average" else 1)
    if value is None or len(set(map(_unit, cells))) > 1:
        return None
    return Computed(kind, _shown(value, cells), of, terms, "", page)


def _unit(cell: _Cell) -> str:
    match = _NUMBER.search(unicodedata.normalize("NFKC", cell.text))
    return unicodedata.normalize("NFKC", cell.text)[match.end() :].strip() if match else ""


def _shown(value: float, cells: Sequence[_Cell]) -> str:
    """With as many decimals as the figures have, and their unit where they share it."""
    matches = [_NUMBER.search(unicodedata.normalize("NFKC", cell.text)) for cell in cells]
    decimals = max(len(match.group().partition(".")[2]) for match in matches if match)
    whole = f"{value:,.{decimals}f}" if decimals or value == int(value) else f"{value:,.1f}"
    first = unicodedata.normalize("NFKC", cells[0].text)
    front = first[: matches[0].start()] if matches[0] else ""
    return f"{front}{whole}{_unit(cells[0])}"


@cache
def _cues() -> dict[str, list[str]]:
    words: dict[str, list[str]] = load("computed.yaml")
    return words
