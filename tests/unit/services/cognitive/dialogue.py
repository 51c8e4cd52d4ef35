"""A flow that pays, for tests: its rules, and dialogues with it told turn by turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID, uuid4

from backbone.arguments import arguments_hash
from backbone.runner.handlers import Recorded
from contracts.cognitive import CognitiveOutput, FlowAct, FlowAdvanced, FlowReading, Intent, Route
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionResult, ExecutionStatus, TodoStatus
from contracts.gateway import MessageReceived
from contracts.packs import FlowSpec
from contracts.reading import Checking, SlotRefused
from contracts.shape import JsonObject, JsonValue
from services.cognitive.domain.flow import FlowSession
from services.cognitive.domain.slots import FlowRules
from services.cognitive.flows import flow_desk_handler
from tests.unit.services.catalogues import platform
from tests.unit.services.given import NOW, In, given, named

TODAY = date(2026, 1, 1)
NOBODY: JsonObject = {}
SPEC = FlowSpec.model_validate(
    {
        "flow": "pay",
        "tool": "test.pay",
        "slots": [
            {"name": "target", "type": "text", "key": True, "question": "ask.target"},
            {"name": "amount", "type": "money", "question": "ask.amount"},
            {"name": "date", "type": "date", "required": False},
            {"name": "memo", "type": "text", "required": False},
        ],
        "reader": "tests.unit.services.cognitive.dialogue:read",
        "confirm": {"ko": ["확인|응|ㅇㅇ"], "en": ["yes|ok"]},
        "cancel": {"ko": ["취소|아니"], "en": ["no|don't"]},
        "max_fill_turns": 2,
    }
)
TEXTS = {
    "flow.pay.ready": "{target}에게 {amount}원을 보낼까요?{memo}{date}",
    "flow.pay.ready_again": "{target}에게 {amount}원을 보낼까요?{memo}{date} (다시)",
    "flow.pay.ready_first": "총 {total}건이에요. 먼저 {target}에게 {amount}원을 보낼까요?{memo}{date} ({index}/{total})",
    "flow.pay.ready_batch": "{target}에게 {amount}원을 보낼까요?{memo}{date} ({index}/{total})",
    "flow.pay.ready_next": "완료! 다음으로 {target}에게 {amount}원을 보낼까요?{memo}{date} ({index}/{total})",
    "flow.pay.executed": "완료됐어요.",
    "flow.pay.executed_together": "모두 완료됐어요.",
    "flow.pay.executed_all": "{executed}건이 모두 완료됐어요.",
    "flow.pay.executed_some": "{total}건 중 {executed}건이 완료됐어요.",
    "flow.pay.cancelled": "취소됐어요.",
    "flow.pay.cancelled_next": "취소됐어요. {target}에게 {amount}원을 보낼까요?{memo}{date} ({index}/{total})",
    "flow.pay.failed": "{reason} 보내지 못했어요.",
    "flow.pay.failed_next": "{reason} {target}에게 {amount}원을 보낼까요?{memo}{date} ({index}/{total})",
    "flow.pay.failed_unknown": "보냈는지 알 수 없어요.",
    "flow.pay.unsupported": "여기서 그만할게요.",
    "flow.pay.busy": "보내고 있어요.",
    "flow.pay.nothing": "확인할 것이 없어요.",
    "flow.pay.button_confirm": "확인",
    "flow.pay.button_cancel": "취소",
    "ask.target": "누구에게 보낼까요?",
    "ask.amount": "{target}에게 얼마를 보낼까요?",
    "low": "1원 이상이어야 해요.",
    "unknown": "{name}은(는) 몰라요.",
}


def read(_: Any) -> list[JsonObject]:
    return []


def amount(value: JsonValue, checking: Checking) -> JsonValue:
    if not isinstance(value, int) or value < 1:
        raise SlotRefused("low")
    return value


def target(value: JsonValue, checking: Checking) -> JsonValue:
    """Whoever was looked up and is not there is refused."""
    people = checking.facts.get("people")
    if isinstance(people, dict) and people.get(str(value)) is False:
        raise SlotRefused("unknown", name=str(value))
    return value


def say(language: str, key: str, **values: object) -> str:
    return TEXTS[key].format(**values)


RULES = FlowRules(SPEC, say, platform().text, arguments_hash, {"amount": amount, "target": target})
DESK = flow_desk_handler({"pay": RULES})


def understood(reading: FlowReading, **fields: Any) -> CognitiveOutput:
    return CognitiveOutput(
        text="x", language="ko", intent=Intent(domain="PAY", confidence=1), route=Route.FLOW, flow=reading, **fields
    )


def output(status: str = "succeeded", error: ErrorInfo | None = None, **result: JsonValue) -> ExecutionOutput:
    """How the work of a confirmed task ended."""
    ended = {"succeeded": TodoStatus.SUCCEEDED, "cancelled": TodoStatus.CANCELLED}.get(status, TodoStatus.FAILED)
    results = (ExecutionResult(todo_id="t1", status=ended, result=result, error=error),)
    return ExecutionOutput(plan_id=named("plan"), plan_version=1, status=ExecutionStatus(status), results=results)


def fault(message: str = "안 됐어요.", code: Code = Code.TOOL_FAILED, **detail: JsonValue) -> ErrorInfo:
    return ErrorInfo(code=code, message=message, detail=detail)


@dataclass
class Dialogue:
    """A session with the flow. Every turn is a run of its own."""

    told: Any = field(default_factory=lambda: given(DESK))
    run_id: UUID = field(default_factory=uuid4)
    last: FlowAdvanced | None = None
    moves: list[FlowAdvanced] = field(default_factory=list)

    def says(self, *tasks: JsonObject, facts: JsonObject = NOBODY, **how: Any) -> str:
        """Slots of one task, or of several."""
        return self.turn(FlowAct.FILL, *tasks, facts=facts, **how)

    def drops(self, *tasks: JsonObject, **how: Any) -> str:
        return self.turn(FlowAct.DROP, *tasks, **how)

    def confirms(self, turn: int | None = None) -> str:
        return self.turn(FlowAct.CONFIRM, turn=turn)

    def cancels(self, turn: int | None = None) -> str:
        return self.turn(FlowAct.CANCEL, turn=turn)

    def turn(
        self, act: FlowAct, *tasks: JsonObject, turn: int | None = None, facts: JsonObject = NOBODY, **how: Any
    ) -> str:
        """What the flow says to it; empty when it has work done first."""
        seen = self.last if self.last is not None and (self.last.is_open or act is not FlowAct.FILL) else None
        shown = turn if turn is not None else seen.turn if seen else 0
        reading = FlowReading(flow="pay", act=act, turn=shown, tasks=tasks, facts=facts, today=TODAY, **how)
        self.run_id = uuid4()
        self.told.when(In(self.run_id, MessageReceived(text="x")))
        return self.hears(understood(reading))

    def hears(self, event: Any, run_id: UUID | None = None) -> str:
        """An event of the run under way, or of another."""
        happened = self.told.when(In(run_id or self.run_id, event))
        self.moves = happened.events
        self.last = self.moves[-1] if self.moves else self.last
        return self.moves[-1].message if self.moves else ""

    @property
    def state(self) -> FlowAdvanced:
        assert self.last is not None
        return self.last

    @property
    def session(self) -> FlowSession:
        state: FlowSession = self.told.state
        return state

    def slots(self) -> Mapping[str, JsonValue]:
        return self.state.slots


def recorded(event: Any, run_id: UUID) -> Recorded:
    return Recorded(event, uuid4(), run_id, NOW)
