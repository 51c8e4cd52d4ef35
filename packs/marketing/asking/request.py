"""A question about a table as a typed request. It is closed: a query is made of this, never of a person's words."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

Asks = Literal["figures", "preview", "why", "examples", "rows"]
Op = Literal["in", "not_in", "lt", "le", "gt", "ge", "between", "contains", "lacks", "empty", "filled", "weekday"]
MeasureKind = Literal["count", "mean", "median", "sum", "share", "portion", "min", "max", "distinct", "ratio"]
Grain = Literal["year", "half", "quarter", "month", "week", "day", "weekday", "calendar"]


OTHER_SIDE: dict[Op, Op] = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "empty": "filled", "filled": "empty"}


@dataclass(frozen=True, slots=True)
class Heading:
    """The column that a bound is: what is below "reorder level" is so row by row."""

    name: str


Value = str | float | date | Heading | None


def as_day(value: object) -> date | None:
    """A bound of a time; None where it has none there."""
    return value if isinstance(value, date) else None


@dataclass(frozen=True, slots=True)
class Filter:
    """Of a column, its values: one for comparisons, two for `between`, any number for `in`, none for `empty` and
    `filled`; days of the week are 1 to 7, Monday first."""

    column: str
    op: Op
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """By the values of a column, or of a column of days by their `grain` or by the `periods` that were named. `sides`:
    days of the week that are taken together. `steps`: in the order of the values, as a scale is read. `parts`: not by
    values, but by what is said of the rows; a row may be in several. "calendar" are months whatever the year."""

    column: str
    grain: Grain | None = None
    periods: tuple[tuple[date | None, date | None], ...] = ()
    steps: bool = False
    sides: tuple[tuple[int, ...], ...] = ()
    parts: tuple[tuple[Filter, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """`column` is None for counts of rows. A share is of the rows that `part` keeps, or of what they add up to in
    `column`; a portion is what a group has of all; a ratio is what `column` adds up to by what `per` does; any other
    figure with `per` is of the products of both, row by row. With `since`, how much more it is of the rows of the
    second than of those of the first; `stepped`: than of the time before. A ratio with `each` is by how many days,
    months or persons there are in `per`; without `column`, of the rows."""

    kind: MeasureKind
    column: str | None = None
    part: tuple[Filter, ...] = ()
    per: str | None = None
    days: bool = False
    each: Literal["day", "week", "month", "person"] | None = None
    since: tuple[Filter, ...] = ()
    stepped: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """`having` bounds the rows of a group, `bound` the figure that is told of it. `columns` are those that are told of
    single rows, the first of which is what they are ranked by. `change`: how much more or less the last of two times
    has is told as well; `apart`: by how much two groups differ; `times`: how many times the
    one is the other. `replaced` are filters of before in whose place others
    of the same columns are now. `unknown` are what looks like a value of a column and is none, `unread` the words of
    substance that nothing has taken: with either there is a question instead of an answer. `aside` is the only such
    word beside rows or groups that are named: the answer says that it was not looked at. `meant`: not all of its words
    were known, and it was read by what it means (asking.meaning); the answer says that as well."""

    asks: Asks = "figures"
    filters: tuple[Filter, ...] = ()
    groups: tuple[Group, ...] = ()
    measures: tuple[Measure, ...] = (Measure("count"),)
    having: tuple[Op, float] | None = None
    bound: tuple[Op, float] | None = None
    descending: bool | None = None
    limit: int | None = None
    columns: tuple[str, ...] = ()
    change: bool = False
    decimals: int = 2
    replaced: tuple[Filter, ...] = ()
    apart: bool = False
    times: bool = False
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    meant: bool = False
