"""A sum that is pointed at ("send that much") is the one of the last answer, where that has told one."""

import re
from collections.abc import Sequence
from datetime import datetime

from contracts.cognitive import Turn
from understanding.offline.tasks import clause_of

_LONGEST = 2000
"""Letters of an answer in which a sum is looked for."""
_POINTS = {
    "ko": re.compile(r"(?<![가-힣])(?:그|이|방금|위의?)\s?(?:금액|액수)(?:만큼)?|(?<![가-힣])(?:그|고)만큼"),
    "en": re.compile(r"\b(?:that much|(?:that|this)(?: exact| same)? (?:amount|sum))\b", re.IGNORECASE),
    "ja": re.compile(r"(?:その|この)(?:金額|額)|それだけ(?=[をの送振])"),
}
_RESULT = re.compile(r"=\s*\Z")


def with_sum(text: str, history: Sequence[Turn], now: datetime) -> str:
    """The text with that sum in place of the words that point at it; as it is where the answer has none, or several of
    which none is the result."""
    last = history[-1] if history else None
    found = ((language, points) for language, words in _POINTS.items() if (points := words.search(text)))
    language, points = next(found, ("", None))
    if points is None or last is None or last.role == "user":
        return text
    answer = last.text[:_LONGEST]
    sums = [one for one in clause_of(answer, now, language).entities if one.type == "money"]
    results = [one for one in sums if _RESULT.search(answer[: one.start])]
    told = {one.value: one.text.strip() for one in sums}
    worked_out = {one.value: one.text.strip() for one in results}
    (meant,) = told.values() if len(told) == 1 else worked_out.values() if len(worked_out) == 1 else (None,)
    return text if meant is None else text[: points.start()] + meant + text[points.end() :]
