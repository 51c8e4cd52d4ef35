"""The names that the pack knows, and a person's names for what stands in the data."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from understanding.kit.data import read_data

_GAZETTEER = Path(__file__).parent.parent / "gazetteer.yaml"
_ALIKE = 0.8


@cache
def known(type_: str) -> Mapping[str, tuple[str, ...]]:
    """Normal form -> the words people write, of one entity type of the gazetteer."""
    data = read_data(_GAZETTEER)
    return {str(name): tuple(map(str, words)) for name, words in data[type_]["names"].items()}


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def normal(name: str) -> str:
    """The gazetteer's form of a name, or the name as it is."""
    return _forms().get(folded(name), name.strip())


@cache
def _forms() -> Mapping[str, str]:
    return {
        folded(word): name
        for type_ in ("product", "brand")
        for name, words in known(type_).items()
        for word in (name, *words)
    }


def spellings(name: str) -> tuple[str, ...]:
    """The name itself and, where the gazetteer has it, all other ways to write it."""
    form = normal(name)
    words = known("brand").get(form) or known("product").get(form) or ()
    return tuple(dict.fromkeys((name, form, *words)))


def matching(name: str, products: Sequence[str]) -> list[str]:
    """The products that a person means by a name: that very one, else those that hold it in some spelling."""
    exact = [product for product in products if folded(product) == folded(name)]
    if exact:
        return exact
    pattern = re.compile("|".join(map(spelled, spellings(name))))
    return [product for product in products if pattern.search(folded(product))]


def spelled(word: str) -> str:
    """A pattern for one spelling in folded text. Latin letters are a word of their own ("LG" is not in "algae");
    Korean and Japanese carry endings."""
    text = re.escape(folded(word))
    return rf"(?<![a-z0-9]){text}(?![a-z0-9])" if folded(word).isascii() else text


def nearest(name: str, products: Iterable[str]) -> str | None:
    """The known name that a misspelt one comes close to."""
    rated = [(SequenceMatcher(None, folded(name), folded(product)).ratio(), product) for product in products]
    best = max(rated, default=(0.0, ""))
    return best[1] if best[0] >= _ALIKE else None
