"""An agent loop around a script: what its model says step by step, tools that count, a ledger in memory, and crashes."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import uuid5

from backbone.ledger.port import Append, Fact, Timer
from backbone.runner.handlers import Outcome, append_of
from contracts.agents import LoopState, NextStep, Say, ToolCall
from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.errors import Code
from contracts.execution import TodoDispatched
from contracts.packs import AgentSpec
from contracts.shape import Event, JsonObject
from contracts.tools import ToolContext, ToolError, ToolSpec
from services.execution.execute.executor import Executor, executor
from services.execution.tools.tool_runner import ToolRunner
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import catalogue, platform, tool
from tests.unit.services.execution.job_dependencies import shop
from tests.unit.services.given import NOW, RUN, Working, named
from tests.unit.services.plans import SAID, todo

HERE = __name__
TEXTS = {"ko": {"progress.look": "찾아보는 중"}, "en": {"progress.look": "Looking"}}
ANY: JsonObject = {"type": "object"}
STRICT: JsonObject = {
    "type": "object", "additionalProperties": False, "properties": {"what": {"type": "string"}, "n": {"type": "integer"}},
}  # fmt: skip


class Died(BaseException):
    """The process was killed here."""


@dataclass
class Scene:
    """What the scripted model and the tools of this module do and count; one at a time."""

    script: Sequence[NextStep] = ()
    asked: list[LoopState] = field(default_factory=list)
    made: Counter[str] = field(default_factory=Counter)
    keys: list[str] = field(default_factory=list)
    die_in: str = ""
    unsure: bool = False
    happened: bool = False
    at_once: int = 0
    most_at_once: int = 0


SCENE = Scene()


def policy(state: LoopState, say: Say) -> NextStep:
    """The scripted model: its n-th step, the last one again and again."""
    SCENE.asked.append(state)
    number = sum(message.role == "assistant" for message in state.messages)
    return SCENE.script[min(number, len(SCENE.script) - 1)]


async def look(params: JsonObject, context: ToolContext) -> JsonObject:
    return await _use("look", params, context)


async def pay(params: JsonObject, context: ToolContext) -> JsonObject:
    if SCENE.unsure:
        SCENE.made["pay"] += 1
        raise RuntimeError("the line went dead")
    return await _use("pay", params, context)


async def pay_reconcile(params: JsonObject, context: ToolContext) -> JsonObject:
    SCENE.made["reconcile"] += 1
    if SCENE.unsure:
        raise ToolError(Code.EXTERNAL_UNAVAILABLE, "?")
    return {"happened": SCENE.happened, "result": {"paid": True}}


async def wait(params: JsonObject, context: ToolContext) -> JsonObject:
    await asyncio.sleep(60)
    return {}


async def _use(name: str, params: JsonObject, context: ToolContext) -> JsonObject:
    SCENE.made[name] += 1
    SCENE.keys.append(context.idempotency_key)
    SCENE.at_once += 1
    SCENE.most_at_once = max(SCENE.most_at_once, SCENE.at_once)
    await asyncio.sleep(0.01)
    SCENE.at_once -= 1
    if SCENE.die_in == name:
        SCENE.die_in = ""
        raise Died
    if params.get("n") == 13:
        raise ToolError(Code.TABLE_EMPTY, "행이 없어요.")
    return {"found": params.get("what", ""), "sources": [{"name": str(params.get("what", ""))}]}


def calls(*wanted: str | tuple[str, JsonObject], text: str = "") -> NextStep:
    """A step that calls tools: "look", or ("look", {...})."""
    pairs = [(one, {}) if isinstance(one, str) else one for one in wanted]
    named_calls = [
        ToolCall(call_id="same", tool=name if "." in name else f"test.{name}", arguments=arguments)
        for name, arguments in pairs
    ]
    return NextStep(text=text, calls=tuple(named_calls))


def says(text: str) -> NextStep:
    return NextStep(text=text)


def _tools() -> tuple[ToolSpec, ...]:
    inline = {"isolated": False, "params_schema": STRICT, "result_schema": ANY}
    return (
        tool("test.agent", entry="agent:test.worker", isolated=False, params_schema=ANY),
        tool("test.look", entry=f"{HERE}:look", **inline),
        tool("test.wait", entry=f"{HERE}:wait", **inline),
        tool("test.free", entry=f"{HERE}:look", **inline),
        tool("test.box", entry=f"{HERE}:look", capacity=1, **inline),
        tool(
            "test.pay", entry=f"{HERE}:pay", effects="external", reconcile=f"{HERE}:pay_reconcile",
            confirm_policy="never", **inline,
        ),
        tool("test.send", entry=f"{HERE}:pay", effects="external", confirm_policy="always", **inline),
    )  # fmt: skip


@dataclass
class Stage:
    """A session with a dispatched agent todo, and executors that live and die."""

    session: Working
    runner: ToolRunner
    message: Message
    agent: AgentSpec

    @classmethod
    async def set(cls, artifacts: MemoryArtifacts, *script: NextStep, **agent: Any) -> Self:
        SCENE.__init__(script)  # type: ignore[misc]  # one scene at a time, begun anew
        fields: dict[str, Any] = {"tools": ["test.look", "test.wait", "test.box", "test.pay", "test.send"]} | agent
        spec = AgentSpec(agent="worker", prompt="test.worker@1", policy=f"{HERE}:policy", **fields)
        known = catalogue(*_tools(), texts=TEXTS)
        vars(known.packs["test"])["agents"] = {"worker": spec}
        known = type(known)({**known.packs, "platform": platform()})
        runner = ToolRunner(known, artifacts, ToolPool(1))
        session = Working(lambda ledger: executor("data", shop(runner, ledger), 1))
        await session.record(SAID)
        message = await session.record(dispatched())
        return cls(session, runner, message, spec)

    @property
    def ledger(self) -> MemoryLedger:
        return self.session.ledger

    async def run(self, die_at: str = "") -> Outcome:
        """One delivery of the dispatch to a new executor; with `die_at` it dies before that is recorded."""
        outcome = await Executor("data", shop(self.runner, self.ledger)).handle(
            self.message, self.message.event, _Recorder(self.ledger, self.message, die_at)
        )
        await self.ledger.append("execution", "execution-data", [append_of(self.message, "executor", outcome)])
        return outcome

    async def again(self, attempt: int) -> None:
        """The dispatcher sends the todo out once more."""
        self.message = await self.session.record(dispatched(attempt))

    async def answer(self, asked: DecisionRequested, action: str) -> None:
        said = DecisionAnswered(
            decision_id=asked.decision_id, kind=DecisionKind.TOOL, answer={"action": action}, answered_by="me"
        )
        await self.session.record(said)

    def events(self, *kinds: type[Event]) -> list[Any]:
        return [row.message.event for row in self.ledger.rows if isinstance(row.message.event, kinds)]


def dispatched(attempt: int = 1) -> TodoDispatched:
    item = todo("a", tool="test.agent", params={"query": "채용"}, timeout_seconds=20)
    return TodoDispatched(
        plan_id=named("plan"), todo=item, attempt=attempt, language="ko", requested_at=NOW, user="u", timezone="UTC"
    )


@dataclass
class _Recorder:
    """As the runner records; dies before the first record whose key begins with `die_at`."""

    ledger: MemoryLedger
    message: Message
    die_at: str

    async def __call__(
        self, key: str, *events: Event, sure: bool = False, timers: tuple[Timer, ...] = (), cancel_timers: Any = ()
    ) -> None:
        if self.die_at and key.startswith(self.die_at):
            raise Died
        cause = uuid5(self.message.event_id, key)
        facts = tuple(
            Fact(event, uuid5(cause, str(place)), RUN, RUN, self.message.event_id) for place, event in enumerate(events)
        )
        await self.ledger.append(
            "execution", "data", [Append(self.message.session_id, cause, facts, timers, cancel_timers)]
        )
