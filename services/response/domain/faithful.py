"""Whether a retelling says nothing that the findings do not: numbers, file names and addresses must stand in them."""

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FILE = re.compile(r"(?<![\w-])[\w-]++\.[A-Za-z][A-Za-z0-9]{1,4}(?![A-Za-z0-9])")
_ADDRESS = re.compile(r"https?://[^\s)>\]]+")
MOST_WORDS = 2
"""Times the length of the findings; a retelling is meant to be shorter."""
ROOM = 200
KEPT = 0.5
"""Of the numbers: a retelling without them tells nothing."""
SHARED = 0.3
"""Of its pairs of letters: what has none of the findings' words is about something else."""


def is_faithful(told: str, findings: Sequence[str]) -> bool:
    """False also for nothing, for something else, and for much more than there was to tell."""
    facts = "\n".join(findings)
    if not told.strip() or len(told) > MOST_WORDS * len(facts) + ROOM:
        return False
    said, found = _numbers(told), _numbers(facts)
    if not said <= found or len(said) < KEPT * len(found):
        return False
    if any(not {*pattern.findall(told)} <= {*pattern.findall(facts)} for pattern in (_FILE, _ADDRESS)):
        return False
    pairs = _pairs(told)
    return len(pairs & _pairs(facts)) >= SHARED * len(pairs)


def _numbers(text: str) -> set[str]:
    return {found.replace(",", "") for found in _NUMBER.findall(text)}


def _pairs(text: str) -> set[str]:
    words = re.findall(r"\w+", text.casefold())
    return {word[place : place + 2] for word in words for place in range(max(1, len(word) - 1))}
