"""The first page, for whoever decides: what is the matter, what to do about it and why, how sure that is."""

from collections.abc import Iterator

from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.brands import sentences as brands
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import Sentence, say
from packs.marketing.reporting.accounting import by_stars
from packs.marketing.reporting.figures import count, percent, share
from packs.marketing.reporting.material import Findings, Material
from packs.marketing.reporting.sentences import (
    changed_products,
    changes,
    complaint,
    left_behind,
    limits,
    polarity,
    products,
    worst_keyword,
)
from packs.marketing.slides.terms import blame, praise, praised
from packs.marketing.slides.voices import Voices
from packs.marketing.stock import sentences as shelves

_MATTERS, _TASKS = 4, 3


def first_page(found: Findings, voices: Voices, ctx: ToolContext) -> JsonObject:
    """Sentences, tasks with their reason and a customer's words, and sentences again; with their headings."""
    tasks = list(_tasks(found, voices, ctx))[:_TASKS]
    return {
        "headings": [ctx.text(f"report.boss.{part}") for part in ("matter", "todo", "sure")],
        "matter": list[JsonValue](_matters(found, ctx)[:_MATTERS]),
        "todo": list[JsonValue](tasks or [_task(ctx.text("report.todo.nothing"), "")]),
        "sure": list[JsonValue](_sure(found, ctx)),
    }


def _matters(found: Findings, ctx: ToolContext) -> list[Sentence]:
    """What is bad or has changed; how opinions stand only where there is no such news."""
    material, said = found.material, list[Sentence]()
    if material is not None:
        said += changes(material, ctx, "positive_share", "mean_rating")[:1]
        said += complaint(material, ctx)
        said += brands.headline(ctx, found.competitor)[:1] if found.competitor else [*products(material, ctx)][:1]
        said = [*polarity(material, ctx), *said] if len(said) < _MATTERS else said
    return [*(shelves.headline(ctx, found.stock.checked)[:2] if found.stock else ()), *said]


def _tasks(found: Findings, voices: Voices, ctx: ToolContext) -> Iterator[JsonObject]:
    if found.stock is not None and found.stock.checked.to_order:
        orders = found.stock.checked.to_order
        named = ", ".join(line.item.name for line in orders[:_TASKS])
        yield _task(ctx.text("report.todo.order", items=named), shelves.headline(ctx, found.stock.checked)[-1])
    material = found.material
    if material is None:
        return
    if (worst := worst_keyword(material)) is not None:
        heard = voices.about(worst.term, "negative") or ""
        yield _task(ctx.text("report.todo.complaint", term=worst.term), blame(worst, ctx), heard)
    if (fall := material.fall) is not None:
        yield _task(ctx.text("report.todo.fall", period=fall.period), changes(material, ctx, fall.measure)[0])
    elif (fallen := material.fallen_product) is not None:
        said = next(changed_products(material.trend, ctx))
        yield _task(ctx.text("report.todo.fall", period=fallen.period), said)
    elif (behind := left_behind(material)) is not None:
        yield _task(ctx.text("report.todo.product", product=behind), next(products(material, ctx)))
    if (best := next(iter(praised(material)), None)) is not None:
        heard = voices.about(best.term, "positive") or ""
        yield _task(ctx.text("report.todo.strength", term=best.term), praise(best, ctx), heard)


def _task(what: str, why: str, heard: str = "") -> JsonObject:
    return {"what": what, "why": why, "heard": heard}


def _sure(found: Findings, ctx: ToolContext) -> Iterator[str]:
    material = found.material
    if material is not None:
        if material.sentiment is not None and (n := material.sentiment.overall.reviews):
            low, high = wilson(material.sentiment.overall.positive, n)
            values = {"reviews": count(n), "low": percent(low), "high": percent(high)}
            of: dict[str, JsonValue] = {"polarity": "positive"}
            yield say(ctx, "report.boss.interval", n, of=of, interval=(low, high), **values)
        yield from agreement(material, ctx)
        yield from by_stars(material.sentiment, ctx)
        yield limits(material, ctx)[0]
    if found.stock is not None:
        yield ctx.text("report.limit.stock")


def agreement(material: Material, ctx: ToolContext) -> Iterator[Sentence]:
    """How often the judgement and clear ratings say the same."""
    if material.sentiment is None or (found := material.sentiment.agreement) is None:
        return
    yield say(
        ctx,
        "report.agreement",
        found.reviews,
        of={"rated": "clearly"},
        reviews=count(found.reviews),
        agree=count(found.agree),
        share=share(found.agree, found.reviews),
    )
