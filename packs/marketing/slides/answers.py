"""Where customers differ, in their own words, and what to do next. Only what the reviews bear out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.tools import ToolContext
from packs.marketing.evidence import say
from packs.marketing.reporting.figures import count
from packs.marketing.reporting.material import Material
from packs.marketing.shapes import Keyword
from packs.marketing.slides.terms import blame, blamed
from packs.marketing.slides.voices import Voices

_MOST = 3
# From this share of positive reviews on, satisfied customers of the same point are an answer.
_SPLIT = 0.2


@dataclass(frozen=True, slots=True)
class Objection:
    """`heard` is a customer's sentence, `answer` that of one who is content with the same point."""

    heading: str
    evidence: str
    heard: str
    answer: str


@dataclass(frozen=True, slots=True)
class Step:
    heading: str
    text: str


def objections(material: Material, voices: Voices, ctx: ToolContext) -> list[Objection]:
    """Points on which customers differ, in the words of both. What nobody is content with has no answer in the reviews:
    that is for whoever prepares the talk (`_steps`), and a promise made up here would be none."""
    every = (_by_term(term, voices, ctx) for term in blamed(material)[: 2 * _MOST])
    return [one for one in every if one is not None][:_MOST]


def _by_term(term: Keyword, voices: Voices, ctx: ToolContext) -> Objection | None:
    positive = term.tally.positive if term.tally else 0
    if positive < _SPLIT * term.documents or not (content := voices.about(term.term, "positive")):
        return None
    if not (heard := voices.about(term.term, "negative")):
        return None
    said = "sales_material.objection.content"
    found = say(ctx, said, term.documents, of={"term": term.term}, positive=count(positive))
    return Objection(term.term, blame(term, ctx), heard, f"“{content}” {found}")


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
    if (fall := material.fall) is not None:
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
