"""Which reviews a request is about: those of its period and of its products. What is left out is counted."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl


@dataclass(frozen=True, slots=True)
class Scope:
    """Both days are in the period; an open end is None. No products: all of them."""

    date_from: date | None = None
    date_to: date | None = None
    products: tuple[str, ...] = ()

    @property
    def dated(self) -> bool:
        return self.date_from is not None or self.date_to is not None


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The reviews within a scope, and how many others there were. `products_unknown`: no review names a product, so
    none could be left out for naming another."""

    frame: pl.DataFrame
    out_of_period: int = 0
    undated: int = 0
    other_products: int = 0
    products_unknown: bool = False


def narrow(frame: pl.DataFrame, scope: Scope) -> Narrowed:
    """First by the period, then by the products."""
    within = _within(frame, scope)
    undated = frame["date"].null_count() if scope.dated else 0
    out_of_period = frame.height - within.height - undated
    unknown = bool(scope.products) and frame["product"].null_count() == frame.height
    if not scope.products or unknown:
        return Narrowed(within, out_of_period, undated, products_unknown=unknown)
    meant = [product for product in within["product"].drop_nulls().unique() if _is_meant(product, scope.products)]
    kept = within.filter(pl.col("product").is_in(meant))
    return Narrowed(kept, out_of_period, undated, within.height - kept.height)


def _within(frame: pl.DataFrame, scope: Scope) -> pl.DataFrame:
    for day, end in ((scope.date_from, False), (scope.date_to, True)):
        if day is not None:
            frame = frame.filter(pl.col("date") <= day if end else pl.col("date") >= day)
    return frame


def _is_meant(product: str, names: Sequence[str]) -> bool:
    """Whether one of the names stands in a product's name as words of its own: "LG" is not in "Bulgari"."""
    folded = _folded(product)
    return any(_pattern(name).search(folded) for name in names if name.strip())


def _pattern(name: str) -> re.Pattern[str]:
    """Spaces may be left out, as Korean shops do; a number may follow ("Galaxy Buds2")."""
    words = r"\s*".join(re.escape(word) for word in _folded(name).split())
    return re.compile(rf"(?<![a-z]){words}(?![a-z])")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
