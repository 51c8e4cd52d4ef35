"""What a turn of the person says to a flow: read by code, recorded as a fact, decided about elsewhere.

Only words that the pack's patterns know confirm or cancel. An interpreter (a model) may read slots where the pack's own
reader finds none, and nothing else: whatever it claims, it is judged like any value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from backbone.errors import Retryable
from backbone.model.offline.excerpt import READ
from backbone.model.offline.language import detect_language
from backbone.model.port import Conversation
from contracts.cognitive import (
    CognitiveOutput,
    FlowAct,
    FlowAdvanced,
    FlowReading,
    FlowStage,
    Intent,
    Route,
    Task,
    beside,
)
from contracts.errors import Code
from contracts.gateway import MessageReceived
from contracts.model import ModelCalled
from contracts.packs import FlowSpec, SlotSpec
from contracts.reading import Clause
from contracts.shape import JsonObject, Language
from contracts.tables import DatabaseUnavailable, PackDatabase
from services.cognitive.domain.moves import MOST_WAITING
from services.cognitive.flows import Flow
from services.cognitive.person import Speaking
from services.cognitive.reads import InThread, Reads

GENERAL = Intent(domain="GENERAL", confidence=1.0)
"""What source design 002 calls talk beside its flows, a question about what was done among it."""
SHORT = 3
"""Words: so short an English turn may stand in a conversation of another language."""


class Interpreter(Protocol):
    """Slots per task that a model reads in a clause, as far as the clause bears them out; the record of its call."""

    async def __call__(
        self, clause: Clause, slots: Sequence[SlotSpec], conversation: Conversation
    ) -> tuple[Sequence[JsonObject], ModelCalled]: ...


class Read(NamedTuple):
    """The turn as it is recorded, if it is the flow's; and the calls of the model that helped to read it."""

    output: CognitiveOutput | None
    called: tuple[ModelCalled, ...] = ()


class _Talk(NamedTuple):
    """A flow, where it stands, and the language of the turn."""

    flow: Flow
    state: FlowAdvanced
    language: Language


@dataclass(frozen=True, slots=True)
class FlowTurns:
    """Reads turns for the flows of the loaded packs."""

    flows: Mapping[str, Flow]
    tables: Callable[[str], PackDatabase]
    interpreter: Interpreter | None = None
    reads: Reads = field(default_factory=InThread)

    async def word(self, received: MessageReceived, who: Speaking) -> Read | None:
        """The turn as one that confirms or cancels; or as a question about what was done."""
        talk = self._talk(received, who.addressed)
        if talk is not None and (act := await self._word(talk.flow, received.text)) is not None:
            bare = talk._replace(language=received.language or talk.state.language)
            return await self._said(received.text, who, bare, act)
        return await self._recalled(received, who)

    async def slots(self, received: MessageReceived, who: Speaking, told: Conversation) -> Read:
        """The turn as slots for the open flow, if it says some. `told` is what a model is told of the session."""
        talk = self._talk(received, who.flow)
        if talk is None:
            return Read(None)
        spec, state = talk.flow.spec, talk.state
        clause, found, unread = await self.reads.turn(
            talk.flow, received.text, who.now, talk.language, expecting(state), state.slots
        )
        tasks = slots_of(spec, found)
        calls: tuple[ModelCalled, ...] = ()
        if not tasks and self.interpreter is not None:
            said, called = await self.interpreter(clause, spec.slots, told)
            tasks, calls = slots_of(spec, said), (called,)
        if not tasks:
            return Read(None, calls)
        output = (await self._said(received.text, who, talk, FlowAct.FILL, tasks)).output
        return Read(output.model_copy(update={"unread": unread}) if output else None, calls)

    async def nothing(self, received: MessageReceived, who: Speaking) -> Read:
        """The turn as one that the open flow, if there is one, could make nothing of: it asks again."""
        talk = self._talk(received, who.flow)
        return await self._said(received.text, who, talk, FlowAct.FILL) if talk else Read(None)

    async def opened(self, output: CognitiveOutput, who: Speaking) -> CognitiveOutput | None:
        """What was understood as the beginning of a flow, or as more for the open one. None: no flow for it."""
        flow = next((one for one in self.flows.values() if one.intent == output.intent.name), None)
        if flow is None:
            return None
        state = who.flow if who.flow and who.flow.flow == flow.spec.flow else None
        tasks = slots_of(flow.spec, [task.slots for task in output.tasks if task.intent == flow.intent])
        reading = await self._reading(who, flow, state, FlowAct.FILL, tasks)
        others = (task for task in output.tasks if task.intent != flow.intent)
        later = beside(others, {one.intent for one in self.flows.values()})
        return output.model_copy(update={"flow": reading.model_copy(update={"beside": later})})

    async def _word(self, flow: Flow, text: str) -> FlowAct | None:
        # whoever says so much says something else
        return await self.reads.word(flow, text) if len(text) <= READ else None

    async def _recalled(self, received: MessageReceived, who: Speaking) -> Read | None:
        for flow in self.flows.values():
            if flow.recall is None:
                continue
            language = received.language or detect_language(received.text).language
            key, values = await self.reads.recall(flow, received.text, who.executed(flow.spec.flow), language)
            if key:
                answer = flow.rules.say(language, key, **values)
                output = _output(received.text, language, who, flow, route=Route.ANSWER)
                return Read(output.model_copy(update={"answer": answer, "intent": GENERAL}))
        return None

    def _talk(self, received: MessageReceived, state: FlowAdvanced | None) -> _Talk | None:
        flow = self.flows.get(state.flow) if state else None
        return _Talk(flow, state, spoken_in(received, state)) if state and flow else None

    async def _said(
        self, text: str, who: Speaking, talk: _Talk, act: FlowAct, tasks: Sequence[JsonObject] = ()
    ) -> Read:
        reading = await self._reading(who, talk.flow, talk.state, act, tasks)
        # of several nobody knows which part is whose, and all of it with each would not fit into an event
        part = text if len(tasks) == 1 else ""
        wanted = tuple(Task(intent=talk.flow.intent, slots=slots, text=part) for slots in tasks)
        output = _output(text, talk.language, who, talk.flow, route=Route.FLOW)
        return Read(output.model_copy(update={"flow": reading, "tasks": wanted}))

    async def _reading(
        self, who: Speaking, flow: Flow, state: FlowAdvanced | None, act: FlowAct, tasks: Sequence[JsonObject]
    ) -> FlowReading:
        facts: JsonObject = {}
        if flow.resolver is not None and (about := _about(state, tasks)):
            try:
                facts = await flow.resolver(about, who.user, self.tables(flow.pack))
            except DatabaseUnavailable as error:
                raise Retryable(Code.LEDGER_UNAVAILABLE, str(error)) from error
        return FlowReading(
            flow=flow.spec.flow,
            act=act,
            turn=state.turn if state else 0,
            tasks=tuple(tasks),
            facts=facts,
            today=who.now.date(),
        )


def expecting(state: FlowAdvanced) -> tuple[str, ...]:
    """The slots that the open question is about, the first one first."""
    return tuple(dict.fromkeys((*state.slot_errors, *state.missing))) if state.stage is FlowStage.FILLING else ()


def spoken_in(received: MessageReceived, state: FlowAdvanced) -> Language:
    """The language of a turn in a flow: a bare "ok" or "KB" does not change it."""
    detected = detect_language(received.text, state.language).language
    few = detected == "en" and len(received.text.split()) < SHORT
    return received.language or (state.language if few else detected)


def slots_of(spec: FlowSpec, tasks: Sequence[JsonObject]) -> list[JsonObject]:
    """Only slots of the flow, and only with values. Whatever else a reader claims is not recorded."""
    names = {slot.name for slot in spec.slots}
    told: list[JsonObject] = [
        {name: value for name, value in task.items() if name in names and value is not None} for task in tasks
    ]
    return told if any(told) else []


def _about(state: FlowAdvanced | None, tasks: Sequence[JsonObject]) -> list[JsonObject]:
    """Every task that may be judged by what is looked up now: the current one as it was and as it becomes, the new
    ones that may be taken, and those that wait."""
    tasks = tasks[: 1 + MOST_WAITING]
    if state is None or not state.is_open:
        return list(tasks)
    becomes: JsonObject = {**state.slots, **tasks[0]} if tasks else {}
    about: list[JsonObject] = [state.slots, becomes, *tasks, *state.queue]
    return [task for task in about if task]


def _output(text: str, language: Language, who: Speaking, flow: Flow, route: Route) -> CognitiveOutput:
    domain, _, category = flow.intent.partition(".")
    intent = Intent(domain=domain, category=category or None, confidence=1.0)
    return CognitiveOutput(text=text, language=language, intent=intent, route=route, profile=who.profile)
