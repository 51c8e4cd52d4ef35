"""Whether a sentence insults: it is counted like any other, and not quoted to others."""

import re
from functools import cache
from pathlib import Path

from understanding.kit.data import read_data


def insults(text: str) -> bool:
    return _words().search(text) is not None


@cache
def _words() -> re.Pattern[str]:
    listed = read_data(Path(__file__).parent / "insults.yaml")
    inside = "|".join(re.escape(word) for language in ("ko", "ja") for word in listed[language])
    # "crap" is no part of "scrap", and "crappy" is one of "crap"
    whole = "|".join(map(re.escape, listed["en"]))
    return re.compile(rf"{inside}|\b(?:{whole})(?:s|ed|ing|er|y|py|ty)?\b", re.IGNORECASE)
