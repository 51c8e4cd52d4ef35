"""The parts of a reason for changing a plan that have changed nothing: told, so that nobody takes them for done."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

LEAST = 2
"""Letters that say something."""
MOST = 3
"""Parts that are told."""


class Hearing(NamedTuple):
    """Patterns of all languages: where a reason is `cut` into parts, and words that are `idle`, asking for nothing."""

    cut: Sequence[str]
    idle: Sequence[str]


def without_effect(said: str, rest: str, hearing: Hearing, means: Callable[[str], bool]) -> tuple[str, ...]:
    """The parts of `said` that mean nothing for the plan. `rest` is what no step has taken of it. Empty for a reason of
    one part: it is asked about as a whole where it changes nothing."""
    parts = [part.strip() for part in re.split("|".join(hearing.cut), said, flags=re.IGNORECASE) if part.strip()]
    if len(parts) == 1:
        return ()
    return tuple(part for part in _telling(parts, hearing) if _flat(part) in _flat(rest) and not means(part))[:MOST]


def _telling(parts: Sequence[str], hearing: Hearing) -> Iterator[str]:
    idle = re.compile("|".join(hearing.idle), re.IGNORECASE)
    for part in parts:
        if sum(char.isalnum() for char in idle.sub(" ", part)) >= LEAST:
            yield part


def _flat(said: str) -> str:
    return "".join(said.split())
