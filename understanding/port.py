"""What a turn means: one port, behind it `offline/` (no model) and `llm/` (a model over backbone.model.port).

Services import this module alone. What is heavy behind it (weights, grammars) is imported when it is asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from backbone.model.port import NO_CONVERSATION, Conversation, ModelProvider
from backbone.packs import Catalogue, Pack
from contracts.cognitive import CognitiveInput, Entity, Period
from contracts.context import Context
from contracts.model import ModelCalled
from contracts.packs import SlotSpec
from contracts.reading import Clause
from contracts.shape import JsonObject
from understanding.grammar import read as quantities_in
from understanding.grammar.addresses import find_addresses
from understanding.offline.excerpt import READ, excerpt
from understanding.offline.language import detect_language
from understanding.offline.topics import Named, TopicFinder
from understanding.result import Ambiguity, Choice, Doubt, Missing, Understanding, Wanted

if TYPE_CHECKING:
    from understanding.kit.ngrams import Vectors
    from understanding.offline.details import DetailFinder

__all__ = [
    "PROMPTS", "READ", "Ambiguity", "Asked", "Choice", "ClauseReader", "Doubt", "Found", "Missing", "MoveHead", "Named",
    "Offline", "PackTexts", "SentenceEncoder", "Situation", "TopicFinder", "Understander", "Understanding",
    "UserTurn", "Wanted", "Wish", "clause_of", "days_in", "details_of", "detect_language", "encoder", "excerpt",
    "find_addresses", "interpret", "kept_patterns", "move_heads", "offline", "pack_texts", "period_in", "quantities_in",
    "with_model",
]  # fmt: skip

PROMPTS: Mapping[str, Path] = {"understanding": Path(__file__).parent / "llm" / "prompts"}
"""Where the prompts of this room are, for backbone.model.prompts.PromptBook."""


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What a person said: a sentence, and the answers to the questions that were asked about it, in their order.

    `language` is one of ko, en, ja, or None where the person has not said theirs. `wants` is what somebody has found
    out already: then only the slots, names and values of these things are read, and nothing is asked about the intent.
    One that no pack has is passed over."""

    text: str
    language: str | None = None
    answers: tuple[str, ...] = ()
    wants: tuple[Wanted, ...] = ()


@dataclass(frozen=True, slots=True)
class Situation:
    """What is there when they say it. `now` is in the person's time zone; `flow` is the dialogue that waits."""

    now: datetime
    there: Context = field(default_factory=Context)
    talk: Conversation = NO_CONVERSATION
    flow: str | None = None

    @classmethod
    def of(cls, given: CognitiveInput, now: datetime) -> "Situation":
        """What layer 1 has gathered."""
        talk = Conversation(summary=given.summary, history=given.history)
        return cls(now=now, there=given.context, talk=talk, flow=given.flow)


class Understander(Protocol):
    """One suite holds for every adapter: tests/understanding/conformance.py."""

    async def understand(self, turn: UserTurn, situation: Situation) -> Understanding:
        """What the turn means in the situation. It has no effect, and the same question may be asked again.

        `Understanding.called` has the record of each model that was asked. A model that fails or says what the sentence
        does not bear out leaves the offline reading. Raises RuntimeError where no pack has intents, and what a process
        that reads raises: services.cognitive.reads.Tangled for a text that takes too long, backbone.errors.Retryable
        where nobody can read just now."""


class ClauseReader(Protocol):
    async def clause(self, text: str, now: datetime, language: str) -> Clause:
        """What is read of the text, with its quantities, as a pack's reader takes it. Raises what Understander does."""


class Offline(Understander, ClauseReader, Protocol):
    """The model that is always there. `read` is `understand` for those who have a thread of their own: deterministic,
    safe to call from several threads."""

    def read(self, turn: UserTurn, situation: Situation) -> Understanding: ...

    def warm(self, now: datetime) -> None:
        """Does what the first sentence would otherwise wait for (0.7 s)."""


class SentenceEncoder(Protocol):
    """Turns sentences into unit vectors whose dot products say how alike they are."""

    @property
    def name(self) -> str:
        """Which vectors these are; vectors of different names must never be compared."""

    @property
    def unsure_below(self) -> float:
        """A sentence whose nearest example is farther than this cosine is not like any example."""

    def encode(self, texts: Sequence[str]) -> "Vectors":
        """[n, d] float32, rows of length 1."""


Asked = Literal["shown", "key", "slot"]
"""What an open question is about: a whole task that is shown, a key slot, another slot."""


class Found(NamedTuple):
    """What the values in a turn are for (`value`: the open task, `add`: one more), and how sure that is (0 to 1)."""

    move: str
    sure: float


class Wish(NamedTuple):
    """How likely a turn takes back what is shown, wants something of it to be otherwise, and says yes to it (0 to 1);
    the last, or says values for it (`restates`); whether its values are rather for what is shown than for one more; how
    likely it says yes with a remark beside it, rather than something that only looks so (`beside`)."""

    gives_up: float
    changes: float
    agrees: float = 0.0
    restates: float = 0.0
    mends: bool = False
    beside: float = 0.0


class MoveHead(Protocol):
    """What turns of one flow do with the values in them, as its labelled turns teach."""

    def values_are_for(
        self,
        text: str,
        asked: Asked,
        entities: Iterable[Entity],
        names: Iterable[tuple[int, int]],
        *,
        corrects: bool = False,
    ) -> Found | None:
        """None in doubt, of which there is less where a word says that something changes (`corrects`). `names` are
        spans of the text with values that are known by name."""

    def agrees(
        self,
        text: str,
        entities: Iterable[Entity],
        names: Iterable[tuple[int, int]],
        means_nothing: Callable[[str], bool],
    ) -> float:
        """How likely the turn says yes to the task that is shown, whatever values it names; 0 for one with a word that
        no labelled turn says yes with, unless that word `means_nothing`."""

    def wish(self, text: str, entities: Iterable[Entity], names: Iterable[tuple[int, int]]) -> Wish:
        """What the turn wants of the task that is shown; of a long one its beginning counts."""

    def masked(self, text: str, entities: Iterable[Entity], names: Iterable[tuple[int, int]]) -> str:
        """The turn with a mark in the place of each value."""

    def knows(self, sign: str, means_nothing: Callable[[str], bool]) -> bool:
        """Whether each word of a masked turn, or part of one, is one of labelled yeses, or means nothing."""

    def ends_in_yes(self, sign: str) -> bool:
        """Whether a masked turn, or part of one, ends with words that are a yes by themselves, values apart."""


class PackTexts(Protocol):
    """What a pack says to people."""

    @property
    def name(self) -> str: ...

    def text(self, key: str, language: str, **values: object) -> str:
        """The text in the language, or in English; the key itself shows a missing text for what it is."""


def offline(packs: Iterable[Pack], by: SentenceEncoder | None = None) -> Offline:
    """Loads the weights and learns what the packs teach, or reads it back: 0.3 to 20 s. A pack whose files are wrong is
    named in the log and left out."""
    from understanding.offline.adapter import OfflineUnderstander
    from understanding.offline.pack import read_packs
    from understanding.offline.understand import SentenceReader as Engine

    return OfflineUnderstander(Engine(read_packs(packs), by or encoder()))


def with_model(
    provider: ModelProvider,
    offline: Understander,
    clauses: ClauseReader,
    catalogue: Catalogue,
    *,
    classifies: bool = True,
    extracts: bool = True,
) -> Understander:
    """A model reads intents (`classifies`) and slots (`extracts`); `offline` has the word where it fails."""
    from understanding.llm.understander import LlmUnderstander, options_of

    return LlmUnderstander(provider, offline, clauses, options_of(catalogue), classifies, extracts)


async def interpret(
    provider: ModelProvider, clause: Clause, slots: Sequence[SlotSpec], talk: Conversation = NO_CONVERSATION
) -> tuple[Sequence[JsonObject], ModelCalled]:
    """Slots per task that a model reads in a dialogue's turn, as far as the turn bears them out; none when it fails."""
    from understanding.llm.roles import interpret as interpreted

    return await interpreted(provider, clause, slots, talk)


def clause_of(text: str, now: datetime, language: str) -> Clause:
    """The text, which is at most READ characters long, with its quantities; `now` is in the person's time zone."""
    from understanding.offline.tasks import clause_of as made

    return made(text, now, language)


def period_in(text: str, today: date) -> Period | None:
    """The days that data should cover, as words about a request name them; None where they name none."""
    from understanding.offline.entities import period_in as found

    return found(text, today)


def days_in(text: str, today: date) -> tuple[Entity, ...]:
    """The days that data may be of which a text names, as date_range entities {start, end}; an open end is None."""
    from understanding.offline.entities import days_in as found

    return found(text, today)


def details_of(packs: Iterable[Pack]) -> "DetailFinder":
    """Finds the details of a request that packs describe: numbers, titles. A pack whose file is wrong has none."""
    from understanding.offline.details import finder_of

    return finder_of(packs)


def encoder() -> SentenceEncoder:
    """The best encoder that this machine has."""
    from understanding.offline.encoder import best_encoder

    return best_encoder()


def move_heads(packs: Iterable[Pack], by: SentenceEncoder) -> Mapping[str, MoveHead]:
    """By flow, of those that have labelled turns beside them: flows/<flow>.turns.jsonl. Raises ValidationError."""
    from understanding.offline.turn_moves import move_heads as made

    return made(packs, by)


def kept_patterns() -> AbstractContextManager[None]:
    """Within, patterns are taken as an earlier process compiled them: for the start of a process with one thread."""
    from understanding.offline.compiled import kept_patterns as made

    return made()


def pack_texts(packs: Iterable[Pack]) -> Sequence[PackTexts]:
    """What the packs with intents say to people, those left out that cannot be understood."""
    from understanding.offline.pack import read_packs

    return read_packs(packs)
