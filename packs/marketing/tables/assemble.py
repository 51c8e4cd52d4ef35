"""A RawTable and its column roles to review rows, with an account of every row that was refused or mended."""

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from itertools import compress

from packs.marketing.shapes import RatingScale
from packs.marketing.tables.columns import Guess, Role
from packs.marketing.tables.raw import RawTable
from packs.marketing.tables.values import (
    day_order,
    detect_scale,
    fits,
    is_ambiguous,
    is_empty,
    parse_date,
    parse_rating,
)

_Day = date  # within a class that has a `date`

LONGEST_TEXT = 20_000
_REPEATED = 10_000
"""Ratings and days that are parsed once however often they come."""
_EXAMPLES_PER_REASON = 5


@dataclass(slots=True)
class Rows:
    """Reviews as read, column by column: a million objects would be as large as their texts."""

    file: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    rating: list[float | None] = field(default_factory=list)
    date: list[_Day | None] = field(default_factory=list)
    product: list[str | None] = field(default_factory=list)
    review_id: list[str | None] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    """A digest of all cells but the text, those of columns that play no role too: who wrote it, where it was bought."""

    def __len__(self) -> int:
        return len(self.text)

    def without(self, left_out: AbstractSet[tuple[str, int]]) -> "Rows":
        """The rows but those, by file and line."""
        if not left_out:
            return self
        kept = [(file, line) not in left_out for file, line in zip(self.file, self.line, strict=True)]
        return Rows(*(list(compress(getattr(self, column.name), kept)) for column in fields(self)))


@dataclass(frozen=True, slots=True)
class Example:
    """A row that shows what a reason means."""

    file: str
    line: int
    reason: str
    value: str


@dataclass(slots=True)
class Account:
    """Counts by reason. `bad` rows are left out; rows with `warnings` are kept."""

    bad: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)

    def refuse(self, file: str, line: int, reason: str, value: str) -> None:
        self._note(self.bad, Example(file, line, reason, value))

    def warn(self, file: str, line: int, reason: str, value: str) -> None:
        self._note(self.warnings, Example(file, line, reason, value))

    def _note(self, counts: Counter[str], example: Example) -> None:
        counts[example.reason] += 1
        if counts[example.reason] <= _EXAMPLES_PER_REASON:
            self.examples.append(example)


def assemble(into: Rows, file: str, table: RawTable, guesses: Sequence[Guess], today: date, account: Account) -> None:
    """Adds the rows with text, in file order. A bad date or rating costs the row that value and nothing more."""
    where: dict[Role, int] = {guess.role: index for index, guess in enumerate(guesses) if guess.role is not None}
    for bad in table.bad:
        account.refuse(file, bad.line, bad.reason, bad.value)
    dates = where.get("date")
    order, certain = day_order(record.cells[dates] for record in table.records if dates is not None)
    rated, dated = lru_cache(_REPEATED)(parse_rating), lru_cache(_REPEATED)(parse_date)
    # By name: two exports of the same reviews may have their columns in another order.
    others = sorted(set(range(len(table.columns))) - {where.get("text")}, key=lambda at: (table.columns[at], at))
    named = blake2b("\x1f".join(table.columns[at] for at in others).encode(errors="surrogatepass"), digest_size=8)

    for record in table.records:

        def cell(role: Role, cells: tuple[str, ...] = record.cells) -> str:
            return cells[where[role]].strip() if role in where else ""

        text = cell("text")
        if is_empty(text):
            account.refuse(file, record.line, "empty_text", " | ".join(record.cells))
            continue
        if len(text) > LONGEST_TEXT:
            account.warn(file, record.line, "text_cut", f"{len(text)}")
        rating, written = rated(cell("rating")), dated(cell("date"), order)
        if rating is None and not is_empty(cell("rating")):
            account.warn(file, record.line, "rating_unparsable", cell("rating"))
        if written is None and not is_empty(cell("date")):
            account.warn(file, record.line, "date_unparsable", cell("date"))
        elif written is not None and written > today:
            account.warn(file, record.line, "date_in_future", cell("date"))
        elif not certain and is_ambiguous(cell("date")):
            account.warn(file, record.line, "date_order_assumed", cell("date"))
        into.file.append(file)
        into.line.append(record.line)
        into.text.append(text[:LONGEST_TEXT])
        into.rating.append(rating)
        into.date.append(written)
        into.product.append(None if is_empty(cell("product")) else cell("product"))
        into.review_id.append(None if is_empty(cell("id")) else cell("id"))
        same = named.copy()
        same.update("\x1f".join([record.cells[at].strip() for at in others]).encode(errors="surrogatepass"))
        into.cells.append(int.from_bytes(same.digest(), "big", signed=True))


def within_scale(rows: Rows, account: Account) -> RatingScale | None:
    """The scale that most ratings show; those that do not fit it become null and are warned about."""
    scale = detect_scale([rating for rating in rows.rating if rating is not None])
    for at, rating in enumerate(rows.rating):
        if rating is not None and (scale is None or not fits(rating, scale)):
            account.warn(rows.file[at], rows.line[at], "rating_out_of_scale", f"{rating:g}")
            rows.rating[at] = None
    return scale
