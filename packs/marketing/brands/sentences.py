"""What a comparison says in words: who leads, by how much, whether that is more than chance, what each one hears."""

from collections.abc import Iterator

from contracts.tools import ToolContext
from packs.marketing.reporting.figures import count, percent, share
from packs.marketing.reporting.material import FEWEST
from packs.marketing.shapes_competitor import Brand, Competitor, Difference

# A list of complaints is read up to here; the artifact has all of them.
_NAMED = 6


def told(ctx: ToolContext, facts: Competitor) -> list[str]:
    """The summary, in the person's language."""
    return [
        *_scope(facts, ctx),
        *headline(ctx, facts),
        *_apart(facts, ctx),
        *_heard(facts, ctx),
    ]


def headline(ctx: ToolContext, facts: Competitor) -> list[str]:
    """The most important of it, for a summary that tells of other things too."""
    return [*_lead(facts, ctx), *_voice(facts, ctx), *_own(facts, ctx)]


def details(ctx: ToolContext, facts: Competitor) -> list[str]:
    """What the headline leaves out."""
    return [*_scope(facts, ctx), *_apart(facts, ctx), *_heard(facts, ctx)]


def _scope(facts: Competitor, ctx: ToolContext) -> Iterator[str]:
    compared = sum(brand.tally.reviews for brand in facts.brands)
    yield ctx.text("competitor.summary.scope", brands=count(len(facts.brands)), reviews=count(compared))
    if facts.shared:
        yield ctx.text("competitor.summary.shared", reviews=count(facts.shared))
    if facts.unassigned:
        yield ctx.text("competitor.summary.unassigned", reviews=count(facts.unassigned))


def _lead(facts: Competitor, ctx: ToolContext) -> Iterator[str]:
    if facts.lead is None:
        yield ctx.text("competitor.summary.too_few", fewest=count(FEWEST))
        return
    tallies = {brand.name: brand.tally for brand in facts.brands}
    first, second, apart = tallies[facts.lead.first], tallies[facts.lead.second], facts.lead.difference
    verdict = "even" if apart.value == 0 else "clear" if apart.significant else "chance"
    yield ctx.text(
        f"competitor.summary.lead.{verdict}",
        first=facts.lead.first,
        first_share=share(first.positive, first.reviews),
        second=facts.lead.second,
        second_share=share(second.positive, second.reviews),
        **_points(apart),
    )


def _points(apart: Difference) -> dict[str, str]:
    return {
        "points": f"{100 * abs(apart.value):.1f}",
        "low": f"{100 * apart.low:+.1f}",
        "high": f"{100 * apart.high:+.1f}",
    }


def _voice(facts: Competitor, ctx: ToolContext) -> Iterator[str]:
    loudest = max(facts.brands, key=lambda brand: (brand.tally.reviews, brand.name))
    yield ctx.text(
        "competitor.summary.voice",
        name=loudest.name,
        share=percent(loudest.share_of_voice),
        reviews=count(loudest.tally.reviews),
    )


def _own(facts: Competitor, ctx: ToolContext) -> Iterator[str]:
    for brand in facts.brands:
        if brand.own:
            yield _to_others("own", brand, ctx)


def _apart(facts: Competitor, ctx: ToolContext) -> Iterator[str]:
    """Brands that differ from the others by more than chance. Of two, the lead has said it already."""
    if len(facts.brands) > 2:
        for brand in facts.brands[:_NAMED]:
            if brand.to_others.significant and not brand.own:
                yield _to_others("brand", brand, ctx)


def _to_others(which: str, brand: Brand, ctx: ToolContext) -> str:
    apart = brand.to_others
    way = "above" if apart.value >= 0 else "below"
    verdict = "clear" if apart.significant else "chance"
    return ctx.text(
        f"competitor.summary.{which}.{way}.{verdict}" if which == "own" else f"competitor.summary.brand.{way}",
        name=brand.name,
        share=share(brand.tally.positive, brand.tally.reviews),
        **_points(apart),
    )


def _heard(facts: Competitor, ctx: ToolContext) -> Iterator[str]:
    for brand in facts.brands[:_NAMED]:
        if brand.disliked:
            worst = brand.disliked[0]
            yield ctx.text(
                "competitor.summary.complaint",
                name=brand.name,
                term=worst.term,
                documents=count(worst.documents),
                others=count(worst.others),
            )
        else:
            yield ctx.text("competitor.summary.no_complaint", name=brand.name)
        if brand.liked and (brand.own or (facts.lead is not None and brand.name == facts.lead.first)):
            best = brand.liked[0]
            yield ctx.text(
                "competitor.summary.praise", name=brand.name, term=best.term, documents=count(best.documents)
            )
