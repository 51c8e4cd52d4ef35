"""What the ledger tells of an agent loop (source design 003): steps of its model, their calls, and what came of them.

After a crash, a question or a pause the loop goes on from here: a recorded step is not asked for again, and an answered
call is not made again.

Which tools an agent loop may call: those that its specification names, and the word of progress."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from backbone.arguments import arguments_hash
from contracts.agents import REPORT_PROGRESS, LoopMessage, NextStep, ProgressEntry, ToolCall
from contracts.artifacts import Attachment
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.execution import AgentStepped, AgentToolAnswered, AgentToolCalled, TodoDispatched
from contracts.model import ModelCalled
from contracts.packs import AgentSpec
from contracts.shape import Event, JsonObject, JsonValue
from contracts.tools import ToolSpec
from services.execution.domain.effects import DOUBTFUL

EVENT_TYPES = frozenset(
    {
        "AgentStepped", "AgentToolAnswered", "AgentToolCalled", "DecisionAnswered", "DecisionExpired",
        "DecisionRequested", "MessageReceived", "ModelCalled", "TodoDispatched",
    }
)  # fmt: skip
CALL_ID = "call_id"
"""In the subject of a question: it is about a call of a loop, and every answer to it goes back to the loop."""


class Verdict(StrEnum):
    """What a person said about a call."""

    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class CallKey:
    """A tool with exactly these arguments: what is approved, counted, and done once."""

    tool: str
    arguments_hash: str

    @classmethod
    def of(cls, call: ToolCall) -> "CallKey":
        return cls(call.tool, arguments_hash(call.arguments))


@dataclass(slots=True)
class AgentLoopState:
    """One loop so far. Its owner puts in what it records itself."""

    todo_id: str
    steps: list[AgentStepped] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)
    answers: dict[str, AgentToolAnswered] = field(default_factory=dict)
    tokens: int = 0
    verdicts: dict[CallKey, Verdict] = field(default_factory=dict)
    _asked: dict[UUID, CallKey] = field(default_factory=dict)
    _work: tuple[int, JsonObject] | None = None

    def take(self, event: Event) -> None:
        """Folds one event of the run; those of other todos change nothing."""
        match event:
            case TodoDispatched() if event.todo.id == self.todo_id:
                self._dispatched((event.round, event.todo.params))
            case AgentStepped() if event.todo_id == self.todo_id:
                self.steps.append(event)
            case AgentToolCalled() if event.todo_id == self.todo_id:
                self.begun.add(event.call_id)
            case AgentToolAnswered() if event.todo_id == self.todo_id:
                self.answers[event.call_id] = event
            case ModelCalled() if event.todo_id == self.todo_id:
                self.tokens += event.input_tokens + event.output_tokens
            case DecisionRequested() if event.kind is DecisionKind.TOOL and CALL_ID in event.subject:
                self._ask(event)
            case DecisionAnswered() if event.decision_id in self._asked:
                said = Verdict.APPROVED if event.answer.get("action") == "approve" else Verdict.REFUSED
                self.verdicts[self._asked[event.decision_id]] = said
            case DecisionExpired() if event.decision_id in self._asked:
                self.verdicts[self._asked[event.decision_id]] = Verdict.EXPIRED
            case _:
                pass

    def _dispatched(self, work: tuple[int, JsonObject]) -> None:
        """Another round of its cycle, or other arguments, is another loop; another attempt goes on. What was approved
        for the one was not for the other, which would do it again."""
        if self._work is not None and self._work != work:
            self.steps, self.begun, self.answers, self.tokens = [], set(), {}, 0
            self.verdicts, self._asked = {}, {}
        self._work = work

    def _ask(self, event: DecisionRequested) -> None:
        if event.subject.get("todo_id") == self.todo_id:
            about = CallKey(str(event.subject.get("tool")), str(event.subject.get("arguments_hash")))
            self._asked[event.decision_id] = about

    @property
    def last(self) -> AgentStepped | None:
        return self.steps[-1] if self.steps else None

    @property
    def is_answered(self) -> bool:
        """The model has spoken, and wants no more calls."""
        return self.last is not None and not self.last.calls

    def owed(self) -> tuple[ToolCall, ...]:
        """Calls of the last step that have no answer yet."""
        calls = self.last.calls if self.last else ()
        return tuple(call for call in calls if call.call_id not in self.answers)

    def calls(self) -> Iterator[ToolCall]:
        return (call for step in self.steps for call in step.calls)

    def most_repeated(self) -> int:
        """How often the last step's most frequent call has been asked for, with the same arguments."""
        asked = [CallKey.of(call) for call in self.calls()]
        return max((asked.count(CallKey.of(call)) for call in self.last.calls), default=0) if self.last else 0

    def answer_to(self, key: CallKey) -> AgentToolAnswered | None:
        """What came of the same call before; of several answers one that says what was done, or may have been."""
        told = [self.answers[call.call_id] for call in self.answered() if CallKey.of(call) == key]
        return next((one for one in told if one.error is None or one.error.code in DOUBTFUL), told[0] if told else None)

    def answered(self) -> list[ToolCall]:
        return [call for call in self.calls() if call.call_id in self.answers]

    def messages(self) -> tuple[LoopMessage, ...]:
        """As a model reads them. What tools answered is data, so it stands in messages of its own role."""
        told: list[LoopMessage] = []
        for step in self.steps:
            told.append(LoopMessage(role="assistant", text=step.text, calls=step.calls))
            told += [_message(self.answers[call.call_id]) for call in step.calls if call.call_id in self.answers]
        return tuple(told)

    def attachments(self) -> tuple[Attachment, ...]:
        """The files that its tools made, in the order of the calls, each once."""
        made = (file for call in self.answered() for file in self.answers[call.call_id].attachments)
        return tuple({file.artifact_id: file for file in made}.values())

    def progress_log(self) -> tuple[ProgressEntry, ...]:
        told = (self.answers[call.call_id].result for call in self.answered() if call.tool == REPORT_PROGRESS)
        return tuple(
            ProgressEntry(title=str(one["title"]), description=str(one.get("description", "")))
            for one in told
            if "title" in one
        )

    def sources(self) -> list[JsonValue]:
        """What its tools said they had read."""
        found: list[JsonValue] = []
        for call in self.answered():
            named = self.answers[call.call_id].result.get("sources")
            found += [one for one in named if one not in found] if isinstance(named, list) else []
        return found


def loop_state(events: Iterable[Event], todo_id: str) -> AgentLoopState:
    """Everything that the events of a run tell of one loop."""
    story = AgentLoopState(todo_id)
    for event in events:
        story.take(event)
    return story


def numbered(step: NextStep, number: int) -> NextStep:
    """With names of our own for its calls: a model may use the same one twice."""
    calls = tuple(
        ToolCall(call_id=f"c{number}_{place}", tool=call.tool, arguments=recordable(call.arguments))
        for place, call in enumerate(step.calls, start=1)
    )
    return NextStep(text=_plain(step.text), calls=calls)


def recordable(value: JsonObject) -> JsonObject:
    """What a model has said, as the ledger can hold it. A number that changes fits no schema, and is refused there."""
    return {_plain(key): _kept(member) for key, member in value.items()}


def _kept(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return _plain(value)
        case dict():
            return recordable(value)
        case list():
            return [_kept(member) for member in value]
        case int() | float() if not (math.isfinite(value) and abs(value) < 2**63):
            return repr(value)[:40]
        case _:
            return value


def _plain(text: str) -> str:
    return text.replace("\0", "").encode(errors="replace").decode()


def _message(answered: AgentToolAnswered) -> LoopMessage:
    if answered.error is None:
        return LoopMessage(role="tool", call_id=answered.call_id, result=answered.result)
    error = answered.error
    result: JsonObject = {"error": {"code": int(error.code), "message": error.message, **error.detail}}
    return LoopMessage(role="tool", call_id=answered.call_id, text=error.message, result=result, failed=True)


NO_TOOLS = ("agent:", "model:")
"""`entry` of what is a todo of its own: another loop, a model."""


def offered(agent: AgentSpec, catalogue: Mapping[str, ToolSpec]) -> dict[str, ToolSpec]:
    """The tools that are there and can be called in a loop, by key."""
    wanted = dict.fromkeys((REPORT_PROGRESS, *agent.tools))
    return {key: catalogue[key] for key in wanted if key in catalogue and not why_not_callable(catalogue[key])}


def why_not_callable(spec: ToolSpec) -> str:
    """Why a tool cannot be called in a loop; empty when it can. For whoever wrote the agent."""
    if spec.tool_key == REPORT_PROGRESS:
        return ""
    if spec.groups:
        return f"{spec.tool_key} needs a lease on {', '.join(spec.groups)}: only a todo of its own can wait for one"
    if spec.entry.startswith(NO_TOOLS):
        return f"{spec.tool_key} is no tool but {spec.entry!r}: give it a todo of its own"
    return ""
