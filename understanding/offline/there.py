"""What a sentence means where files and a request before it are there: both may own what nothing else surely does."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from contracts.artifacts import MADE
from contracts.cognitive import CognitiveInput, Intent
from contracts.context import Context, Requested
from contracts.packs import IntentSpec
from understanding.grammar.addresses import without_addresses
from understanding.offline.catalogue import IntentCatalogue, has_no_subject
from understanding.offline.context import ContextReader, is_named_alone
from understanding.offline.follows import FollowReader, may_vary, varied
from understanding.offline.intent import IntentModel, Reading, intent_of
from understanding.offline.moments import MOMENTS, made_again, says_only_when
from understanding.offline.settle import Settled
from understanding.offline.tasks import Part, TaskReader, category_of

OF_ITS_OWN = 0.2
"""How likely a sentence that names what another pack makes has to be of the last one's pack, to go on about that."""
ANOTHER = 0.6
"""How likely a sentence has to be one that varies a request, to be one that does not say how."""


@dataclass(frozen=True, slots=True)
class Saying:
    """The sentence (`first`), with its answers (`text`), what of it asks for something (`said`), what was read or
    chosen in it, and the answers that say what was missing (`fills`). `anew`: an answer was a request of its own.
    `goals`: what of all that is made has its name in `said`, wanted or not."""

    first: str
    text: str
    said: str
    reading: Reading
    chosen: str | None = None
    rounds: int = 0
    fills: tuple[str, ...] = ()
    last: Requested | None = None
    anew: bool = False
    goals: tuple[str, ...] = ()


class Surrounding:
    """Reads a sentence by what is there. All of its parts are those of the Understander."""

    def __init__(
        self,
        intents: IntentModel,
        catalogue: IntentCatalogue,
        tasks: TaskReader,
        context: ContextReader,
        follows: FollowReader,
    ) -> None:
        self.intents = intents
        self._catalogue = catalogue
        self._tasks = tasks
        self._context = context
        self._follows = follows

    def going_on(
        self,
        message: CognitiveInput,
        merged: Saying,
        settled: Settled,
        parts: tuple[Part, ...],
        language: str,
        now: datetime,
    ) -> tuple[Settled, tuple[Part, ...], bool]:
        """Who goes on about what was asked for before means that, unless another intent surely owns the sentence. An
        answer to a question about what is meant may go on, too."""
        of_a_file, last = message.context.files and any(part.spec.reads for part in parts), message.context.last
        spec = self._when_of(message, merged, now) or (self._made_again(merged, last) if last else None)
        if spec is not None:
            return settled_on(spec, settled), (Part(spec, merged.said),), True
        if last is None or merged.chosen is not None or len(parts) > 1 or of_a_file:
            return settled, parts, False
        if self._names_what_others_make(merged, last):
            return settled, parts, False
        # what an answer only fills went on about it before that
        other = bool(message.answers) and not merged.fills
        said = message.answers[-1] if other else merged.said
        reading = self.intents.read(without_addresses(said)) if other else merged.reading
        if varied_ := self._varied(last, said, reading, parts, language, now):
            return settled_on(varied_.spec, settled), (varied_,), True
        spec = self._follows.goes_on(last, said, reading)
        if spec is None:
            return settled, parts, False
        return settled_on(spec, settled), (Part(spec, said),), True

    def _made_again(self, merged: Saying, last: Requested) -> IntentSpec | None:
        """What was made last, if the sentence says that it is to be made of something else, and names nothing else that
        is made: a file that has its words ("make it about Leeds only") is what that is made of."""
        spec = self._catalogue.named(last.intent)
        if (
            spec is None
            or merged.chosen is not None
            or merged.fills
            or merged.goals
            or not made_again().search(merged.said)
        ):
            return None
        return spec if any(goal.startswith(MADE) for goal in spec.goals) else None

    def _when_of(self, message: CognitiveInput, merged: Saying, now: datetime) -> IntentSpec | None:
        """The intent of the request before, where that needs a day or a time and the sentence says nothing but one:
        whatever it might be by itself, or of a file that is there."""
        last = message.context.last
        spec = self._catalogue.named(last.intent) if last else None
        if spec is None or spec.flow is not None or not MOMENTS & {*spec.requires}:
            return None
        asked = merged.chosen is not None or merged.fills or message.answers
        return spec if not asked and says_only_when(merged.said, now) else None

    def _ours(self, spec: IntentSpec, intent: Intent) -> bool:
        return self._catalogue.is_of(spec, self._catalogue.spec(intent).intent)

    def _names_what_others_make(self, merged: Saying, last: Requested) -> bool:
        """Whether the sentence names what another pack makes ("drop the chart"), and nothing of the last request:
        it does not go on about that, where nothing else says so."""
        spec = self._catalogue.named(last.intent)
        makers = [owner for goal in merged.goals if (owner := self._catalogue.owner(goal)) is not None]
        if spec is None or spec.goals or all(self._catalogue.is_of(spec, one.intent) for one in makers):
            return False
        own = (one.confidence for one in merged.reading.intents if self._ours(spec, one))
        if sum(own) >= OF_ITS_OWN:
            return False
        said = merged.said.casefold()
        texts = (value.casefold() for value in last.slots.values() if isinstance(value, str))
        return not any(word in said for text in texts for word in text.split() if len(word) > 1)

    def _varied(
        self, last: Requested, said: str, reading: Reading, parts: Sequence[Part], language: str, now: datetime
    ) -> Part | None:
        """The request before, as the sentence varies it; None if it says something else, or all by itself."""
        spec = self._catalogue.named(last.intent)
        if spec is None or not spec.varies:
            return None
        likely = self._follows.likely(last, said)
        if not may_vary(likely, reading, parts[0].spec if parts else None, spec):
            return None
        spec = self._kind_of_it(spec, reading)
        if slots := varied(last, spec, self._tasks.varying(spec, said, last.slots, now, language)):
            return Part(spec, said, slots=slots)
        # who wants another one of the same kind and does not say which is asked that
        return Part(spec, said) if not parts and likely >= ANOTHER else None

    def _kind_of_it(self, spec: IntentSpec, reading: Reading) -> IntentSpec:
        """What the sentence is most like within the category of the request before: asking whether a song is there
        varies the one that played, and plays nothing."""
        likely = self._catalogue.spec(reading.best)
        own = likely.tool is not None and bool(likely.varies)
        return likely if own and category_of(likely) == category_of(spec) else spec

    def in_context(
        self, message: CognitiveInput, merged: Saying, settled: Settled, parts: tuple[Part, ...], now: datetime
    ) -> tuple[Settled, tuple[Part, ...]]:
        """What is there may own a sentence that nothing else surely does; what the person chose stays chosen. Who says
        something else instead of an answer means that alone."""
        left = merged.chosen is not None or merged.fills or not message.context.files
        if left or self._when_of(message, merged, now) is not None:
            return settled, parts
        wanted = parts or self._without_subject(merged)
        if wanted != (meant := self._with_files(message.context, wanted)):
            settled, parts = settled_on(meant[0].spec, settled), meant
        elif not parts and any(self._is_for_one_there(message.context, part.spec) for part in wanted):
            return settled, parts
        if len(parts) > 1:
            parts = _with_its_file(message.context, merged.said, parts)
            settled = settled_on(parts[0].spec, settled)
            parts = self._with_what_it_narrows(message.context, merged.said, parts)
            if len(parts) == 1 and parts[0].spec.opens:
                return settled_on(parts[0].spec, settled), parts
        if len(parts) > 1 and not all(self._is_about(message.context, part) for part in parts):
            return settled, tuple(self._told_by_a_file(message.context, part) for part in parts)
        said = message.answers[-1] if message.answers else merged.said
        reading = self.intents.read(without_addresses(said)) if message.answers else merged.reading
        spec = self._about(message.context, said, reading, settled.spec if parts else None)
        if spec is None:
            return settled, parts
        return settled_on(spec, settled), (Part(spec, said),)

    def _without_subject(self, merged: Saying) -> tuple[Part, ...]:
        """A request that surely names no subject ("analyse it"): what is there may be one."""
        best = self._catalogue.spec(merged.reading.best)
        return (Part(best, merged.said),) if merged.reading.sure and has_no_subject(best) else ()

    def _is_for_one_there(self, context: Context, spec: IntentSpec) -> bool:
        """Whether a request without a subject is for a file that is there: of that it is asked what exactly."""
        other = self._catalogue.named(spec.instead) if spec.instead else None
        return other is not None and any(file.type in other.reads for file in context.files)

    def _with_files(self, context: Context, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """The parts, as they are meant with these files there."""
        others = [self._catalogue.named(part.spec.instead) if part.spec.instead else None for part in parts]
        return tuple(
            Part(other, part.text, part.start) if other is not None and _is_for(context, part.spec, other) else part
            for part, other in zip(parts, others, strict=True)
        )

    def about_a_file(self, context: Context, said: str, reading: Reading) -> IntentSpec | None:
        """The intent whose file a sentence by itself is about."""
        return self._context.about(context, said, reading, None)

    def _with_what_it_narrows(self, context: Context, said: str, parts: Sequence[Part]) -> tuple[Part, ...]:
        """The parts, with those that hardly ask for anything at the question about a file that they stand beside: which
        of its rows are meant, and not another request ("for Leeds in May, how many …", "…, leaving out the free ones").
        """
        found: list[tuple[Part, bool]] = []
        for part in parts:
            narrows = self._narrows(context, part)
            last, narrowed = found[-1] if found else (part, False)
            owner = part if narrowed else last
            if found and (narrows or narrowed) and (narrows is narrowed or self._context.tells_of(context, owner.spec)):
                whole = Part(owner.spec, said[last.start : part.start + len(part.text)], last.start)
                found[-1] = (whole, narrows and narrowed)
            else:
                found.append((part, narrows))
        return tuple(part for part, _ in found)

    def _narrows(self, context: Context, part: Part) -> bool:
        if part.spec.flow is not None or part.slots:
            return False
        reading = self.intents.read(without_addresses(part.text))
        return self._context.may_narrow(context, part.text, reading, part.spec)

    def _is_about(self, context: Context, part: Part) -> bool:
        """Whether a part of a sentence is about what is there; a question in two sentences is one."""
        return self._owner(context, part) is not None

    def _told_by_a_file(self, context: Context, part: Part) -> Part:
        """The part; one that wants what only other files would say is a question about what is there."""
        spec = self._owner(context, part) if part.spec.instead else None
        return part if spec is None else Part(spec, part.text, part.start)

    def _owner(self, context: Context, part: Part) -> IntentSpec | None:
        return self._about(context, part.text, self.intents.read(without_addresses(part.text)), part.spec)

    def _about(self, context: Context, said: str, reading: Reading, settled: IntentSpec | None) -> IntentSpec | None:
        """The intent whose file a sentence is about; None: it is about none, or about that of the settled one. Of a
        document and a table that are there each has the questions that are likelier about it."""
        spec = self._context.about(context, said, reading, settled)
        if spec is None or settled is None or not settled.opens:
            return spec
        if not any(file.type in settled.reads for file in context.files):
            return spec
        return None if self._context.about(context, said, reading, None) is settled else spec


def _with_its_file(context: Context, said: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts; one that only names a file is none, but says of what the next one asks."""
    first, second, *rest = parts
    if not any(is_named_alone(file.name, first.text) for file in context.files):
        return parts
    return Part(second.spec, said[first.start : second.start + len(second.text)], first.start), *rest


def _is_for(context: Context, spec: IntentSpec, other: IntentSpec) -> bool:
    """Whether there is a file that the other intent reads, and none that this one is for."""
    files = [file for file in context.files if file.type in other.reads]
    if not spec.having:
        return bool(files)
    return bool(files) and all(file.roles is not None and not {*spec.having} <= {*file.roles} for file in files)


def settled_on(spec: IntentSpec, settled: Settled) -> Settled:
    intent = intent_of(category_of(spec), 1.0, spec.intent.removeprefix(category_of(spec)).lstrip(".") or None)
    return Settled(spec, (intent, *(one for one in settled.intents if one.name != intent.name)))
