"""Which rows a report of a table is of, in words."""

from collections.abc import Callable, Iterator
from typing import Protocol

from packs.marketing.asking.answering import period_name
from packs.marketing.asking.sentences import SIGNS, shown
from packs.marketing.asking.written import number
from packs.marketing.overview.wanted import Wanted


class Texts(Protocol):
    """Whatever has texts."""

    @property
    def text(self) -> Callable[..., str]: ...


def rows_meant(asked: Wanted, ctx: Texts) -> Iterator[str]:
    """As in "Status = Approved", "Date 2026-07-01 – 2026-09-30"."""
    for one in asked.filters:
        yield shown(one, ctx)
    if asked.times is not None:
        spans = ", ".join(period_name(first, last) for first, last in asked.times.periods)
        yield f"{asked.times.column} {spans}"


def notes(asked: Wanted, ctx: Texts) -> Iterator[str]:
    """What was taken in place of what was said, and what was not understood."""
    for meant, taken in asked.moved:
        yield ctx.text("overview.other_year", asked=meant, taken=taken)
    for chapter in asked.chapters:
        bounds = [f"n {SIGNS[sign]} {number(value)}" for sign, value in filter(None, [chapter.having])]
        bounds += [f"{SIGNS[sign]} {number(value)}" for sign, value in filter(None, [chapter.bound])]
        if bounds:
            yield ctx.text("overview.bound", column=chapter.groups[0].column, bound=", ".join(bounds))
    if asked.unheeded:
        yield ctx.text("overview.unheeded", words=", ".join(asked.unheeded))
