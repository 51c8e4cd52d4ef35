"""The wording of one language, read from phrases/<language>.yaml."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Literal

from contracts.shape import Contract
from packs.marketing.reporting.figures import count
from packs.marketing.shapes import Tally
from understanding.kit.data import read_data

Tone = Literal["friendly", "premium", "playful"]
Kind = Literal["attribute", "word", "quote", "share", "plain"]
Part = Literal["headline", "body"]
LANGUAGES = ("ko", "en", "ja")
_FOLDER = Path(__file__).parent / "phrases"


class Phrasebook(Contract):
    """What an ad can say in one language. `terms` are qualities by an id that is the same in every language."""

    particles: dict[str, tuple[str, str]]
    patterns: dict[Tone, dict[Part, dict[Kind, tuple[str, ...]]]]
    calls: dict[str, str]
    usual_call: dict[Tone, str]
    tags: dict[str, tuple[str, ...]]
    basis: str
    claims: tuple[str, ...]
    terms: dict[str, tuple[str, ...]]

    def rests_on(self, overall: Tally | None, now: datetime) -> str:
        """On how many reviews, and until when."""
        return self.basis.format(reviews=count(overall.reviews if overall else 0), date=f"{now:%Y-%m}")


@cache
def phrasebook(language: str) -> Phrasebook:
    return Phrasebook.model_validate(read_data(_FOLDER / f"{language}.yaml"))


@cache
def _known(language: str) -> Mapping[str, str]:
    return {form.casefold(): name for name, forms in phrasebook(language).terms.items() for form in forms}


def quality(term: str, language: str) -> str | None:
    """The id of the quality that a reviewer's word means, if it is one that ads know."""
    return _known(language).get(term.casefold())


@cache
def _claims() -> re.Pattern[str]:
    return re.compile("|".join(claim for name in LANGUAGES for claim in phrasebook(name).claims), re.IGNORECASE)


def claims(text: str) -> str | None:
    """A superlative or promise in the text, in whichever language: what nobody may say of a product unproven."""
    found = _claims().search(text)
    return found.group() if found else None


def has_figures(text: str) -> bool:
    return any(character.isdecimal() for character in text)


def in_order(language: str) -> Sequence[str]:
    """All languages, the person's first."""
    return sorted(LANGUAGES, key=lambda name: name != language)
