"""What a turn of an open dialogue does with the values in it, learned from labelled turns with their state: a softmax
over sentence vector, character n-grams of the masked turn, and what was asked.

It says no value: it only tells whether values that stand among unknown words are meant for the open task
(docs/adr/0044-moves-are-learned-where-values-are-shown.md), and whether a turn agrees to what is shown, which it does
only in words that labelled turns agree in (docs/adr/0059-a-yes-in-known-words.md)."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from backbone.packs import Pack
from contracts import patterns
from contracts.cognitive import Entity
from contracts.shape import Contract, Language
from understanding.kit.ngrams import CharNgrams, Vectors
from understanding.kit.softmax import Softmax, fit_softmax
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.learned import Arrays, kept, key_of
from understanding.offline.tasks import clause_of
from understanding.port import Asked, Found, Wish

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
_OTHERS, _SHOWN = str.maketrans("@¤§#", "&$%$"), str.maketrans("#", "¤")
"""Marks of values that are not those which are shown; a bare number is a sum in short, where it is."""
YES = MOVES.index("yes")
_MADE = b"turn moves 4"
_VALUE = NAME + "".join(dict.fromkeys(_MARKS.values()))
_PLAYFUL = re.compile(r"(?<=[가-힣])(?:용|욤|욥|염)(?![가-힣])")
"""Endings of politeness that are written in play ("보내주세용")."""
_WORD = re.compile(
    f"[{_VALUE}]*"
    r"(?:[\u4e00-\u9fff\u3005]+|[\u30a0-\u30ff]+|[\u3040-\u309f]+|[^\W_\u3040-\u30ff\u3005\u4e00-\u9fff]+(?:'[a-z]+)?|)"
)
"""A mark with what is tied to it; of Japanese, which writes no spaces, a run of one script."""
_ENDS = ".,!~;:\u2026\u3001\u3002\uff01\uff0c "
_SIGNS = re.compile(f"[{_ENDS.strip()}]")
MOST = 5
"""Words of a yes that others may be told by."""


class LabelledTurn(Contract):
    """A line of flows/<flow>.turns.jsonl. Names that are known stand in braces; other values are found in the text."""

    lang: Language
    asked: Asked = "shown"
    move: Move
    text: str = Field(min_length=1)
    remark: bool = False
    """A yes with a remark beside it, or a turn that looks like one: what is told apart by a head of its own, since so
    many of them would change what short turns are taken for. Their words are no words of yes."""


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


def words_of(sign: str) -> list[str]:
    """The words of a masked turn, as far as its script divides them; a value with the particle behind it is one."""
    plain = unicodedata.normalize("NFKC", sign).casefold().replace("\u2019", "'")
    plain = _PLAYFUL.sub("요", plain)
    return [one for one in _WORD.findall(plain) if one]


def _beside_values(sign: str) -> tuple[str, ...]:
    """The words of a masked turn, or part of one, without the values in it."""
    return tuple(one for one in words_of(sign) if one[0] not in _VALUE)


def _whole_yeses(turns: Sequence[LabelledTurn], signs: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Few words that are a yes by themselves, and more often that than something else."""
    said: dict[bool, Counter[tuple[str, ...]]] = {True: Counter(), False: Counter()}
    for turn, sign in zip(turns, signs, strict=True):
        words = _beside_values(sign)
        if 0 < len(words) <= MOST and not turn.remark and not _SIGNS.search(sign.strip(_ENDS)):
            said[turn.move == "yes"][words] += 1
    return frozenset(words for words, times in said[True].items() if times > 3 * said[False][words])


def _with_what_is_shown(move: Move, sign: str) -> str:
    """The masked turn with other marks for values that are not shown: those of who changes or adds something."""
    return sign.translate({"yes": _SHOWN, "value": _OTHERS, "add": _OTHERS}.get(move, {}))


class LearnedMoveHead:
    """Learns at once, or takes what was learned from the same turns before."""

    def __init__(self, turns: Sequence[LabelledTurn], encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        turns = sorted(turns, key=lambda turn: turn.remark)
        plain = sum(not turn.remark for turn in turns)
        said = [_unbraced(turn.text) for turn in turns]
        signs = _signs(turns)
        labels = [f"{turn.move} {turn.asked} {turn.remark} {text}" for turn, text in zip(turns, signs, strict=True)]
        self._yeses = _whole_yeses(turns, signs)
        agreeing = (words_of(sign) for turn, sign in zip(turns[:plain], signs, strict=False) if turn.move == "yes")
        self._agreeing = frozenset[str]().union(*agreeing)
        key = key_of((_MADE, encoder.name.encode(), *(one.encode() for one in (*labels, *(text for text, _ in said)))))

        def learn() -> Arrays:
            ngrams = CharNgrams()
            states = np.stack([_state(turn.asked, text) for turn, text in zip(turns, signs, strict=True)])
            spelled = np.vstack([ngrams.fit_encode(signs[:plain]), ngrams.encode(signs[plain:])])
            vectors = encoder.encode([text for text, _ in said])
            rows = np.hstack([vectors, spelled, states]).astype(np.float32)
            moves = [MOVES.index(turn.move) for turn in turns]
            head = fit_softmax(rows[:plain], moves[:plain], len(MOVES), penalty=PENALTY)
            # values that are not shown pay nothing, whatever a turn is likely to be: what is left is told by the words
            marked = [_with_what_is_shown(turn.move, sign) for turn, sign in zip(turns, signs, strict=True)]
            states = np.stack([_state(turn.asked, text) for turn, text in zip(turns, marked, strict=True)])
            told = np.hstack([vectors, ngrams.encode(marked), states]).astype(np.float32)
            beside = fit_softmax(told, [int(move == YES) for move in moves], 2, penalty=PENALTY)
            return {
                "idf": ngrams.idf, "weights": head.weights, "bias": head.bias,
                "beside_weights": beside.weights, "beside_bias": beside.bias,
            }  # fmt: skip

        learned: Mapping[str, Vectors] = kept(key, learn)
        self._ngrams = CharNgrams(learned["idf"])
        self._head = Softmax(weights=learned["weights"], bias=learned["bias"])
        self._beside = Softmax(weights=learned["beside_weights"], bias=learned["beside_bias"])

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
        share = self._shares(text, masked(text, entities, names), asked)
        value, add = float(share[MOVES.index("value")]), float(share[MOVES.index("add")])
        return (
            Found("value" if value >= add else "add", value + add)
            if value + add >= (LIKELY if corrects else SURE)
            else None
        )

    def agrees(
        self,
        text: str,
        entities: Iterable[Entity],
        names: Iterable[tuple[int, int]],
        means_nothing: Callable[[str], bool],
    ) -> float:
        """How likely the turn says yes to what is shown; 0 for one with a word in it that no labelled yes has, and that
        does not mean nothing beside one. What its values are is for others to look at."""
        sign = masked(text, entities, names)
        if len(text) > LONGEST or not self.knows(sign, means_nothing):
            return 0.0
        return float(self._shares(text, sign, "shown")[MOVES.index("yes")])

    def wish(self, text: str, entities: Iterable[Entity], names: Iterable[tuple[int, int]]) -> Wish:
        """See LearnedMoveHead of the port."""
        row = self._row(text[:LONGEST], masked(text, entities, names)[:LONGEST], "shown")
        share = dict(zip(MOVES, map(float, self._head.predict(row)), strict=True))
        gives_up = share["drop"] + share["no"]
        changes = gives_up + share["value"] + share["add"]
        restates = share["yes"] + share["value"]
        beside = float(self._beside.predict(row)[1]) if len(text) <= LONGEST else 0.0
        return Wish(gives_up, changes, share["yes"], restates, mends=share["value"] > share["add"], beside=beside)

    def masked(self, text: str, entities: Iterable[Entity], names: Iterable[tuple[int, int]]) -> str:
        """See MoveHead of the port."""
        return masked(text, entities, names)

    def knows(self, sign: str, means_nothing: Callable[[str], bool]) -> bool:
        """See MoveHead of the port."""
        strange = set(words_of(sign)) - self._agreeing
        return all(means_nothing(one.lstrip(_VALUE)) for one in strange)

    def ends_in_yes(self, sign: str) -> bool:
        """See MoveHead of the port."""
        said = _beside_values(sign)
        return any(said[-count:] in self._yeses for count in range(1, min(MOST, len(said)) + 1))

    def _shares(self, text: str, sign: str, asked: Asked) -> Vectors:
        return self._head.predict(self._row(text, sign, asked))

    def _row(self, text: str, sign: str, asked: Asked) -> Vectors:
        row = np.hstack([self._encoder.encode([text])[0], self._ngrams.encode([sign])[0], _state(asked, sign)])
        return row.astype(np.float32)


def move_heads(packs: Iterable[Pack], encoder: SentenceEncoder) -> dict[str, LearnedMoveHead]:
    """By flow, of those that have labelled turns beside them: flows/<flow>.turns.jsonl."""
    found = (path for pack in packs for path in sorted((pack.folder / "flows").glob(f"*{_ENDING}")))
    return {
        name: LearnedMoveHead(turns, encoder)
        for path in found
        for name in [path.name.removesuffix(_ENDING)]
        if (turns := read_turns(path))
    }


def _signs(turns: Sequence[LabelledTurn]) -> list[str]:
    """The turns, masked. Kept, since reading the quantities of thousands takes most of a second; made again after any
    change of what reads them."""

    def make() -> Arrays:
        signs = [
            masked(text, _quantities(text, turn.lang), names)
            for turn in turns
            for text, names in [_unbraced(turn.text)]
        ]
        return {"signs": np.array(signs)}

    raw = (f"{turn.lang} {turn.text}".encode() for turn in turns)
    return list(map(str, kept(key_of((b"signs 1", *_sources(), *raw)), make, ".signs")["signs"]))


def _sources() -> Iterator[bytes]:
    """What decides what a quantity is: the room of understanding, and the kit of patterns under it."""
    room = Path(__file__).parents[1]
    code = (path for path in sorted(room.rglob("*")) if path.suffix in (".py", ".yaml"))
    yield from (path.read_bytes() for path in (*code, Path(patterns.__file__)))


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
