"""Which of the possible cuts of a sentence hold: where its pieces are requests for different things, or each whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from backbone.model.offline.addresses import without_addresses
from backbone.model.offline.catalogue import IntentCatalogue
from backbone.model.offline.clauses import ClauseSplitter
from backbone.model.offline.intent import IntentModel
from backbone.model.offline.settle import Settler
from backbone.model.offline.tasks import Part, TaskReader, category_of
from backbone.model.offline.topics import is_found
from contracts.cognitive import Intent, OutputFormat
from contracts.packs import IntentSpec

PIECE_CONFIDENCE = 0.45
"""Of less a whole sentence may be made; to cut one in two takes more."""


@dataclass(frozen=True, slots=True)
class Parted:
    """The parts that surely ask for something, at least one, and their intents, once each."""

    parts: tuple[Part, ...]
    intents: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """`text[start:end]` and the work that it surely asks for, if it does."""

    start: int
    end: int
    intent: Intent | None = None
    spec: IntentSpec | None = None


class PartFinder:
    """Reads each piece of a sentence, and joins those that are one request."""

    def __init__(
        self,
        intents: IntentModel,
        settler: Settler,
        catalogue: IntentCatalogue,
        tasks: TaskReader,
        splitter: ClauseSplitter,
    ) -> None:
        self._intents = intents
        self._settler = settler
        self._catalogue = catalogue
        self._tasks = tasks
        self._splitter = splitter

    def find(self, text: str, now: datetime, language: str) -> Parted | None:
        """None: the text is one request, or nothing in it is surely one. A single part has all of the text."""
        spans = self._splitter.split(without_addresses(text))
        if len(spans) < 2:
            return None
        pieces = _attached([self._piece(text, start, end) for start, end in spans])
        pieces = self._joined(pieces, text, now, language)
        known = [(piece, piece.spec, piece.intent) for piece in pieces if piece.spec and piece.intent]
        if not known:
            return None
        parts = tuple(Part(spec, text[piece.start : piece.end], piece.start) for piece, spec, _ in known)
        intents = {intent.name: intent for _, _, intent in reversed(known)}
        return Parted(parts, tuple(intents[name] for name in dict.fromkeys(intent.name for _, _, intent in known)))

    def _piece(self, text: str, start: int, end: int) -> _Piece:
        reading = self._intents.read(without_addresses(text[start:end]))
        clear = reading.sure and reading.best.confidence >= PIECE_CONFIDENCE
        if not (clear and self._settler.is_work(reading.best)):
            return _Piece(start, end)
        return _Piece(start, end, reading.best, self._catalogue.spec(reading.best))

    def _joined(self, pieces: Sequence[_Piece], text: str, now: datetime, language: str) -> list[_Piece]:
        joined: list[_Piece] = []
        for piece in pieces:
            last = joined[-1] if joined else None
            if last and (_same_work(last, piece) and not self._each_whole((last, piece), text, now, language)):
                joined[-1] = replace(last, end=piece.end)
            else:
                joined.append(piece)
        return joined

    def _each_whole(self, pieces: Sequence[_Piece], text: str, now: datetime, language: str) -> bool:
        return all(
            piece.spec is not None
            and piece.spec.tool is not None
            and self._tasks.is_whole(Part(piece.spec, text[piece.start : piece.end]), now, language)
            for piece in pieces
        )


def _attached(pieces: Sequence[_Piece]) -> list[_Piece]:
    """A piece that asks for nothing belongs to the request after it, the last one to the request before it."""
    attached: list[_Piece] = []
    for piece in pieces:
        if attached and attached[-1].spec is None:
            attached[-1] = replace(piece, start=attached[-1].start)
        else:
            attached.append(piece)
    if len(attached) > 1 and attached[-1].spec is None:
        last = attached.pop()
        attached[-1] = replace(attached[-1], end=last.end)
    return attached


def _same_work(one: _Piece, other: _Piece) -> bool:
    """A flow takes all its tasks at once. What is found out before a report is what the report tells."""
    if one.spec is None or other.spec is None or category_of(one.spec) == category_of(other.spec):
        return True
    found = bool(one.spec.goals) and all(map(is_found, one.spec.goals))
    return found and OutputFormat.PDF in other.spec.formats
