"""Where one sentence may be several requests: after a request that is complete, before one that begins.

Which of the cuts hold is decided by what the pieces mean (understand.py); here is only where they could be."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import yaml

MOST = 12
"""A longer list is data."""
SPLIT_PART = 400


class ClauseSplitter:
    """Compiled from clauses.yaml: per language, patterns whose group `cut` is where the next request would begin."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._patterns = patterns

    def split(self, text: str) -> list[tuple[int, int]]:
        """The spans of the pieces, in order; one span when the text holds no second request."""
        if len(text) > SPLIT_PART:
            return [(0, len(text))]
        cuts = {match.end("cut") for pattern in self._patterns for match in pattern.finditer(text)}
        inner = sorted(cut for cut in cuts if text[:cut].strip() and text[cut:].strip())[: MOST - 1]
        return list(zip([0, *inner], [*inner, len(text)], strict=True))


@cache
def splitter() -> ClauseSplitter:
    """The one of this product's languages."""
    path = Path(__file__).with_name("clauses.yaml")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    filled = [_fill(pattern, data["words"]) for patterns in data["cuts"].values() for pattern in patterns]
    return ClauseSplitter([re.compile(pattern, re.IGNORECASE) for pattern in filled])


def _fill(pattern: str, words: dict[str, str]) -> str:
    return re.sub(r"~(\w+)~", lambda match: f"(?:{words[match[1]]})", pattern)
