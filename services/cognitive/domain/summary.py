"""The running summary without a model: a line per turn, what was asked and what came of it, figures first."""

import re
from collections.abc import Callable, Iterator, Sequence

from contracts.cognitive import Turn

LIMIT = 1200
"""Characters of a summary."""
ASKED, ANSWERED = 120, 240
_SENTENCE = re.compile(
    r"[^.!?\u3002\uff01\uff1f\n]*(?:[.!?](?=\d)[^.!?\u3002\uff01\uff1f\n]*)*[.!?\u3002\uff01\uff1f\n]?"
)
_FIGURE = re.compile(r"\d")

Line = Callable[[str, str], str]
"""From what was asked and what was answered to a line, in the person's language."""


def condense(turns: Sequence[Turn], before: str, line: Line) -> str:
    """The summary before, then a line for each turn; when it grows too long, the oldest lines without figures go first,
    then the oldest: names and amounts stay longest."""
    lines = [one for one in before.splitlines() if one.strip()]
    lines += [line(_clip(asked, ASKED), _telling(answered)) for asked, answered in _pairs(turns)]
    while len(lines) > 1 and len("\n".join(lines)) > LIMIT:
        lines.remove(next((one for one in lines[:-1] if not _FIGURE.search(one)), lines[0]))
    return _clip("\n".join(lines), LIMIT)


def _pairs(turns: Sequence[Turn]) -> Iterator[tuple[str, str]]:
    """What the person said, and the last thing they were answered before they said more."""
    asked: list[str] = []
    answered = ""
    for turn in turns:
        if turn.role == "assistant":
            answered = turn.text
            continue
        if answered:
            yield _joined(asked), answered
            asked, answered = [], ""
        asked.append(turn.text)
    if asked or answered:
        yield _joined(asked), answered


def _joined(said: Sequence[str]) -> str:
    return " / ".join(" ".join(one.split()) for one in said)


def _telling(answer: str) -> str:
    """The first sentence, and those with figures while there is room; in their order."""
    sentences = [found.strip() for found in _SENTENCE.findall(answer) if found.strip()]
    chosen: list[str] = []
    room = ANSWERED
    for number, sentence in enumerate(sentences):
        if (number == 0 or _FIGURE.search(sentence)) and (len(sentence) <= room or not chosen):
            chosen.append(sentence)
            room -= len(sentence) + 1
    return _clip(" ".join(chosen), ANSWERED)


def _clip(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
