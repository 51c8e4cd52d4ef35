"""A period asked for, in the person's words."""

from datetime import date

from contracts.tools import ToolContext


def said_period(ctx: ToolContext, first: date | None, last: date | None) -> str:
    """Empty when no period was asked for."""
    if first is not None and last is not None:
        return ctx.text("period.between", start=first.isoformat(), end=last.isoformat())
    if first is not None:
        return ctx.text("period.since", start=first.isoformat())
    return ctx.text("period.until", end=last.isoformat()) if last is not None else ""
