"""How many keywords a sentence asks for: "상위 20개 키워드", "top 20 keywords", "上位20個のキーワード"."""

import re

from contracts.cognitive import Entity

CERTAIN = 0.9
_NUMBER = r"(?P<number>[1-9]\d{0,2})"
_COUNTS = (
    re.compile(rf"(?:상위\s*|톱\s*|탑\s*)?{_NUMBER}\s*개(?:의)?\s*(?:핵심\s*)?키워드"),
    re.compile(rf"키워드(?:를|을)?\s*(?:상위\s*)?{_NUMBER}\s*개"),
    re.compile(rf"\b(?:top\s+)?{_NUMBER}\s+(?:most\s+\w+\s+)?keywords\b", re.IGNORECASE),
    re.compile(rf"(?:上位|トップ)\s*{_NUMBER}\s*(?:個|件|位)?(?:の)?\s*キーワード"),
    re.compile(rf"キーワード(?:を)?\s*(?:上位)?\s*{_NUMBER}\s*(?:個|件|位)"),
)


def find_top(text: str) -> Entity | None:
    """The first such number, as an entity `top` that spans the number alone."""
    found = [match for pattern in _COUNTS if (match := pattern.search(text)) is not None]
    if not found:
        return None
    first = min(found, key=lambda match: match.start("number"))
    start, end = first.span("number")
    return Entity(
        type="top", text=first["number"], value=int(first["number"]), start=start, end=end, confidence=CERTAIN
    )
