"""A document as passages: sentences, and rows of tables with the headings of their columns; titles are context."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from packs.documents.formats.pages import Page, is_wide, width
from packs.documents.sentences import is_ended, is_listed, sentences, unlisted

LONG = 400
QUOTED = 240
"""Characters of a paragraph that is quoted whole."""
"""Characters of a passage; of a longer one the rest is a passage of its own."""
TITLE = 60
"""Columns of a title at most, where a wide letter takes two."""
WRAPPED, NARROWEST = 0.8, 56
"""A line goes on in the next when it has so much of the page's width, and the page is not narrower than that."""
BEGUN = 0.5
"""The same of a line in which a sentence has ended and the next has begun: it does not end there, whoever set it."""
_BEGUN = re.compile(r"\w{2}[.!?。！？]\s+\w[^.!?。！？]*\Z")
NUMBERED = 28
_BRACKETS = frozenset("[【<〈■◆●▶※")
_BETWEEN = " | "
_GAP = re.compile(r"(?<=[^\s.!?。！？])[ \u3000]{2,}(?=\S)")
"""What stands between columns that are lined up by blanks; a sentence ends before none."""
_ALIGNED, _CELL = 3, 44
"""Rows, from which on lines with gaps are a table; the columns of a cell at most: what is longer is a text."""
_LEADERS = re.compile(r"\s?(?:[.·․…‥]\s?){4,}\s?(?=\S)")
"""What leads the eye from a name to its figure."""
_DRAWN = 3
"""Signs of a line at least."""
_COUNTED = re.compile(r"\w{1,8}\s\d{1,2}[.)．:]?\s{1,4}")
"""Item 3. Fees"""
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_ENDING = re.compile(r"[\uac00-\ud7a3]{1,3}[.,!?]")
"""The end of a Korean word, and of its sentence."""
_FIGURE = re.compile(r"[+\-(]?\s?(?:[$€£¥₩]|[A-Z]{3})?\s?\d")
_SUM = re.compile(r"[+\-−]?\s?(?:[$€£¥₩]\s?)?\d{1,3},\d{3}|[+\-−]\s?\d|[$€£¥₩]\s?\d")
"""What is no name of a column, even above a line: that is drawn above a sum."""
_SHAPES = re.compile(r"\d{1,2}[:：]\d\d"), _SUM
"""What a name of a column has not that all its cells have: bus 1 stands above 7:10."""
_NOTHING = frozenset(("", "-", "–", "—", "−", "free", "none", "n/a", "무료", "없음", "無料", "なし"))
"""What stands in a column of figures where there is none."""
_LABELLED = re.compile(r"[^\s:：][^:：.]{0,23}[:：]\s?\S")
"""Valid until: 3 March. Such a line goes on in no other of its kind."""
_MARKS = re.compile(r"\s?[(（][^)）]{0,40}[)）]")
"""What stands in brackets: "Cakes (12 slices)" is a title though it has a figure."""
_EMPHASIS = re.compile(r"\*\*|__|`|\[([^\]]*)\]\([^)]*\)")


class Passage(NamedTuple):
    """`context` is the title above it and the sentence before it or, of a row, the headings of the columns; `line` the
    paragraph that a sentence stands in, where it is short; `cells` those of a row, with the names of their
    columns; `title` what stands above it, and `is_listed` whether it is a point of a list."""

    text: str
    page: int | None = None
    context: str = ""
    is_row: bool = False
    is_title: bool = False
    line: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    title: str = ""
    is_listed: bool = False

    @property
    def quote(self) -> str:
        """What is shown of it: a sentence is understood beside those around it."""
        return self.line or self.text


class _Line(NamedTuple):
    text: str
    page: int | None


def passages(pages: Sequence[Page]) -> list[Passage]:
    """In the order of the document, each once."""
    found: dict[tuple[str, str, int | None], Passage] = {}
    document, title, before = "", "", ""
    last: Passage | None = None
    beyond: Passage | None = None
    groups = _groups([_Line(text, page.number) for page in pages for text in _lines(page.text)])
    for at, group in enumerate(groups):
        if isinstance(group, list):
            made = _rows(group, title)
        else:
            heading = _HEADING.match(group.text)
            text = _plain(heading[1] if heading else group.text)
            ends = at + 1 == len(groups) and bool(found)  # a title has something below it
            titled = heading or (not ends and _is_title(text, first=not found))
            goes_on = bool(last and last.is_listed and at and _continues(text, _line(groups[at - 1])))
            if titled or (not goes_on and _is_numbered_title(text, groups[at + 1 : at + 2])):
                before, title = title, text
                document = document or text
                made = [Passage(text, group.page, "", is_title=True)]
            else:
                if is_ended(text) and last and _is_plain(last) and _is_plain(beyond) and last.title == title:
                    title, before = before or title, ""  # it was the head of a table that a page has as lines
                above = title if title != document else document
                made = _told(sentences(unlisted(text)), group.page, above)
                made = [one._replace(title=title, is_listed=is_listed(text)) for one in made]
        last, beyond = (made[-1], last) if made else (last, beyond)
        for one in made:
            if any(letter.isalnum() for letter in one.text):
                found.setdefault((one.text, one.context, one.page), one)
    return list(found.values())


def _is_plain(one: Passage | None) -> bool:
    """Whether it may be a row of a table that a page has as lines: no title, no point of a list, no sentence."""
    return one is not None and not (one.is_title or one.is_row or one.is_listed or is_ended(one.text))


_APART = _Line("\f", None)
"""Between two tables that are lined up by blanks."""


def _line(group: _Line | list[_Line]) -> str:
    return group.text if isinstance(group, _Line) else ""


def _told(said: Sequence[str], page: int | None, above: str) -> list[Passage]:
    """Sentences of a paragraph; what "they" are is said in the one before."""
    before = ["", *said]
    whole = " ".join(said) if len(said) > 1 else ""
    line = whole if len(whole) <= QUOTED else ""
    return [
        Passage(cut, page, f"{above} {before[at]}".strip(), line=line)
        for at, one in enumerate(said)
        for cut in _cut(one)
    ]


def _lines(text: str) -> list[str]:
    """Lines as they were written: what a page has broken is joined again."""
    found: list[str] = []
    lines = [_LEADERS.sub("\t", line.strip()) if _LEADERS.search(line) else line for line in text.splitlines()]
    widest = max(map(width, lines), default=0)
    spaced = any(line.endswith(" ") for line in lines)
    for line in lines:
        if found and widest >= NARROWEST and _goes_on(found[-1], line, widest):
            before = found[-1].splitlines()[-1]
            found[-1] = f"{found[-1]}{_seam(before, line, spaced=spaced)}\n{line.strip()}"
        else:
            found.append(line)
    return [line.replace("\n", "") for line in found]


def _goes_on(before: str, line: str, widest: int) -> bool:
    last = before.splitlines()[-1] if before else ""
    if not last.strip() or not line.strip() or "|" in line or "|" in last or "\t" in line:
        return False
    if _is_line(line) or _is_line(last) or _is_lined_up(line) or _is_lined_up(last):
        return False
    if _LABELLED.match(line.strip()) and _LABELLED.match(before.strip()):
        return False
    if is_ended(last) or is_listed(line) or _HEADING.match(line) or _HEADING.match(before):
        return False
    return width(last) >= (BEGUN if _BEGUN.search(last.rstrip()) else WRAPPED) * widest


def _seam(before: str, line: str, *, spaced: bool) -> str:
    """A blank, but between wide letters: there a page breaks within words, and says where blanks are if it says so at
    all."""
    if before.endswith(" "):
        return ""
    left, right = before[-1:], line.lstrip()[:1]
    both = is_wide(left) and is_wide(right)
    hangul = both and _is_hangul(left) and _is_hangul(right)
    return "" if (hangul and (spaced or _ENDING.match(line.lstrip()))) or (both and not hangul) else " "


def _groups(lines: Iterable[_Line]) -> list[_Line | list[_Line]]:
    """Lines, and the rows of each table together."""
    found: list[_Line | list[_Line]] = []
    apart = False
    for line in _ruled(list(lines)):
        if line is _APART:
            apart = True
            continue
        is_row = _is_row(line.text)
        if is_row and found and isinstance(found[-1], list) and not apart:
            found[-1].append(line)
        elif is_row:
            found.append([line])
            apart = False
        elif line.text.strip() and not _is_line(line.text):
            found.append(line)
    return [group[0] if isinstance(group, list) and len(group) == 1 else group for group in found]


def _is_row(text: str) -> bool:
    flat = text.strip()
    return _BETWEEN in flat or flat.startswith("|") or "\t" in flat


def _ruled(lines: Sequence[_Line]) -> list[_Line]:
    """With tabs between columns that are lined up by blanks: some lines one after another that have gaps, and begin
    where the others begin. Lines that are drawn between them belong to the table; one below the first row makes it the
    head."""
    found: list[_Line] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and (_is_lined_up(lines[end].text) or (end > at and _is_line(lines[end].text))):
            end += 1
        rows = [line for line in lines[at:end] if not _is_line(line.text)]
        if len(rows) >= _ALIGNED:
            aligned = _aligned(rows)
            drawn = [_Line("--\t--", rows[0].page)] if _is_line(lines[at + 1].text) else []
            found += [_APART, aligned[0], *drawn, *aligned[1:], _APART]
        else:
            found += lines[at : max(end, at + 1)]
        at = max(end, at + 1)
    return found


def _is_line(text: str) -> bool:
    """Whether it is drawn, of signs alone."""
    flat = text.strip()
    return len(flat) >= _DRAWN and len(set(flat)) == 1 and flat[0] in "-=_─━═*"


def _is_lined_up(text: str) -> bool:
    if _is_row(text) or not _GAP.search(text.strip()):
        return False
    cells = [cell for _, cell in _placed(text)]
    return any(map(str.isalnum, cells[0])) and not any(is_ended(cell) or width(cell) > _CELL for cell in cells)


def _aligned(lines: Sequence[_Line]) -> list[_Line]:
    """Each cell in the column that it begins nearest to; the columns are those of the row that has most."""
    split = [_placed(line.text) for line in lines]
    starts = [at for at, _ in max(split, key=len)]
    found = []
    for line, cells in zip(lines, split, strict=True):
        row = [""] * len(starts)
        if len(cells) == len(starts):
            row = [text for _, text in cells]
        else:
            for at, text in cells:
                column = min(range(len(starts)), key=lambda n, at=at: abs(starts[n] - at))  # type: ignore[misc]
                row[column] = f"{row[column]} {text}".strip()
        found.append(_Line("\t".join(row), line.page))
    return found


def _placed(text: str) -> list[tuple[int, str]]:
    """Its cells and where each begins, in columns."""
    found, start = [], len(text) - len(text.lstrip())
    for gap in [*_GAP.finditer(text.rstrip()), None]:
        found.append((width(f"{text[:start]}x") - 1, text[start : gap.start() if gap else None].strip()))
        start = gap.end() if gap else start
    return found


def _rows(lines: Sequence[_Line], title: str) -> list[Passage]:
    table = [(_cells(line.text), line.page) for line in lines if not _is_rule(line.text)]
    ruled = len(lines) > 2 and _is_rule(lines[1].text) and not _is_rule(lines[0].text)
    ruled = ruled and not any(map(_SUM.match, table[0][0]))
    head = table[0][0] if ruled or _has_head([cells for cells, _ in table]) else []
    if head:
        table = [(cells + [""] * (len(head) - len(cells)), page) for cells, page in table]
    table = table[1 if head else 0 :]
    half = len(head) // 2
    if half > 1 and head[1:half] == head[half + 1 :]:  # two tables side by side
        sides = slice(half), slice(half, None)
        return [one for side in sides for one in _made([(row[side], page) for row, page in table], head[side], title)]
    return _made(table, head, title)


def _made(table: Sequence[tuple[list[str], int | None]], head: Sequence[str], title: str) -> list[Passage]:
    context = " ".join([title, *head]).strip()
    return [
        Passage(_row(cells, head), page, context, is_row=True, cells=_pairs(cells, head), title=title)
        for cells, page in table
        if any(cells)
    ]


def _pairs(cells: Sequence[str], head: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Nothing of a row that has no heading for each of its cells."""
    return tuple(zip(head, cells, strict=True)) if len(head) == len(cells) else ()


def _is_rule(line: str) -> bool:
    """The line of Markdown between headings and rows."""
    return "--" in line and set(line) <= set("|-: \t")


def _cells(line: str) -> list[str]:
    cells = line.strip().strip("|").split("|") if "|" in line else line.strip(" \n").split("\t")
    return [_plain(cell) for cell in cells]


def _has_head(table: Sequence[Sequence[str]]) -> bool:
    """Words over a column of figures, or a first row of words in a table with three columns and more; of one with two,
    where a value comes again ("Name | Ann" is a pair like the others)."""
    head, rest = table[0], table[1:]
    if any(_heads(name, [row[column] for row in rest if column < len(row)]) for column, name in enumerate(head)):
        return True
    words = bool(rest) and not any(map(_has_figure, head))
    return words and (len(head) > 2 or len({row[-1] for row in rest}) < len(rest))


def _heads(name: str, cells: Sequence[str]) -> bool:
    """Whether figures stand under words: a name may have one ("first 2 hours"), and does not begin with it, unless they
    are moments or sums of money."""
    if not cells or not name:
        return False
    cells = [cell for cell in cells if cell.casefold() not in _NOTHING] or cells
    if any(all(map(shape.match, cells)) and not shape.search(name) for shape in _SHAPES):
        return True
    begin = not _FIGURE.match(name) and all(map(_FIGURE.match, cells))
    return begin or (not _has_figure(name) and all(map(_has_figure, cells)))


def _has_figure(cell: str) -> bool:
    return any(char.isdigit() for char in cell)


def _row(cells: Sequence[str], head: Sequence[str]) -> str:
    if len(head) != len(cells):
        return _BETWEEN.join(cell for cell in cells if cell)
    return _BETWEEN.join(f"{name}: {cell}" if name else cell for name, cell in zip(head, cells, strict=True) if cell)


def _is_title(text: str, *, first: bool) -> bool:
    """A short line that is no sentence. Only the first may have figures in it."""
    if is_ended(text) or is_listed(text) or ":" in text or "：" in text or width(text) > TITLE:
        return False
    return first or not (any(char.isdigit() for char in _MARKS.sub("", text)) or _is_spoken(text))


def _is_numbered_title(text: str, follows: Sequence[_Line | list[_Line]]) -> bool:
    """A few words behind a number or in brackets, and below them something that is no further point of that list."""
    counted = _COUNTED.match(text)
    name = text[counted.end() :] if counted else unlisted(text)
    if (
        not (counted or is_listed(text) or text[:1] in _BRACKETS)
        or not follows
        or is_ended(text)
        or width(name) > NUMBERED
    ):
        return False
    if ":" in text or "：" in text or any(char.isdigit() for char in name.lstrip("[(（【")[-3:]) or _is_spoken(name):
        return False
    below = follows[0]
    return isinstance(below, list) or not _continues(text, below.text)


def _continues(text: str, below: str) -> bool:
    """Whether the line below is the next point of the same list: it begins as this one does."""
    first, second = text.strip()[:1], below.strip()[:1]
    return first == second or (first.isdigit() and second.isdigit() and is_listed(below))


def _is_spoken(text: str) -> bool:
    """Whether it says something though no mark ends it."""
    return bool(re.search(r"(?:다|요|죠|음|함|됨|ます|です|した|する|ない|ください)$", text)) or len(text.split()) > 7


def _cut(text: str) -> list[str]:
    return [text[at : at + LONG] for at in range(0, len(text), LONG)]


def _plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub(lambda found: found[1] or "", text).split())


def _is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"
