"""What is held against the products with what can be answered, and what to do next. Only what the reviews bear out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.tools import ToolContext
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import say
from packs.marketing.reporting.figures import count, scale_end, share
from packs.marketing.reporting.material import Material
from packs.marketing.shapes import Keyword, Quote
from packs.marketing.slides.terms import blamed
from packs.marketing.slides.voices import Voices

_MOST = 3
# From this share of positive reviews on, satisfied customers of the same point are an answer.
_SPLIT = 0.2


@dataclass(frozen=True, slots=True)
class Objection:
    """`heard` is a customer's sentence."""

    heading: str
    evidence: str
    heard: str
    answer: str


@dataclass(frozen=True, slots=True)
class Step:
    heading: str
    text: str


def objections(material: Material, voices: Voices, ctx: ToolContext) -> list[Objection]:
    """By term where terms are known, else by quote."""
    every = [_by_term(term, voices, ctx) for term in blamed(material)[: 2 * _MOST]]
    # A term without a sentence of its own is another word for an objection that is there already.
    found = ([one for one in every if one.heard] or every)[:_MOST]
    if found or material.sentiment is None:
        return found
    quotes = [quote for quote in material.sentiment.quotes if quote.polarity == "negative"]
    return [_by_quote(quote, ctx) for quote in quotes[:_MOST]]


def _by_term(term: Keyword, voices: Voices, ctx: ToolContext) -> Objection:
    positive = term.tally.positive if term.tally else 0
    negative = term.tally.negative if term.tally else 0
    heard = voices.about(term.term, "negative") or ""
    evidence = say(
        ctx,
        "sales_material.objection.evidence",
        term.documents,
        of={"term": term.term},
        interval=wilson(negative, term.documents),
        documents=count(term.documents),
        negative=count(negative),
        share=share(negative, term.documents),
    )
    if positive >= _SPLIT * term.documents:
        answer: str = say(
            ctx,
            "sales_material.objection.answer_split",
            term.documents,
            of={"term": term.term},
            positive=count(positive),
        )
    else:
        answer = ctx.text("sales_material.objection.answer_plain")
    return Objection(term.term, evidence, heard, answer)


def _by_quote(quote: Quote, ctx: ToolContext) -> Objection:
    dated = quote.date.isoformat() if quote.date else None
    rated = ctx.text("report.rated", rating=scale_end(quote.rating)) if quote.rating is not None else None
    evidence = " · ".join(part for part in (dated, rated) if part)
    heading = quote.product or ctx.text("report.quotes.negative")
    return Objection(heading, evidence, quote.text, ctx.text("sales_material.objection.answer_plain"))


def steps(
    material: Material, praised: Sequence[Keyword], against: Sequence[Keyword], product: str | None, ctx: ToolContext
) -> list[Step]:
    """Two to four, in the order in which they are done."""
    return [
        Step(ctx.text(f"sales_material.step.{name}"), text)
        for name, text in _steps(material, praised, against, product, ctx)
    ]


def _steps(
    material: Material, praised: Sequence[Keyword], against: Sequence[Keyword], product: str | None, ctx: ToolContext
) -> Iterator[tuple[str, str]]:
    if praised:
        terms = ", ".join(term.term for term in praised[:3])
        said = "sales_material.step.strengths_text"
        yield "strengths", say(ctx, said, material.about.reviews, of={"terms": terms}, terms=terms)
    if against:
        terms = ", ".join(term.term for term in against[:2])
        said = "sales_material.step.answers_text"
        yield "answers", say(ctx, said, material.about.reviews, of={"terms": terms}, terms=terms)
    fall = next(
        (
            one
            for one in reversed(material.trend.changes if material.trend else ())
            # A level that fell because other products are reviewed is nobody's fall.
            if one.after < one.before and one.measure != "reviews" and one.within is None
        ),
        None,
    )
    if fall is not None:
        n = fall.before_n + fall.after_n
        yield "watch", say(ctx, "sales_material.step.watch_fall", n, of={"from": fall.since}, period=fall.period)
    else:
        yield "watch", ctx.text("sales_material.step.watch_text")
    ranked = sorted(material.products, key=lambda one: (one.positive_share, one.reviews, one.name))
    chosen = product or (ranked[-1].name if ranked else None)
    if chosen:
        yield "trial", ctx.text("sales_material.step.trial_product", product=chosen)
    else:
        yield "trial", ctx.text("sales_material.step.trial_text")
