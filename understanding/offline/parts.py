"""Which of the possible cuts of a sentence hold: where its pieces are requests for different things, or each whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from contracts.cognitive import Intent, OutputFormat
from contracts.packs import IntentSpec
from understanding.grammar.addresses import without_addresses
from understanding.offline.catalogue import IntentCatalogue
from understanding.offline.clauses import ClauseSplitter
from understanding.offline.intent import IntentModel, Reading
from understanding.offline.settle import Settler
from understanding.offline.tasks import Part, TaskReader, category_of, clause_of
from understanding.offline.topics import TopicFinder, is_found

PIECE = 0.35
"""Of less probability a piece asks for nothing by itself."""
TIED, WITHIN, LEAST = 0.3, 0.2, 0.001
"""Two pieces are two requests where the product of their probabilities is so much, with that which the whole sentence
gives to the less likely of their intents, to this power: it says least, and is never taken for less than LEAST."""


_ENDS = tuple(".?!…~。？！")
LONGEST_WHEN, LEFT_OVER = 60, 3
"""Characters of a piece that may say nothing but when, and of the small words in it."""
_COMMAS = ",、"
_WHEN = frozenset({"date", "time", "recurrence"})
"""What says when something is; a length beside it says for how long."""


@dataclass(frozen=True, slots=True)
class Parted:
    """The parts that surely ask for something, at least one, and their intents, once each."""

    parts: tuple[Part, ...]
    intents: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """`text[start:end]` and the work that it surely asks for, if it does; `before` and `after` are what another piece
    says for it too."""

    start: int
    end: int
    intent: Intent | None = None
    spec: IntentSpec | None = None
    before: str = ""
    after: str = ""
    looks_back: bool = False
    """Whether it surely asks for what was said before."""

    def said(self, text: str) -> str:
        return f"{self.before}{text[self.start : self.end]}{self.after}"


class PartFinder:
    """Reads each piece of a sentence, and joins those that are one request."""

    def __init__(
        self,
        intents: IntentModel,
        settler: Settler,
        catalogue: IntentCatalogue,
        tasks: TaskReader,
        splitter: ClauseSplitter,
        topics: TopicFinder,
    ) -> None:
        self._intents = intents
        self._settler = settler
        self._catalogue = catalogue
        self._tasks = tasks
        self._splitter = splitter
        self._topics = topics

    def find(self, text: str, now: datetime, language: str) -> Parted | None:
        """None: the text is one request, or nothing in it is surely one. A single part has all of the text."""
        said = without_addresses(text)
        spans = self._splitter.split(said)
        pieces = [piece for start, end in spans for piece in self._untied(said, start, end, alone=len(spans) == 1)]
        if len(pieces) < 2:
            return None
        pieces = self._looking_back(pieces, text)
        pieces = [pieces[0], *_unless_they_say_when(pieces[1:], text, now, language)]
        pieces = self._joined(_attached(pieces), text, now, language)
        known = [(piece, piece.spec, piece.intent) for piece in pieces if piece.spec and piece.intent]
        if not known:
            return None
        parts = tuple(Part(spec, piece.said(text), piece.start - len(piece.before)) for piece, spec, _ in known)
        intents = {intent.name: intent for _, _, intent in reversed(known)}
        return Parted(parts, tuple(intents[name] for name in dict.fromkeys(intent.name for _, _, intent in known)))

    def _looking_back(self, pieces: Sequence[_Piece], text: str) -> list[_Piece]:
        """The sentences before one that asks for what was said say what that was; but those that say what to do."""
        at = next((place for place in range(len(pieces) - 1, 0, -1) if pieces[place].looks_back), 0)
        if not at or not text[: pieces[at].start].rstrip().endswith(_ENDS):
            return list(pieces)
        first = at
        while first and not self._splitter.commands(text[pieces[first - 1].start : pieces[first - 1].end]):
            first -= 1
        return [*pieces[:first], replace(pieces[at], start=pieces[first].start, before=""), *pieces[at + 1 :]]

    def _untied(self, text: str, start: int, end: int, *, alone: bool) -> list[_Piece]:
        """The pieces of a piece: one, unless it ties requests for different things. One that is `alone`, and whole, is
        not read."""
        for tie in self._splitter.ties(text[start:end]):
            one = _Piece(start, start + tie.left, after=tie.after_left)
            other = _Piece(start + tie.right, end, before=tie.before_right)
            first, second = self._read_all([one, other], text)
            if self._are_two(text[start:end], first, second, text):
                rest = self._untied(text, second.start, end, alone=False)
                return [first, *(rest if len(rest) > 1 or not second.before else [second])]
        return [_Piece(start, end)] if alone else self._read_all([_Piece(start, end)], text)

    def _are_two(self, whole: str, one: _Piece, other: _Piece, text: str) -> bool:
        """Whether both ask for something, each for something else, and the whole does not speak against it."""
        if not (one.intent and other.intent) or self._same_work(one, other, text) or _same_work(other, one):
            return False
        (reading,) = self._intents.read_all([whole])
        within = min(reading.chance(one.intent), reading.chance(other.intent))
        likely: float = one.intent.confidence * other.intent.confidence * max(within, LEAST) ** WITHIN
        return likely >= TIED

    def _read_all(self, pieces: Sequence[_Piece], text: str) -> list[_Piece]:
        """Each with what it surely asks for."""
        readings = self._intents.read_all([piece.said(text) for piece in pieces])
        return [self._known(piece, reading, text) for piece, reading in zip(pieces, readings, strict=True)]

    def _known(self, piece: _Piece, reading: Reading, text: str) -> _Piece:
        if self._topics.only_leaves_out(piece.said(text)):
            return piece
        if not (reading.sure and reading.best.confidence >= PIECE and self._settler.is_work(reading.best)):
            return piece
        spec = self._catalogue.spec(reading.best)
        return replace(piece, intent=reading.best, spec=spec, looks_back=spec.looks_back and reading.spoken)

    def _joined(self, pieces: Sequence[_Piece], text: str, now: datetime, language: str) -> list[_Piece]:
        joined: list[_Piece] = []
        for piece in pieces:
            last = joined[-1] if joined else None
            if last and (
                self._same_work(last, piece, text) and not self._each_whole((last, piece), text, now, language)
            ):
                joined[-1] = replace(last, end=piece.end, after="")
            else:
                joined.append(piece)
        return joined

    def _same_work(self, one: _Piece, other: _Piece, text: str) -> bool:
        found, report = text[one.start : max(one.end, other.start)], text[other.start : other.end]
        return _same_work(one, other) and not (_is_told(one, other) and self._splitter.asks_for_both(found, report))

    def _each_whole(self, pieces: Sequence[_Piece], text: str, now: datetime, language: str) -> bool:
        parts = [Part(piece.spec, piece.said(text)) for piece in pieces if piece.spec and piece.spec.tool]
        return len(parts) == len(pieces) and self._tasks.are_whole(parts, now, language)


def begun_with(parted: Parted | None, chosen: str | None) -> tuple[Part, ...]:
    """The parts of what was chosen to be done first; what can be planned together is done together."""
    if parted is None:
        return ()
    first = next((part for part in parted.parts if category_of(part.spec) == chosen), None)
    if first is None:
        return ()
    led = first.spec.flow is not None
    return tuple(
        part
        for part in parted.parts
        if (category_of(part.spec) == chosen if led else part.spec.route is first.spec.route)
    )


def _unless_they_say_when(pieces: Sequence[_Piece], text: str, now: datetime, language: str) -> list[_Piece]:
    """Those that say when, and for how long, and nothing else ask for nothing: they belong to the request before them,
    whatever other requests are made of such days ("yoga to my calendar, tuesdays at 7, an hour")."""
    said: list[_Piece] = []
    for piece in pieces:
        begun = said[-1] if said and said[-1].spec is None else piece
        if begun is not piece and _says_when(text[begun.start : piece.end], now, language):
            said[-1] = replace(begun, end=piece.end)
        elif any(_says_when(text[at : piece.end], now, language) for at in {piece.start, _begun(piece.start, text)}):
            said.append(replace(piece, intent=None, spec=None))
        else:
            said.append(piece)
    return said


def _begun(at: int, text: str) -> int:
    """Where what a piece goes on about begins: a length alone is of the day before it ("…, tuesdays at 9, an hour")."""
    commas = [place for place, letter in enumerate(text[:at].rstrip(_COMMAS + " ")) if letter in _COMMAS]
    return commas[-1] + 1 if commas else at


def _says_when(said: str, now: datetime, language: str) -> bool:
    if len(said) > LONGEST_WHEN:
        return False
    found = clause_of(said, now, language).entities
    cut = set[int]()
    for one in found:
        if one.type in _WHEN or one.type == "span":
            cut.update(range(one.start, one.end))
    left = sum(letter.isalnum() for at, letter in enumerate(said) if at not in cut)
    return left <= LEFT_OVER and any(one.type in _WHEN for one in found)


def _attached(pieces: Sequence[_Piece]) -> list[_Piece]:
    """A piece that asks for nothing belongs to the request after it, the last one to the request before it."""
    attached: list[_Piece] = []
    for piece in pieces:
        if attached and attached[-1].spec is None:
            attached[-1] = replace(piece, start=attached[-1].start, before="")
        else:
            attached.append(piece)
    if len(attached) > 1 and attached[-1].spec is None:
        last = attached.pop()
        attached[-1] = replace(attached[-1], end=last.end, after="")
    return attached


def _same_work(one: _Piece, other: _Piece) -> bool:
    """A flow takes all its tasks at once. What is found out before a report is what the report tells."""
    if one.spec is None or other.spec is None:
        return True
    if category_of(one.spec) == category_of(other.spec):
        return one.spec.tool == other.spec.tool
    return _is_told(one, other)


def _is_told(one: _Piece, other: _Piece) -> bool:
    """Whether one is found out and the other is a report."""
    if one.spec is None or other.spec is None or category_of(one.spec) == category_of(other.spec):
        return False
    found = bool(one.spec.goals) and all(map(is_found, one.spec.goals))
    return found and OutputFormat.PDF in other.spec.formats
