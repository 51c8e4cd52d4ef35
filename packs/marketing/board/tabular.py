"""A table of figures on the dashboard: key figures, a chart for each chapter that has one."""

from dataclasses import replace

from contracts.tools import ToolContext
from packs.marketing.board.content import Board, Card, Panel, Table, Tone
from packs.marketing.board.page import Drawing, drawing
from packs.marketing.overview.shape import Overview, parts_of, said

_TONES: tuple[Tone, ...] = ("main", "positive", "warm", "main")


def added(board: Board, table: Overview, ctx: ToolContext) -> Board:
    """With what the table tells behind what is there already."""
    days = [f"{table.date_from} – {table.date_to}"] if table.date_from else []
    return replace(
        board,
        period=" · ".join([*(said(one) for one in table.about), *days, board.period]),
        cards=(*board.cards, *_cards(table)),
        summary=(*board.summary, *(said(one) for one in table.summary)),
        panels=(*board.panels, *_panels(table)),
        quality=(ctx.text("report.files", files=table.file), *board.quality),
    )


def _cards(table: Overview) -> list[Card]:
    facts = zip(_TONES, table.facts, strict=False)
    return [Card(f"fact{at}", name, value, "", tone) for at, (tone, (name, value)) in enumerate(facts, 1)]


def _panels(table: Overview) -> list[Panel]:
    """Those with a chart; the others are for the report."""
    return [
        Panel(name, part.heading, " ".join(said(one) for one in part.lines), Table(part.head, part.rows))
        for name, part in parts_of(table).items()
        if part.chart is not None
    ]


def drawings(table: Overview | None, language: str) -> dict[str, Drawing]:
    return {
        name: drawing(name, part.chart, part.narrow or part.chart, language)
        for name, part in parts_of(table).items()
        if part.chart is not None
    }
