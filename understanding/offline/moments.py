"""Whether a sentence says nothing but a day or a time ("no, 10 o'clock", "3월 31일이야"): moments.yaml has the words
that may stand beside it."""

import re
import unicodedata
from datetime import datetime
from functools import cache
from pathlib import Path

from understanding.grammar import read
from understanding.kit.data import read_data

LONGEST = 40
MOST_BESIDE = 16
"""Characters beside the day and the time."""
MOMENTS = frozenset({"date", "time"})
"""Types of what says when, and slots that it is for."""


def says_only_when(text: str, now: datetime) -> bool:
    """Whether it does; one that asks does not."""
    said = unicodedata.normalize("NFKC", text).strip()
    if len(said) > LONGEST:
        return False
    found = [one for one in read(said, now) if one.type in MOMENTS]
    rest = said
    for one in sorted(found, key=lambda each: -each.start):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    words = re.sub(r"[\s,.!~\u3001\u3002]+", " ", rest).strip().casefold().replace("\u2019", "'")
    return bool(found) and len(words) <= MOST_BESIDE and _around().fullmatch(words) is not None


@cache
def made_again() -> re.Pattern[str]:
    """Words by which what was made is to be made once more, of something else."""
    return re.compile("|".join(read_data(Path(__file__).with_name("moments.yaml"))["again"]), re.IGNORECASE)


@cache
def _around() -> re.Pattern[str]:
    some = read_data(Path(__file__).with_name("moments.yaml"))["around"]
    either = "|".join(re.escape(word) for word in sorted(some, key=len, reverse=True))
    return re.compile(rf"(?:(?:{either})(?:\s|\Z|(?<=[^a-z])))*")
