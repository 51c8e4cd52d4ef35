"""The shape of insight.competitor. Shares are fractions 0..1; differences are of shares, so 0.1 is ten points."""

from typing import Literal

from pydantic import Field

from contracts.shape import Contract
from packs.marketing.shapes import About, Difference, NamedTally, Tally

Source = Literal["product", "text"]


class BrandTerm(Contract):
    """A term that this brand's liked or disliked reviews hold more often than those of the others."""

    term: str
    language: str
    documents: int = Field(description="reviews of the brand on that side that hold it")
    others: int = Field(description="reviews of the others on that side that hold it")
    share: float = Field(description="documents per review of the brand")
    z: float = Field(description="log-odds ratio against the others, in standard errors")


class Brand(Contract):
    """One brand. `to_others` is its positive share minus that of all others together."""

    name: str
    own: bool
    products: tuple[str, ...] = Field(description="the values of the product column that count as this brand")
    tally: Tally
    rated: int
    share_of_voice: float
    positive_low: float
    positive_high: float
    to_others: Difference
    liked: tuple[BrandTerm, ...]
    disliked: tuple[BrandTerm, ...]
    months: tuple[NamedTally, ...]


class Lead(Contract):
    """The brand with the largest positive share against the next one, among those with enough reviews to rank."""

    first: str
    second: str
    difference: Difference


class TopicRow(Contract):
    """A keyword of all reviews, brand by brand; only brands that it is said of."""

    term: str
    brands: tuple[NamedTally, ...]


class Competitor(Contract):
    """insight.competitor"""

    about: About
    source: Source = Field(description="whether the brand stands in the product column or was found in the texts")
    brands: tuple[Brand, ...] = Field(description="largest positive share first, those with few reviews last")
    left_out: int = Field(description="further brands, with fewer reviews than any of these")
    lead: Lead | None = Field(description="none when fewer than two brands have enough reviews")
    topics: tuple[TopicRow, ...] = Field(description="from insight.keywords, where it was there")
    unassigned: int = Field(description="reviews of no compared brand")
    shared: int = Field(description="reviews whose text names several brands; they count for none")
