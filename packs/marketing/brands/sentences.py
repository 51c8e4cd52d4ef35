"""What a comparison says in words: who leads, by how much, whether that is more than chance, what each one hears."""

from collections.abc import Iterator

from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.evidence import Sentence, say
from packs.marketing.reporting.figures import count, percent, share
from packs.marketing.reporting.material import FEWEST
from packs.marketing.reporting.sentences import names
from packs.marketing.shapes import Difference
from packs.marketing.shapes_competitor import Brand, Competitor

# A list of complaints is read up to here; the artifact has all of them.
_NAMED = 6
_MOST_LEVEL = 4


def told(ctx: ToolContext, facts: Competitor) -> list[Sentence]:
    """The summary, in the person's language."""
    return [
        *_scope(facts, ctx),
        *headline(ctx, facts),
        *_apart(facts, ctx),
        *_heard(facts, ctx),
    ]


def headline(ctx: ToolContext, facts: Competitor) -> list[Sentence]:
    """The most important of it, for a summary that tells of other things too."""
    return [*_lead(facts, ctx), *_voice(facts, ctx), *_own(facts, ctx)]


def details(ctx: ToolContext, facts: Competitor) -> list[Sentence]:
    """What the headline leaves out."""
    return [*_scope(facts, ctx), *_apart(facts, ctx), *_heard(facts, ctx)]


def _scope(facts: Competitor, ctx: ToolContext) -> Iterator[Sentence]:
    compared = sum(brand.tally.reviews for brand in facts.brands)
    brands = count(len(facts.brands))
    yield say(ctx, "competitor.summary.scope", compared, brands=brands, reviews=count(compared))
    if facts.left_out:
        yield say(ctx, "competitor.summary.left_out", facts.left_out, number=count(facts.left_out))
    if facts.shared:
        yield say(ctx, "competitor.summary.shared", facts.shared, reviews=count(facts.shared))
    if facts.unassigned:
        yield say(ctx, "competitor.summary.unassigned", facts.unassigned, reviews=count(facts.unassigned))


def _lead(facts: Competitor, ctx: ToolContext) -> Iterator[Sentence]:
    tallies = {brand.name: brand.tally for brand in facts.brands}
    ranked = [tally for tally in tallies.values() if tally.reviews >= FEWEST]
    if facts.lead is None:
        yield say(ctx, "competitor.summary.too_few", len(ranked), fewest=count(FEWEST))
        return
    first, second, apart = tallies[facts.lead.first], tallies[facts.lead.second], facts.lead.difference
    verdict = "even" if apart.value == 0 else "clear" if apart.significant else "chance"
    yield say(
        ctx,
        f"competitor.summary.lead.{verdict}",
        first.reviews + second.reviews,
        of={"products": [facts.lead.first, facts.lead.second]},
        interval=(apart.low, apart.high),
        ranked=count(len(ranked)),
        level=count(sum(tally.positive_share == first.positive_share for tally in ranked)),
        fewest=count(FEWEST),
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


def _voice(facts: Competitor, ctx: ToolContext) -> Iterator[Sentence]:
    most = max(brand.tally.reviews for brand in facts.brands)
    loudest = sorted((brand for brand in facts.brands if brand.tally.reviews == most), key=lambda brand: brand.name)
    yield say(
        ctx,
        "competitor.summary.voice" if len(loudest) == 1 else "competitor.summary.voice_level",
        most,
        of={"products": [brand.name for brand in loudest[:_MOST_LEVEL]]},
        name=names(ctx, [brand.name for brand in loudest[:_MOST_LEVEL]], len(loudest)),
        share=percent(loudest[0].share_of_voice),
        reviews=count(most),
    )


def _own(facts: Competitor, ctx: ToolContext) -> Iterator[Sentence]:
    for brand in facts.brands:
        if brand.own:
            yield _to_others("own", brand, ctx)


def _apart(facts: Competitor, ctx: ToolContext) -> Iterator[Sentence]:
    """Brands that differ from the others by more than chance. Of two, the lead has said it already."""
    if len(facts.brands) > 2:
        for brand in facts.brands[:_NAMED]:
            if brand.to_others.significant and not brand.own:
                yield _to_others("brand", brand, ctx)


def _to_others(which: str, brand: Brand, ctx: ToolContext) -> Sentence:
    apart = brand.to_others
    way = "above" if apart.value >= 0 else "below"
    verdict = "clear" if apart.significant else "chance"
    return say(
        ctx,
        f"competitor.summary.{which}.{way}.{verdict}" if which == "own" else f"competitor.summary.brand.{way}",
        brand.tally.reviews,
        of={"product": brand.name},
        interval=(apart.low, apart.high),
        name=brand.name,
        share=share(brand.tally.positive, brand.tally.reviews),
        **_points(apart),
    )


def _heard(facts: Competitor, ctx: ToolContext) -> Iterator[Sentence]:
    for brand in facts.brands[:_NAMED]:
        if brand.disliked:
            worst = brand.disliked[0]
            yield say(
                ctx,
                "competitor.summary.complaint",
                brand.tally.reviews,
                of={"product": brand.name, "term": worst.term},
                name=brand.name,
                term=worst.term,
                documents=count(worst.documents),
                others=count(worst.others),
            )
        else:
            of: dict[str, JsonValue] = {"product": brand.name}
            yield say(ctx, "competitor.summary.no_complaint", brand.tally.reviews, of=of, name=brand.name)
        if brand.liked and (brand.own or (facts.lead is not None and brand.name == facts.lead.first)):
            best = brand.liked[0]
            yield say(
                ctx,
                "competitor.summary.praise",
                brand.tally.reviews,
                of={"product": brand.name, "term": best.term},
                name=brand.name,
                term=best.term,
                documents=count(best.documents),
            )
