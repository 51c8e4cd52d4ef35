"""The comparison itself: a table of judged reviews and their brands to the facts of insight.competitor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from packs.marketing.brands.groups import Grouping
from packs.marketing.brands.intervals import difference, joint, wilson
from packs.marketing.brands.terms import Candidate, candidates, specific
from packs.marketing.polarity.summary import tally
from packs.marketing.reporting.material import FEWEST
from packs.marketing.shapes import About, Keywords, NamedTally, Tally
from packs.marketing.shapes_competitor import Brand, Competitor, Lead, TopicRow

# A table or a chart of more brands is no comparison any more; all reviews still count as "the others".
MOST_BRANDS = 50
_TERMS = 8
_TOPICS = 10


@dataclass(frozen=True, slots=True)
class ComparedReviews:
    """Reviews with their polarity and the brand of each, in the order of reviews.clean."""

    frame: pl.DataFrame
    grouping: Grouping
    found: Sequence[Candidate]
    places: Mapping[str, frozenset[int]]


def compare(judged: pl.DataFrame, grouping: Grouping, about: About, keywords: Keywords | None) -> Competitor:
    """`judged` holds text, language, date, rating and polarity. At least two brands have reviews."""
    frame = judged.with_columns(brand=pl.Series(list(grouping.of), dtype=pl.String)).with_row_index("place")
    assigned = frame.filter(pl.col("brand").is_not_null())
    names = grouping.names[:MOST_BRANDS]
    places = {name: frozenset(assigned.filter(pl.col("brand") == name)["place"].to_list()) for name in grouping.names}
    table = ComparedReviews(
        frame, grouping, candidates(frame["text"].to_list(), frame["language"].to_list(), grouping.names), places
    )
    brands = sorted((_brand(name, assigned, table, len(names)) for name in names), key=_rank)
    return Competitor(
        about=about,
        source=grouping.source,
        brands=tuple(brands),
        left_out=len(grouping.names) - len(names),
        lead=_lead(brands),
        topics=_topics(table, keywords, [brand.name for brand in brands]),
        unassigned=frame.height - assigned.height - grouping.shared,
        shared=grouping.shared,
    )


def _rank(brand: Brand) -> tuple[bool, float, int, str]:
    """A single happy review is no first place."""
    return brand.tally.reviews < FEWEST, -brand.tally.positive_share, -brand.tally.reviews, brand.name


def _brand(name: str, assigned: pl.DataFrame, table: ComparedReviews, brands: int) -> Brand:
    mine, theirs = assigned.filter(pl.col("brand") == name), assigned.filter(pl.col("brand") != name)
    own, others = tally(mine), tally(theirs)
    low, high = wilson(own.positive, own.reviews)
    polarities: list[Any] = table.frame["polarity"].to_list()
    elsewhere = frozenset(theirs["place"].to_list())
    liked, disliked = specific(table.found, table.places[name], elsewhere, polarities, _TERMS)
    # Of two brands each is the other's "others": one comparison. Of more, each is one.
    confidence = joint(brands if brands > 2 else 1)
    return Brand(
        name=name,
        own=name == table.grouping.own,
        products=table.grouping.products.get(name, ()),
        tally=own,
        rated=mine["rating"].count(),
        share_of_voice=round(own.reviews / assigned.height, 4),
        positive_low=round(low, 4),
        positive_high=round(high, 4),
        to_others=difference(own, others, confidence),
        liked=liked,
        disliked=disliked,
        months=_months(mine),
    )


def _months(mine: pl.DataFrame) -> tuple[NamedTally, ...]:
    dated = mine.filter(pl.col("date").is_not_null()).with_columns(month=pl.col("date").dt.strftime("%Y-%m"))
    parts = dated.partition_by("month", as_dict=True)
    return tuple(_named(str(month[0]), tally(parts[month])) for month in sorted(parts))


def _named(name: str, counted: Tally) -> NamedTally:
    return NamedTally(name=name, **counted.model_dump())


def _lead(brands: Sequence[Brand]) -> Lead | None:
    """The two were picked from all pairs of brands by looking, so the interval is that of any pair among them."""
    ranked = [brand for brand in brands if brand.tally.reviews >= FEWEST]
    if len(ranked) < 2:
        return None
    first, second = ranked[:2]
    confidence = joint(len(ranked) * (len(ranked) - 1) // 2)
    return Lead(first=first.name, second=second.name, difference=difference(first.tally, second.tally, confidence))


def _topics(table: ComparedReviews, keywords: Keywords | None, names: Sequence[str]) -> tuple[TopicRow, ...]:
    """What all reviews talk about most, and how each brand fares in it."""
    if keywords is None:
        return ()
    held = {(found.term, found.language): found.documents for found in table.found}
    rows: list[TopicRow] = []
    for keyword in keywords.keywords:
        documents = held.get((keyword.term, keyword.language))
        if documents is None or len(rows) == _TOPICS:
            continue
        parts = {name: sorted(documents & table.places[name]) for name in names}
        tallies = (_named(name, tally(table.frame[places])) for name, places in parts.items() if places)
        rows.append(TopicRow(term=keyword.term, brands=tuple(tallies)))
    return tuple(rows)
