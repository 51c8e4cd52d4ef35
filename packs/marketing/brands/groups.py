"""Which review speaks of which brand: by its product column, or by the names in its text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from packs.marketing.brands.names import folded, known, matching, normal, spelled, spellings
from packs.marketing.shapes_competitor import Source


class UnknownBrand(Exception):
    """`name` is nowhere in the data; `known` are the names that are, most reviewed first."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"{name!r} is none of {known!r}")
        self.name = name
        self.known = tuple(known)


@dataclass(frozen=True, slots=True)
class Grouping:
    """`of` has a brand, or none, per review in order; `names` are the brands that have any, most reviewed first."""

    source: Source
    of: Sequence[str | None]
    products: Mapping[str, tuple[str, ...]]
    own: str | None
    shared: int = 0

    @property
    def names(self) -> list[str]:
        return _by_count(name for name in self.of if name is not None)


def group(reviews: pl.DataFrame, wanted: Sequence[str], own: str | None) -> Grouping:
    """All brands of the reviews, or the wanted ones and the own. Raises UnknownBrand."""
    if reviews["product"].null_count() < reviews.height:
        return _by_product(reviews["product"].to_list(), wanted, own)
    return _by_text(reviews["text"].to_list(), wanted, own)


def _by_product(column: Sequence[str | None], wanted: Sequence[str], own: str | None) -> Grouping:
    products = _by_count(product for product in column if product is not None)
    brand_of: dict[str, str] = {}
    for name in (*wanted, *([own] if own else [])):
        found = matching(name, products)
        if not found:
            raise UnknownBrand(name, products)
        fresh = [product for product in found if product not in brand_of]
        brand_of |= dict.fromkeys(fresh, fresh[0] if len(fresh) == 1 else name)
    mine = brand_of[matching(own, products)[0]] if own else None
    if not wanted:
        brand_of = {product: product for product in products} | brand_of
    members = {name: tuple(product for product in brand_of if brand_of[product] == name) for name in brand_of.values()}
    return Grouping("product", [brand_of.get(product) if product else None for product in column], members, mine)


def _by_text(texts: Sequence[str], wanted: Sequence[str], own: str | None) -> Grouping:
    plain = [folded(text) for text in texts]
    # Brands where the texts name several, else products of one brand.
    types = [known("brand"), known("product")]
    names = next((found for found in types if len(_said(_mentions(plain, found))) > 1), types[0])
    asked = {normal(name): spellings(name) for name in (*wanted, *([own] if own else []))}
    mentions = _mentions(plain, asked if wanted else {**names, **asked})
    there = _said(mentions)
    for name in (*wanted, *([own] if own else [])):
        if normal(name) not in there:
            raise UnknownBrand(name, _said(_mentions(plain, names)))
    # A review that names several brands likes one of them and not the other: nobody knows which, so it counts for none.
    of = [next(iter(found)) if len(found) == 1 else None for found in mentions]
    shared = sum(len(found) > 1 for found in mentions)
    return Grouping("text", of, dict.fromkeys(there, ()), normal(own) if own else None, shared)


def _mentions(texts: Sequence[str], names: Mapping[str, Sequence[str]]) -> list[set[str]]:
    """The names in each folded text. The longest spelling wins where two begin, so "Galaxy Buds" is no "Galaxy"."""
    owner = {folded(word): name for name, words in names.items() for word in (name, *words)}
    pattern = re.compile("|".join(map(spelled, sorted(owner, key=lambda word: (-len(word), word)))))
    return [{owner[found] for found in pattern.findall(text)} for text in texts]


def _said(mentions: Sequence[set[str]]) -> list[str]:
    return _by_count(name for found in mentions for name in found)


def _by_count(names: Iterable[str]) -> list[str]:
    """Each name once, the most frequent first."""
    counts = Counter(names)
    return sorted(counts, key=lambda name: (-counts[name], name))
