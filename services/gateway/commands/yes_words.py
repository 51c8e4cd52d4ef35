"""The words by which a typed sentence answers an open question: yes_words.yaml."""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from services.gateway.domain.typed import Turn, Words, turn
from understanding.port import quantities_in

_FILE = Path(__file__).with_name("yes_words.yaml")
LONGEST = 60
"""Characters: whoever says more says something of their own."""


@cache
def words() -> Words:
    """Those of all languages: a person says "ok" in any of them."""
    lists: list[dict[str, Any]] = list(yaml.safe_load(_FILE.read_text(encoding="utf-8")).values())
    kinds = ("approves", "rejects", "behind", "beside", "sorry", "alone", "approval", "refusal", "around", "hands")
    known = {kind: frozenset(said(word).plain for one in lists for word in one[kind]) for kind in kinds}
    changes, own = (re.compile("|".join(f"(?:{one[kind]})" for one in lists)) for kind in ("changes", "own"))
    return Words(
        yes=known["approves"],
        no=known["rejects"],
        behind=known["behind"],
        beside=known["beside"],
        sorry=known["sorry"],
        alone=known["alone"],
        changes=changes,
        own=own,
        approval=known["approval"],
        refusal=known["refusal"],
        around=known["around"],
        quantities=quantities_in,
        hands=known["hands"],
    )


def said(text: str) -> Turn:
    """The turn as it is compared; empty for one that is too long to be an answer."""
    return turn(unicodedata.normalize("NFKC", text).strip()) if len(text) <= LONGEST else Turn("")
