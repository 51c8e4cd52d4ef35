"""What a turn of the person says to a flow: read by code, recorded as a fact, decided about elsewhere.

Only words that the pack's patterns know confirm or cancel. An interpreter (a model) may read slots where the pack's own
reader finds none, and nothing else: whatever it claims, it is judged like any value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple, Protocol

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
from contracts.gateway import MessageReceived
from contracts.model import ModelCalled
from contracts.packs import SlotSpec
from contracts.reading import Clause
from contracts.shape import JsonObject, Language
from contracts.tables import PackDatabase
from services.cognitive import agreeing, hearing, markers, taking_back, undoing
from services.cognitive.domain.slots import ValidationContext, nothing_to_do
from services.cognitive.domain.updating import MOST_WAITING
from services.cognitive.domain.wording import present
from services.cognitive.flows import Flow
from services.cognitive.hearing import Heard, slots_of
from services.cognitive.person import Speaking
from services.cognitive.reads import InThread, Reads
from services.cognitive.turn_reading import (
    Talk,
    TurnReader,
    is_strange,
    last_of,
    names_open,
    no_settings,
    says_more,
    says_only_what_may_be_left_out,
    says_the_same,
    spoken_in,
    with_the_sum_told,
)
from understanding.port import READ, detect_language, excerpt

GENERAL = Intent(domain="GENERAL", confidence=1.0)
"""What source design 002 calls talk beside its flows, a question about what was done among it."""
_BUSY = (FlowStage.CONFIRMED, FlowStage.FILLING, FlowStage.READY)
LONGEST_REPEAT = 60
"""Characters of a turn that asks for the last task once more: it says little else."""


class Interpreter(Protocol):
    """Slots per task that a model reads in a clause, as far as the clause bears them out; the record of its call."""

    async def __call__(
        self, clause: Clause, slots: Sequence[SlotSpec], conversation: Conversation
    ) -> tuple[Sequence[JsonObject], ModelCalled]: ...


class Read(NamedTuple):
    """The turn as it is recorded, if it is the flow's; and the calls of the model that helped to read it. `doubtful`:
    the flow could make nothing of what was read, and the sentence may be about something else."""

    output: CognitiveOutput | None
    called: tuple[ModelCalled, ...] = ()
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class FlowTurns:
    """Reads turns for the flows of the loaded packs."""

    flows: Mapping[str, Flow]
    tables: Callable[[str], PackDatabase]
    interpreter: Interpreter | None = None
    settings: Callable[[str], Mapping[str, str]] = no_settings
    """Of a pack: what was set for it."""
    reads: Reads = field(default_factory=InThread)

    @property
    def reader(self) -> TurnReader:
        return TurnReader(self.reads, self.tables, self.settings)

    async def word(self, received: MessageReceived, who: Speaking, *, plainly: bool = False) -> Read | None:
        """The turn as one that confirms or cancels; or as a question about what was done. `plainly`: what is taken back
        is so by words for that; a part of a turn may be likely for anything."""
        if undone := await self.undone(received, who):
            return undone
        talk = self._talk(received, who.addressed)
        if talk is None:
            return await self._recalled(received, who)
        return await self._word(received, who, talk, plainly=plainly)

    async def _word(self, received: MessageReceived, who: Speaking, talk: Talk, *, plainly: bool) -> Read | None:
        every = await agreeing.is_yes_to_all(self.reader, received.text, who, talk)
        declined = not every and await agreeing.wants_no_more(self.reader, received.text, talk)
        declined = declined or await agreeing.begins_with_the_first(self.reader, received.text, talk)
        act = FlowAct.CONFIRM if every or declined else await self.reader.word(talk.flow, received.text)
        undoes = talk.flow.spec.undoes is not None
        if act is FlowAct.CONFIRM and not (every or declined or undoes) and talk.is_no_yes(received.text):
            act = None
        if act is FlowAct.CONFIRM and await agreeing.says_otherwise(self.reader, received.text, who, talk):
            return None
        if act is not None:
            bare = talk._replace(language=received.language or talk.state.language)
            return await self._said(received.text, who, talk if every else bare, Heard(act, every=every))
        if recalled := await self._recalled(received, who):
            return recalled
        if undoes and not markers.forbids(received.text, talk.language):
            return None  # what takes something back is what is asked for
        if said := await taking_back.heard(
            self.reader, received.text, who, talk, plainly=plainly
        ) or await self._repeated(received, who, talk):
            return await self._said(received.text, who, talk, said)
        return None

    async def is_bare_word(self, received: MessageReceived) -> bool:
        """Whether the turn is nothing but words of yes or no, whatever they are for."""
        if received.attachments:
            return False
        for flow in self.flows.values():
            if flow.spec.undoes is None and await self.reader.word(flow, received.text) is not None:
                return True
        return False

    async def undone(self, received: MessageReceived, who: Speaking) -> Read | None:
        """The turn as one that wants something undone, whatever else is open; where there is nothing for it, that is
        said."""
        found = await undoing.wanted(self.reader, self.flows.values(), received, who)
        if found is None:
            return None
        flow, tasks, language = found
        reading = await self._reading(received.text, who, flow, None, language, Heard(tasks=tasks))
        if why := nothing_to_do(flow.rules, tasks, ValidationContext(language, reading.facts, who.now.date())):
            return self._answered(received.text, language, who, flow, why)
        output = _output(received.text, language, who, flow, route=Route.FLOW)
        wanted = tuple(Task(intent=flow.intent, slots=slots) for slots in tasks)
        return Read(output.model_copy(update={"flow": reading, "tasks": wanted}))

    def _answered(self, text: str, language: Language, who: Speaking, flow: Flow, answer: str) -> Read:
        """A sentence, and behind it the question that is open."""
        if who.flow is not None and (open_ := self.flows.get(who.flow.flow)) is not None:
            shown = who.flow.model_copy(update={"language": language})
            answer = f"{answer}\n{present(open_.rules, shown)}"
        output = _output(text, language, who, flow, route=Route.ANSWER)
        return Read(output.model_copy(update={"answer": answer, "intent": GENERAL}))

    async def takes_back(
        self, said: MessageReceived, other: MessageReceived, who: Speaking, told: Conversation
    ) -> CognitiveOutput | None:
        """What takes tasks of the open flow back, if `said` does and `other`, what follows it, says nothing to it."""
        read = await self.word(said, who, plainly=True)
        output = read.output if read else None
        if output is None or output.flow is None or output.flow.act not in (FlowAct.CANCEL, FlowAct.DROP):
            return None
        talk = self._talk(other, who.flow)
        if (
            talk is None
            or await self.reader.word(talk.flow, other.text) is not None
            or slots_of(talk.flow.spec, (await self.reader.read(other.text, who, talk)).tasks)
        ):
            return None
        return output

    async def _repeated(self, received: MessageReceived, who: Speaking, talk: Talk) -> Heard | None:
        """The task that was carried out last, whole, once more, or with what the turn says in its place: it is shown,
        and needs a word of its own."""
        done = who.executed(talk.flow.spec.flow)
        if talk.state.stage in _BUSY or not done or len(received.text) > LONGEST_REPEAT:
            return None
        if markers.repeats(received.text):
            return Heard(tasks=(done[-1],))
        again = await self.reader.read(received.text, who, talk)
        alone = await self.reader.read(received.text, who, talk, done={})
        told = slots_of(talk.flow.spec, again.tasks)
        refers = len(told) == 1 and told != slots_of(talk.flow.spec, alone.tasks)
        return Heard(tasks=tuple(told)) if refers and not talk.flow.rules.missing(told[0]) else None

    async def slots(self, received: MessageReceived, who: Speaking, told: Conversation) -> Read:
        """The turn as slots for the open flow, if it says some. `told` is what a model is told of the session."""
        talk = self._talk(received, who.flow)
        if talk is None:
            return Read(None)
        spec = talk.flow.spec
        read, which = await self.reader.placed(received.text, who, talk)
        said = replace(hearing.slots(talk.flow, read.tasks), which=which, lost=read.changes, mends=read.mends)
        calls: tuple[ModelCalled, ...] = ()
        agreed = await agreeing.agreed(self.reader, received.text, who, talk, read)
        agreed = agreed or hearing.swapped(talk.flow, talk.state, received.text)
        if not (agreed or said.tasks or said.erases):
            shown = await agreeing.is_what_is_shown(self.reader, received.text, who, talk, (), read)
            agreed = Heard(FlowAct.CONFIRM) if shown else None
        if agreed is not None:
            return await self._said(received.text, who, talk, agreed)
        if not (said.tasks or said.erases) and self.interpreter is not None:
            found, called = await self.interpreter(read.clause, spec.slots, told)
            said, calls = replace(said, tasks=tuple(slots_of(spec, found))), (called,)
        if not (said.tasks or said.erases):
            return Read(None, calls)
        output = (await self._said(received.text, who, talk, said)).output
        if output is None or output.flow is None:
            return Read(output, calls)
        plain = not (said.denied or which or said.erases or output.flow.adds or output.flow.corrects)
        if plain and await agreeing.is_what_is_shown(self.reader, received.text, who, talk, said.tasks, read):
            return await self._said(received.text, who, talk, Heard(FlowAct.CONFIRM))
        strange = is_strange(talk, output.flow, who) or says_only_what_may_be_left_out(talk, read, said.tasks)
        return Read(output.model_copy(update={"unread": read.unread}), calls, doubtful=strange)

    async def nothing(self, received: MessageReceived, who: Speaking) -> Read:
        """The turn as one that the open flow, if there is one, could make nothing of: it asks again."""
        talk = self._talk(received, who.flow)
        if talk is None:
            return Read(None)
        read = await self.reader.read(received.text, who, talk)
        lost = read.changes or (bool(read.clause.entities) and markers.corrects(received.text, talk.language))
        return await self._said(received.text, who, talk, Heard(lost=lost))

    def still_asked(self, who: Speaking, language: Language) -> str:
        """The question of the open flow, for a turn that is about another thing; empty where none is open. What a
        person lets lie that is not complete is not asked for behind every later answer; what waits for a word of
        theirs is: a yes may never be for what is not in sight."""
        state = who.flow
        if state is not None and state.stage is FlowStage.FILLING and not who.just_asked:
            return ""
        flow = self.flows.get(state.flow) if state is not None and state.is_open else None
        if state is None or flow is None:
            return ""
        return present(flow.rules, state.model_copy(update={"language": language}))

    async def opened(
        self, output: CognitiveOutput, who: Speaking, before: str = "", told: str = ""
    ) -> CognitiveOutput | None:
        """What was understood as the beginning of a flow, or as more for the open one. None: no flow for it. `before`
        is what the request before was about: whom "her" may mean; `told` is its answer, which has "that amount"."""
        flow = next((one for one in self.flows.values() if one.intent == output.intent.name), None)
        if flow is None:
            return None
        state = who.flow if who.flow and who.flow.flow == flow.spec.flow else None
        tasks = slots_of(flow.spec, [task.slots for task in output.tasks if task.intent == flow.intent])
        others = [task for task in output.tasks if task.intent != flow.intent]
        if len(tasks) == 1:
            tasks, others = await self._with_what_is_said_behind(flow, output, who, tasks[0], others)
            left = (task for task in output.tasks if task.intent == flow.intent or task in others)
            output = output.model_copy(update={"tasks": tuple(left)})
        if markers.forbids(output.text, output.language):
            said = Heard(FlowAct.DROP, tasks=tuple(tasks))
        else:
            said = await self._with_what_was_done(flow, output, who, tasks)
            said = await self._with_whom_it_means(flow, output, who, said, before)
            said = replace(said, tasks=await with_the_sum_told(self.reads, flow, output, said.tasks, told, who.now))
        reading = await self._reading(output.text, who, flow, state, output.language, said)
        later = beside(others, {one.intent for one in self.flows.values()})
        return output.model_copy(update={"flow": reading.model_copy(update={"beside": later})})

    async def _with_what_is_said_behind(
        self, flow: Flow, output: CognitiveOutput, who: Speaking, task: JsonObject, others: Sequence[Task]
    ) -> tuple[list[JsonObject], list[Task]]:
        """The task, with what a part behind it says that is nothing but values of it ("send Dad 30,000. The day of the
        transfer is the 5th"), whatever else that part may be taken for; and the other parts."""
        left: list[Task] = []
        beside = {slot.name for slot in flow.spec.slots} - {*flow.rules.keys}
        for other in others:
            asked = Clause(other.text, output.language, who.now, slots=task)
            read = slots_of(flow.spec, (await self.reads.turn(flow, asked)).tasks) if other.text else []
            if len(read) == 1 and read[0] and read[0].keys() <= beside - task.keys():
                task = {**task, **read[0]}
            else:
                left.append(other)
        return [task], left

    async def _with_what_was_done(
        self, flow: Flow, output: CognitiveOutput, who: Speaking, tasks: Sequence[JsonObject]
    ) -> Heard:
        """The tasks as they were understood; of one that refers to the last ("the same amount"), what that says."""
        done, known = last_of(who, flow.spec), await self.reader.known(flow, who)
        alone = all(task.intent == flow.intent for task in output.tasks)
        if alone and (done or known) and len(output.text) <= READ:
            asked = Clause(output.text, output.language, who.now, done=done, known=known)
            again = slots_of(flow.spec, (await self.reads.turn(flow, asked)).tasks)
            if known and says_more(flow, known, again, tasks):
                return Heard(tasks=tuple(again))
            if len(again) == len(tasks) and all(
                says_the_same(flow, task, more) for task, more in zip(tasks, again, strict=True)
            ):
                return Heard(tasks=tuple(again))
        return Heard(tasks=tuple(tasks))

    async def _with_whom_it_means(
        self, flow: Flow, output: CognitiveOutput, who: Speaking, said: Heard, before: str
    ) -> Heard:
        """One task without a key is for the one known name in its sentence ("Dad is short of money, send 10,000"); with
        a word for somebody, or for going on ("then just 40,000"), else for that in the request before. It is shown
        before anything is done."""
        (task, *more) = said.tasks or ({},)
        if more or not (task or markers.says(output.text, "pronoun")) or set(task) & set(flow.rules.keys):
            return said
        goes_on = markers.resumes(output.text, whole=False) or markers.says(output.text, "pronoun")
        known = await self.reader.known(flow, who)
        own_text = output.text
        for value in task.values():
            own_text = own_text.replace(str(value), " ")  # who is named in a memo is not meant
        own, earlier = (hearing.words_in(text, hearing.named_in(flow, text, known)) for text in (own_text, before))
        gone = who.addressed
        if task and not own and gone and gone.flow == flow.spec.flow and gone.stage is FlowStage.CANCELLED:
            # "no" and "send 40,000 instead": to whom it was to go
            kept = {name: gone.slots[name] for name in flow.rules.keys if name in gone.slots}
            return replace(said, tasks=({**kept, **task},))
        names = own or (earlier if goes_on else [])
        facts = await self.reader.facts(flow, names, who)
        key = hearing.meant_by_all(flow, names, ValidationContext(output.language, facts, who.now.date()))
        return replace(said, tasks=({**key, **task},)) if key else said

    async def _recalled(self, received: MessageReceived, who: Speaking) -> Read | None:
        for flow in self.flows.values():
            if flow.recall is None:
                continue
            language = received.language or detect_language(received.text).language
            done = undoing.with_days_of_what_is_booked(flow, self.flows.values(), who)
            state = who.flow if who.flow and who.flow.is_open and who.flow.flow == flow.spec.flow else None
            waiting = (state.slots, *state.queue) if state else ()
            if received.attachments and not (done or waiting[1:]):
                continue  # a sum that was spent is one of the file that came with the question
            asked = await self._with_their_names(flow, received.text, [*done, *waiting], language, who)
            key, values = await self.reads.recall(flow, asked, done, language, waiting)
            if key:
                return self._answered(received.text, language, who, flow, flow.rules.say(language, key, **values))
        return None

    async def _with_their_names(
        self, flow: Flow, text: str, done: Sequence[JsonObject], language: Language, who: Speaking
    ) -> str:
        """A question about what was done, with the names by which that is kept."""
        known = await self.reader.known(flow, who) if done and len(text) <= READ else {}
        names = hearing.named_in(flow, text, known)
        if not names:
            return text
        facts = await self.reader.facts(flow, [*done, *names], who)
        on = ValidationContext(language, facts, who.now.date())
        return hearing.with_their_names(flow, done, text, on, known)

    def _talk(self, received: MessageReceived, state: FlowAdvanced | None) -> Talk | None:
        flow = self.flows.get(state.flow) if state else None
        return Talk(flow, state, spoken_in(received, state)) if state and flow else None

    async def _said(self, text: str, who: Speaking, talk: Talk, said: Heard) -> Read:
        reading = await self._reading(text, who, talk.flow, talk.state, talk.language, said)
        # of several nobody knows which part is whose, and all of it with each would not fit into an event
        part = text if len(said.tasks) == 1 else ""
        wanted = tuple(Task(intent=talk.flow.intent, slots=slots, text=part) for slots in said.tasks)
        output = _output(text, talk.language, who, talk.flow, route=Route.FLOW)
        return Read(output.model_copy(update={"flow": reading, "tasks": wanted}))

    async def _reading(
        self, text: str, who: Speaking, flow: Flow, state: FlowAdvanced | None, language: str, said: Heard
    ) -> FlowReading:
        facts = await self.reader.facts(flow, _about(state, said), who)
        fills = said.act is FlowAct.FILL
        corrects = said.corrects or (fills and markers.corrects(text, language))
        adds = fills and markers.adds(text, language) and not said.corrects
        if adds and said.mends and state is not None:  # "and make Mom's 100,000", "70,000, I forgot the drinks, too"
            on = ValidationContext(language, facts, who.now.date())
            named = any(set(task) & set(flow.rules.keys) for task in said.tasks)
            also = markers.begins_with_more(text, language)
            adds = not (corrects and names_open(flow, state, said.tasks, on)) if named else also and not corrects
        every = said.every or (fills and not adds and hearing.says_all(text, said.tasks, state))
        words = asdict(said) | {"adds": adds, "corrects": corrects, "every": every}
        if fills and (parts := hearing.in_parts(text, said.tasks, flow, state)):
            words |= {"tasks": parts, "every": True, "adds": False}
        if fills and not (said.which or every) and hearing.says_the_rest(text, said.tasks, flow, state):
            words["which"] = "rest"
        del words["mends"]  # it has told how the rest is meant
        # no yes or no is for a question that another flow has spoken after
        shown = state is not None and (fills or not who.has_spoken_since(state))
        turn = state.turn if state is not None and shown else 0
        return FlowReading(flow=flow.spec.flow, turn=turn, facts=facts, today=who.now.date(), **words)


def _about(state: FlowAdvanced | None, said: Heard) -> list[JsonObject]:
    """Every task that may be judged by what is looked up now: the current one as it was and as it becomes, the new
    ones that may be taken, those that wait, and what is taken back."""
    tasks = said.tasks[: 1 + MOST_WAITING]
    if state is None or not state.is_open:
        return list(tasks)
    becomes: JsonObject = {**state.slots, **tasks[0]} if tasks else {}
    about: list[JsonObject] = [state.slots, becomes, *tasks, *state.queue, said.denied]
    return [task for task in about if task]


def _output(text: str, language: Language, who: Speaking, flow: Flow, route: Route) -> CognitiveOutput:
    domain, _, category = flow.intent.partition(".")
    intent = Intent(domain=domain, category=category or None, confidence=1.0)
    unread = excerpt(text).unread
    return CognitiveOutput(text=text, language=language, intent=intent, route=route, profile=who.profile, unread=unread)
