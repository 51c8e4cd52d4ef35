"""Web addresses in a sentence. What stands inside one is no name, no date and no request."""

import re

from contracts.cognitive import Entity

CERTAIN = 0.99
LONGEST = 2_000
# ASCII only: a Korean or Japanese particle may follow without a space ("https://shop.example/reviews를 분석해줘").
_ADDRESS = re.compile(r"https?://[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+", re.IGNORECASE)
# The end of a sentence is not the end of an address.
_AFTER = ".,;:!?'"
_BRACKETS = {")": "(", "]": "["}


def find_addresses(text: str) -> list[Entity]:
    """In reading order; the value begins with http:// or https:// in small letters."""
    found = []
    for match in _ADDRESS.finditer(text):
        said = _without_sentence(match)
        scheme, _, rest = said.partition("://")
        if rest and len(match.group()) <= LONGEST:
            value, start = f"{scheme.lower()}://{rest}", match.start()
            end = start + len(said)
            found.append(Entity(type="url", text=said, value=value, start=start, end=end, confidence=CERTAIN))
    return found


def without_addresses(text: str) -> str:
    """The text with spaces in place of its addresses, so that positions stay true."""
    return _ADDRESS.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    length = len(_without_sentence(match))
    return " " * length + match.group()[length:]


def _without_sentence(match: re.Match[str]) -> str:
    """Without the full stop or the closing bracket of the sentence around it."""
    said = match.group()
    while len(said) <= LONGEST:
        last = said[-1]
        if last in _AFTER or (last in _BRACKETS and said.count(last) > said.count(_BRACKETS[last])):
            said = said[:-1]
        else:
            return said
    return said
