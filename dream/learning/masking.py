"""Takes personal data out of what leaves the ledger: addresses, numbers that name a person or an account, names, notes.

What was taken out is named by its kind, [email] say, so that a sentence can still be read and learned from."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_DASH = r"[-\u2010-\u2015\u2212\uff0d.\s]"
_NOT_AFTER = r"(?!\d)"
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"(?<![\w.+%-])[\w.+%-]++\s?[@\uff20]\s?[\w-]++(?:\.[\w-]++)+")),
    # a Korean resident registration: day of birth, a digit from 1 to 8, six more
    ("id", re.compile(rf"(?<!\d)\d{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]){_DASH}?[1-8]\d{{6}}{_NOT_AFTER}")),
    ("card", re.compile(rf"(?<!\d)\d{{4}}(?:{_DASH}?\d{{4}}){{2}}{_DASH}?\d{{3,4}}{_NOT_AFTER}")),
    ("card", re.compile(rf"(?<!\d)3[47]\d{{2}}{_DASH}?\d{{6}}{_DASH}?\d{{5}}{_NOT_AFTER}")),
    ("phone", re.compile(rf"(?<![\d])[+\uff0b]\d{{1,3}}(?:{_DASH}?\(?\d{{1,4}}\)?){{2,5}}{_NOT_AFTER}")),
    ("phone", re.compile(rf"(?<!\d)\(?0\d{{1,3}}\)?{_DASH}{{0,2}}\d{{3,4}}{_DASH}?\d{{4}}{_NOT_AFTER}")),
    ("phone", re.compile(rf"(?<!\d)1[568]\d{{2}}-\d{{4}}{_NOT_AFTER}")),
    # groups of digits with dashes, ten or more in all: an account; a day has eight
    ("account", re.compile(rf"(?<![\d-])(?=(?:-?\d){{10,16}}(?![\d-]))\d{{2,6}}(?:-\d{{1,7}}){{1,3}}{_NOT_AFTER}")),
    ("number", re.compile(r"(?<![\d.])\d{10,19}(?![\d])")),
)
_WIDE = {0xFF10 + digit: str(digit) for digit in range(10)}
"""Digits as wide as Korean and Japanese letters."""
NAME, NOTE = "name", "note"
_FIGURES = re.compile(r"(?<![A-Za-z])[A-Za-z]*+\d[\dA-Za-z-]+")
SHORTEST = 2
"""Letters of a name that is looked for inside sentences; one letter is part of too much."""


@dataclass(frozen=True, slots=True)
class Mask:
    """What is to be taken out beside what can be told by its form: value -> its kind."""

    secrets: Mapping[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """The text without personal data."""
        # the longest first: a name may be part of a note
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = _replaced(text, secret, f"[{self.secrets[secret]}]")
        text = text.translate(_WIDE)
        for kind, pattern in _KINDS:
            text = pattern.sub(f"[{kind}]", text)
        return text

    def value(self, value: Any) -> Any:
        """A JSON value, its strings masked wherever they are; keys too, which may be names."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.text(str(key)): self.value(one) for key, one in value.items()}
            case list() | tuple():
                return [self.value(one) for one in value]
            case _:
                return value


def mask_of(names: Iterable[str] = (), notes: Iterable[str] = ()) -> Mask:
    """A mask for what a session knows: names of people, and texts that somebody wanted to be kept for them."""
    found = {one.strip(): NAME for one in names if len(one.strip()) >= SHORTEST}
    for note in filter(None, (one.strip() for one in notes)):
        # a note may be kept in other words than it was said in: what has digits in it is its secret
        found |= dict.fromkeys(_FIGURES.findall(note), NOTE) | {note: NOTE}
    return Mask(found)


def _replaced(text: str, secret: str, by: str) -> str:
    # letters of one alphabet around it make it another word; a Korean particle after a name does not
    latin = secret.isascii()
    pattern = rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])" if latin else re.escape(secret)
    return re.sub(pattern, lambda _: by, text, flags=re.IGNORECASE)
