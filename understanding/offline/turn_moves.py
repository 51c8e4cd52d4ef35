"""What a turn of an open dialogue does with the values in it, learned from labelled turns with their state: a softmax
over sentence vector, character n-grams of the masked turn, and what was asked.

It confirms nothing and says no value: it only tells whether values that stand among unknown words are meant for the
open task (docs/adr/0044-moves-are-learned-where-values-are-shown.md)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from backbone.packs import Pack
from contracts.cognitive import Entity
from contracts.shape import Contract, Language
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.ngrams import CharNgrams, Vectors
from understanding.offline.softmax import Softmax, fit_softmax
from understanding.offline.tasks import clause_of
from understanding.port import Asked, Found

Move = Literal["value", "add", "drop", "yes", "no", "ask", "other", "unclear"]
MOVES: tuple[Move, ...] = ("value", "add", "drop", "yes", "no", "ask", "other", "unclear")
ASKED: tuple[Asked, ...] = ("shown", "key", "slot")
"""What the open question is about: a whole task that is shown, a key slot, another slot."""
SURE = 0.7
"""Of `value` and `add` together: 0.69 of such turns are over it, and 10 of 350 others (five parts, each left out)."""
LIKELY = 0.5
"""The same, where a word of the turn says that something changes."""
LONGEST = 160
"""Characters of a turn that is looked at: who says more says more than one thing."""
NAME, PENALTY, STATE = "@", 0.05, 0.5
_MARKS = {"money": "¤", "date": "§", "number": "#", "time": "‡", "span": "‡", "recurrence": "‡"}
_MADE = b"turn moves 1"


class LabelledTurn(Contract):
    """A line of flows/<flow>.turns.jsonl. Names that are known stand in braces; other values are found in the text."""

    lang: Language
    asked: Asked = "shown"
    move: Move
    text: str = Field(min_length=1)


_ENDING = ".turns.jsonl"
_ANY_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""Where only what kind a value is counts."""


def read_turns(path: Path) -> tuple[LabelledTurn, ...]:
    """Raises ValidationError."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(LabelledTurn.model_validate_json(line) for line in lines if line.strip())


def masked(text: str, entities: Iterable[Entity], names: Iterable[tuple[int, int]]) -> str:
    """The turn with a mark in the place of each value."""
    spans = [(start, end, NAME) for start, end in names]
    for one in entities:
        free = not any(start < one.end and one.start < end for start, end, _ in spans)
        if one.type in _MARKS and one.start < one.end and free:
            spans.append((one.start, one.end, _MARKS[one.type]))
    for start, end, mark in sorted(spans, reverse=True):
        text = text[:start] + mark + text[end:]
    return text


class MoveHead:
    """Learns at once, or takes what was learned from the same turns before."""

    def __init__(self, turns: Sequence[LabelledTurn], encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        said = [_unbraced(turn.text) for turn in turns]
        signs = [
            masked(text, _quantities(text, turn.lang), names) for turn, (text, names) in zip(turns, said, strict=True)
        ]
        labels = [f"{turn.move} {turn.asked} {text}" for turn, text in zip(turns, signs, strict=True)]
        key = key_of((_MADE, encoder.name.encode(), *(one.encode() for one in (*labels, *(text for text, _ in said)))))

        def learn() -> Arrays:
            ngrams = CharNgrams()
            states = np.stack([_state(turn.asked, text) for turn, text in zip(turns, signs, strict=True)])
            rows = np.hstack([encoder.encode([text for text, _ in said]), ngrams.fit_encode(signs), states])
            moves = [MOVES.index(turn.move) for turn in turns]
            head = fit_softmax(rows.astype(np.float32), moves, len(MOVES), penalty=PENALTY)
            return {"idf": ngrams.idf, "weights": head.weights, "bias": head.bias}

        learned: Mapping[str, Vectors] = kept(key, learn)
        self._ngrams = CharNgrams(learned["idf"])
        self._head = Softmax(weights=learned["weights"], bias=learned["bias"])

    def values_are_for(
        self,
        text: str,
        asked: Asked,
        entities: Iterable[Entity],
        names: Iterable[tuple[int, int]],
        *,
        corrects: bool = False,
    ) -> Found | None:
        """Whether the values of a turn are meant for the open task (`value`) or for one more (`add`); None in doubt.
        `corrects`: it has a word that says that something changes."""
        if len(text) > LONGEST:
            return None
        sign = masked(text, entities, names)
        row = np.hstack([self._encoder.encode([text])[0], self._ngrams.encode([sign])[0], _state(asked, sign)])
        share = self._head.predict(row.astype(np.float32))
        value, add = float(share[MOVES.index("value")]), float(share[MOVES.index("add")])
        return (
            Found("value" if value >= add else "add", value + add)
            if value + add >= (LIKELY if corrects else SURE)
            else None
        )


def move_heads(packs: Iterable[Pack], encoder: SentenceEncoder) -> dict[str, MoveHead]:
    """By flow, of those that have labelled turns beside them: flows/<flow>.turns.jsonl."""
    found = (path for pack in packs for path in sorted((pack.folder / "flows").glob(f"*{_ENDING}")))
    return {path.name.removesuffix(_ENDING): MoveHead(turns, encoder) for path in found if (turns := read_turns(path))}


def _quantities(text: str, language: str) -> Sequence[Entity]:
    return clause_of(text, _ANY_DAY, language).entities


def _state(asked: Asked, sign: str) -> Vectors:
    known = [one == asked for one in ASKED] + [mark in sign for mark in (NAME, "¤", "§")]
    return STATE * np.array(known, dtype=np.float32)


def _unbraced(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without braces, and where what stood in them is now."""
    said, names = "", []
    for part in text.replace("}", "{").split("{"):
        names.append((len(said), len(said) + len(part)))
        said += part
    return said, names[1::2]
