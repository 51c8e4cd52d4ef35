"""Patterns over what people write, in which every repetition has an end.

A pattern that may begin anywhere and repeat without end looks at a long text once from each of its characters: 8,000
times the same syllable took 16 s, in which nobody else was served, since `re` holds the interpreter. No sentence needs
more than what is allowed here, and files of words stay readable."""

import re
from collections.abc import Iterator

SPACES, WORD, LETTERS, GROUPS = 40, 40, 60, 16
"""How often at most: white space, of which there is as much as something that was masked is long; characters of a
word; those of a class; a group."""
_TOKEN = re.compile(
    r"(?P<class>\[\^?\]?(?:\\.|[^\]\\]){0,500}+\])|(?P<escape>\\.)|(?P<group>\))|(?P<any>\.)|(?P<char>[^*+?{|(])|(?P<other>.)",
    re.DOTALL,
)
_UNITS = {r"\s": SPACES, " ": SPACES, r"\S": WORD, r"\w": WORD}
_REPEAT = re.compile(r"\*|\+|\{(?P<least>\d+),\}")


def bounded(written: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """The pattern as it is written, with an end to each of its repetitions but those of `.`, which `$` mostly ends.
    Raises re.error."""
    return re.compile("".join(_ended(written)), flags)


def _ended(written: str) -> Iterator[str]:
    at = 0
    while token := _TOKEN.match(written, at):
        at = token.end()
        yield token.group()
        if (most := _most(token)) and (repeat := _REPEAT.match(written, at)):
            at = repeat.end()
            least = int(repeat["least"]) if repeat["least"] else int(repeat.group() == "+")
            yield f"{{{least},{max(most, least)}}}"


def _most(token: re.Match[str]) -> int:
    """How often what was read may be repeated; 0 for what is no unit, or needs no end."""
    match token.lastgroup:
        case "group":
            return GROUPS
        case "class" | "escape" | "char":
            return _UNITS.get(token.group(), LETTERS)
        case _:
            return 0
