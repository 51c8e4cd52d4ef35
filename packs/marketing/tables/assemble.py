"""A RawTable and its column roles to review rows, with an account of every row that was refused or mended."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

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

LONGEST_TEXT = 20_000
_EXAMPLES_PER_REASON = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One review as read."""

    file: str
    line: int
    text: str
    rating: float | None
    date: date | None
    product: str | None
    review_id: str | None


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


def assemble(file: str, table: RawTable, guesses: Sequence[Guess], today: date, account: Account) -> list[Row]:
    """Rows with text, in file order. A bad date or rating costs the row that value and nothing more."""
    where: dict[Role, int] = {guess.role: index for index, guess in enumerate(guesses) if guess.role is not None}
    for bad in table.bad:
        account.refuse(file, bad.line, bad.reason, bad.value)
    dates = where.get("date")
    order, certain = day_order(record.cells[dates] for record in table.records if dates is not None)

    rows: list[Row] = []
    for record in table.records:

        def cell(role: Role, cells: tuple[str, ...] = record.cells) -> str:
            return cells[where[role]].strip() if role in where else ""

        text = cell("text")
        if is_empty(text):
            account.refuse(file, record.line, "empty_text", " | ".join(record.cells))
            continue
        if len(text) > LONGEST_TEXT:
            account.warn(file, record.line, "text_cut", f"{len(text)}")
        rating, written = parse_rating(cell("rating")), parse_date(cell("date"), order)
        if rating is None and not is_empty(cell("rating")):
            account.warn(file, record.line, "rating_unparsable", cell("rating"))
        if written is None and not is_empty(cell("date")):
            account.warn(file, record.line, "date_unparsable", cell("date"))
        elif written is not None and written > today:
            account.warn(file, record.line, "date_in_future", cell("date"))
        elif not certain and is_ambiguous(cell("date")):
            account.warn(file, record.line, "date_order_assumed", cell("date"))
        rows.append(
            Row(
                file,
                record.line,
                text[:LONGEST_TEXT],
                rating,
                written,
                None if is_empty(cell("product")) else cell("product"),
                None if is_empty(cell("id")) else cell("id"),
            )
        )
    return rows


def within_scale(rows: Sequence[Row], account: Account) -> tuple[list[float | None], RatingScale | None]:
    """The ratings that fit the scale that most of them show; the others are null and warned about."""
    scale = detect_scale([row.rating for row in rows if row.rating is not None])
    ratings: list[float | None] = []
    for row in rows:
        if row.rating is not None and (scale is None or not fits(row.rating, scale)):
            account.warn(row.file, row.line, "rating_out_of_scale", f"{row.rating:g}")
            ratings.append(None)
        else:
            ratings.append(row.rating)
    return ratings, scale
