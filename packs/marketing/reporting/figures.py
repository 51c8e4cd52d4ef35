"""Numbers as they stand in the report. One place, so that a figure in a sentence and in a table read the same."""

from collections.abc import Sequence
from datetime import date

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.shapes import About, RatingScale


def count(value: int) -> str:
    return f"{value:,}"


def share(part: int, whole: int) -> str:
    """Percent with one decimal; a dash for nothing of nothing."""
    return f"{100 * part / whole:.1f}%" if whole else "–"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"


def rating(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def scale_end(value: float) -> str:
    return f"{value:g}"


def out_of(mean: float | None, scale: RatingScale | None) -> str:
    """A mean rating, beside the end of its scale where that is known."""
    return f"{rating(mean)} / {scale_end(scale.high)}" if scale else rating(mean)


def days(about: About, ctx: ToolContext) -> str:
    """The first and the last day of the reviews."""
    dated = about.date_from and about.date_to
    return f"{about.date_from} – {about.date_to}" if dated else ctx.text("report.undated")


def source(product: str | None, day: date | None, rated: float | None, ctx: ToolContext) -> str:
    """Whose words a quote is, as far as that is known."""
    said = ctx.text("report.rated", rating=scale_end(rated)) if rated is not None else None
    return " · ".join(part for part in (product, day.isoformat() if day else None, said) if part)


def table(ctx: ToolContext, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> JsonObject:
    """A table of the report: its head in the person's language, and its cells."""
    head: list[JsonValue] = [ctx.text(f"report.column.{name}") for name in columns]
    return {"head": head, "rows": [list[JsonValue](row) for row in rows]}
