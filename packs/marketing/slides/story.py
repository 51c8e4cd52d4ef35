"""What a deck tells, slide by slide, before anything is drawn: titles, figures, charts, quotes, notes."""

from collections.abc import Iterator, Sequence
from itertools import islice

from pydantic import JsonValue

from contracts.tools import ToolContext
from packs.marketing.evidence import say
from packs.marketing.reporting.figures import count, days, out_of, percent, source
from packs.marketing.reporting.material import Material
from packs.marketing.reporting.sentences import changed_products, changes, limits, part_of, products, sampled, summary
from packs.marketing.slides.answers import objections, steps
from packs.marketing.slides.charted import sentiment_page, told_of, trend_page
from packs.marketing.slides.native import Chart, SlideSeries
from packs.marketing.slides.pages import Figure, Page, Story, Voice, Wish
from packs.marketing.slides.terms import blamed, praise, praised
from packs.marketing.slides.voices import Voices

_TERMS, _VOICES, _QUOTED = 8, 4, 2


def tell(material: Material, wish: Wish, rivals: Sequence[str], voices: Voices, ctx: ToolContext) -> Story:
    """`rivals` are the sentences of a comparison; `voices` find what customers say about a term."""
    said = summary(material, ctx)
    found = (
        _facts(material, ctx),
        _likes(material, voices, ctx),
        sentiment_page(material, ctx),
        trend_page(material, ctx),
        _voices(material, ctx),
        _objections(material, voices, ctx),
        _competitor(rivals, ctx),
        _next(material, wish, ctx),
    )
    return Story(
        title=wish.title or _title(wish, ctx),
        subtitle=tuple(_subtitle(material, wish, ctx)),
        footer=_footer(material, ctx),
        source=_source(material, ctx),
        pages=tuple(page for page in found if page is not None),
        summary=tuple(said),
        notes=(*said[:2], *limits(material, ctx)[:1]),
    )


def _title(wish: Wish, ctx: ToolContext) -> str:
    if wish.product:
        return ctx.text("sales_material.title_product", product=wish.product)
    return ctx.text("sales_material.title")


def _subtitle(material: Material, wish: Wish, ctx: ToolContext) -> Iterator[str]:
    about = material.about
    if wish.audience:
        yield ctx.text("sales_material.audience", audience=wish.audience)
    if about.date_from and about.date_to:
        yield say(
            ctx, "sales_material.basis_dated", about.reviews,
            reviews=count(about.reviews), start=about.date_from.isoformat(), end=about.date_to.isoformat(),
        )  # fmt: skip
    else:
        yield say(ctx, "sales_material.basis", about.reviews, reviews=count(about.reviews))
    yield ctx.text("report.made", date=ctx.now.date().isoformat())


def _footer(material: Material, ctx: ToolContext) -> str:
    files = material.about.quality.files
    named = (
        files[0]
        if len(files) == 1
        else ctx.text("sales_material.files", first=files[0], more=len(files) - 1)
        if files
        else "–"
    )
    reviews = material.about.reviews
    return say(ctx, "sales_material.footer", reviews, files=named, reviews=count(reviews))


def _source(material: Material, ctx: ToolContext) -> str:
    insights = {"sentiment": material.sentiment, "keywords": material.keywords, "trend": material.trend}
    return say(
        ctx,
        "sales_material.source",
        material.about.reviews,
        files=", ".join(material.about.quality.files) or "–",
        reviews=count(material.about.reviews),
        insights=", ".join(ctx.text(f"artifact.insight.{name}") for name, found in insights.items() if found),
        date=ctx.now.date().isoformat(),
    )


def _facts(material: Material, ctx: ToolContext) -> Page:
    about, sentiment = material.about, material.sentiment
    figures = []
    if sentiment is not None:
        overall = sentiment.overall
        figures.append(
            Figure(
                percent(overall.positive_share),
                ctx.text("report.fact.positive"),
                part_of("sales_material.fact.of", overall, "positive", ctx),
                "positive",
            )
        )
    if about.mean_rating is not None:
        note = say(ctx, "sales_material.fact.rated", about.rated, of={"rated": True}, rated=count(about.rated))
        value = out_of(about.mean_rating, about.quality.rating_scale)
        figures.append(Figure(value, ctx.text("report.fact.rating"), note, "warm"))
    figures.append(Figure(count(about.reviews), ctx.text("report.fact.reviews"), days(about, ctx), "main"))
    if about.products > 1:
        named = ctx.text("sales_material.fact.products")
        figures.append(Figure(count(about.products), ctx.text("report.fact.products"), named, "main"))
    said = summary(material, ctx)
    # The first sentence is the lead, the shares of polarity are in the cards: the rest is news.
    changed = [*changes(material, ctx, "positive_share", "mean_rating"), *changed_products(material.trend, ctx)]
    told = [*products(material, ctx), *changed][:2]
    heading = ctx.text("sales_material.heading.facts")
    return Page("facts", heading, said[0], tuple(figures), aside=tuple(told), notes=tuple(said[:3]))


def _likes(material: Material, voices: Voices, ctx: ToolContext) -> Page | None:
    terms = praised(material)[:_TERMS]
    if not terms:
        return None
    judged = [(term, term.tally) for term in terms if term.tally is not None]
    lead = praise(judged[0][0], ctx)
    chart = Chart(
        "counts",
        tuple(term.term for term, _ in judged),
        (
            SlideSeries(
                ctx.text("report.quotes.positive"), "positive", tuple(float(found.positive) for _, found in judged)
            ),
        ),
        told_of(ctx.text("sales_material.chart.likes"), ((term.term, count(found.positive)) for term, found in judged)),
    )
    return Page(
        "likes",
        ctx.text("sales_material.heading.likes"),
        lead,
        (chart,),
        aside=(ctx.text("sales_material.chart.likes"), *sampled(material.keywords, ctx)),
        voices=tuple(_spoken([term.term for term in terms], voices, ctx)),
        notes=(lead, ctx.text("sales_material.note.likes")),
    )


def _spoken(terms: Sequence[str], voices: Voices, ctx: ToolContext) -> Iterator[Voice]:
    """A customer's sentence on each of the first terms that someone said something clear about."""
    found = ((term, voices.about(term, "positive")) for term in terms)
    for term, sentence in islice(((term, sentence) for term, sentence in found if sentence), _QUOTED):
        yield Voice(sentence, ctx.text("sales_material.mentioning", term=term))


def _voices(material: Material, ctx: ToolContext) -> Page | None:
    if material.sentiment is None:
        return None
    quotes = [quote for quote in material.sentiment.quotes if quote.polarity == "positive"][:_VOICES]
    if not quotes:
        return None
    positive = material.sentiment.overall.positive
    lead = say(ctx, "sales_material.lead.voices", positive, of={"polarity": "positive"}, positive=count(positive))
    unnamed = ctx.text("report.quotes.positive")
    voices = tuple(
        Voice(quote.text, source(quote.product, quote.date, quote.rating, ctx) or unnamed) for quote in quotes
    )
    notes = (lead, ctx.text("sales_material.note.voices"))
    return Page("voices", ctx.text("sales_material.heading.voices"), lead, voices, notes=notes)


def _objections(material: Material, voices: Voices, ctx: ToolContext) -> Page | None:
    found = objections(material, voices, ctx)
    if not found:
        return None
    terms = [one.heading for one in found]
    of: dict[str, JsonValue] = {"terms": list[JsonValue](terms)}
    lead = say(ctx, "sales_material.lead.objections", material.about.reviews, of=of, terms=", ".join(terms))
    notes = (lead, *sampled(material.keywords, ctx), *(f"{one.heading}: {one.evidence} {one.answer}" for one in found))
    return Page("objections", ctx.text("sales_material.heading.objections"), lead, tuple(found), notes=notes)


def _competitor(rivals: Sequence[str], ctx: ToolContext) -> Page | None:
    if not rivals:
        return None
    heading = ctx.text("sales_material.heading.competitor")
    return Page("competitor", heading, rivals[0], tuple(rivals[1:] or rivals), notes=tuple(rivals))


def _next(material: Material, wish: Wish, ctx: ToolContext) -> Page:
    found = steps(material, praised(material), blamed(material), wish.product, ctx)
    lead = ctx.text("sales_material.lead.next")
    notes = (lead, *(step.text for step in found))
    return Page("next", ctx.text("sales_material.heading.next"), lead, tuple(found), notes=notes)
