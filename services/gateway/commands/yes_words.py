"""The words by which a typed sentence answers an open question: yes_words.yaml."""

import unicodedata
from functools import cache
from pathlib import Path

import yaml

from services.gateway.domain.typed import Words, plain

_FILE = Path(__file__).with_name("yes_words.yaml")
LONGEST = 60
"""Characters: whoever says more says something of their own."""


@cache
def words() -> Words:
    """Those of all languages: a person says "ok" in any of them."""
    lists = yaml.safe_load(_FILE.read_text(encoding="utf-8")).values()
    return Words(
        *(frozenset(said(word) for one in lists for word in one[kind]) for kind in ("approves", "rejects", "behind"))
    )


def said(text: str) -> str:
    """The turn as it is compared; empty for one that is too long to be an answer."""
    return plain(unicodedata.normalize("NFKC", text).strip()) if len(text) <= LONGEST else ""
