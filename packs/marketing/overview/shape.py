"""insight.table: what a table tells, so far that a report or a page can show it."""

from datetime import date

from pydantic import Field

from contracts.shape import Contract, JsonObject
from packs.marketing.evidence import Sentence

TABLE_INSIGHT = "insight.table"


class OverviewLine(Contract):
    """A sentence and its evidence; without it the text states nothing of the rows."""

    text: str
    evidence: JsonObject | None = None


class Part(Contract):
    """A chapter: sentences, a table of figures, Vega-Lite specifications for a page and for a telephone."""

    heading: str
    lines: tuple[OverviewLine, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    chart: JsonObject | None = None
    narrow: JsonObject | None = None
    over_time: bool = False


class Overview(Contract):
    """Of one table; `facts` are names and figures, most important first. `rows` of its `total` were meant: `about` says
    which, and what was said of them that was not understood."""

    file: str
    rows: int = Field(ge=0)
    total: int = Field(default=0, ge=0)
    about: tuple[OverviewLine, ...] = ()
    date_from: date | None = None
    date_to: date | None = None
    facts: tuple[tuple[str, str], ...] = ()
    summary: tuple[OverviewLine, ...] = ()
    parts: tuple[Part, ...] = ()


def line(said: str) -> OverviewLine:
    return OverviewLine(text=str(said), evidence=said.evidence if isinstance(said, Sentence) else None)


def said(one: OverviewLine) -> str:
    """The sentence with its evidence, as it was told."""
    if one.evidence is None:
        return one.text
    told = Sentence(one.text)
    told.evidence = one.evidence
    return told


def parts_of(table: Overview | None) -> dict[str, Part]:
    """By the names that a page or a report has for them."""
    return {f"part{number}": part for number, part in enumerate(table.parts, 1)} if table else {}
