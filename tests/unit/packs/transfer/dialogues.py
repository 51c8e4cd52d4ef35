"""The dialogues of cases.yaml, and a person's side of them without any server: the real reading, the real rules, and the
bank in memory."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from backbone import packs
from backbone.model.port import Conversation
from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowStage, Intent, Profile, Route, Task
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionResult, ExecutionStatus, TodoStatus
from contracts.gateway import MessageReceived
from contracts.shape import JsonObject
from contracts.tables import PackDatabase
from packs.transfer.bank.port import MOST_A_DAY, DailyLimitReached, Order
from packs.transfer.names import banks_of, called, names_of
from packs.transfer.wording import amount_in_words, day_in_words
from services.cognitive import hearing
from services.cognitive.domain import flow as flow_rules
from services.cognitive.domain import turn
from services.cognitive.domain.flow import _merged
from services.cognitive.domain.moves import FlowState
from services.cognitive.domain.slots import ValidationContext
from services.cognitive.flow_turns import FlowTurns, Read
from services.cognitive.flows import Flow, load_flows
from services.cognitive.person import Speaking
from services.cognitive.reads import InThread, Reads
from tests.fakes.bank import MemoryBank
from understanding.kit.data import read_data
from understanding.offline.tasks import clause_of

Json = dict[str, Any]
CASES: list[Json] = read_data(Path(packs.__file__).parents[1] / "packs/transfer/cases.yaml")
NAMES = [case["name"] for case in CASES]
ZONE = ZoneInfo("Asia/Seoul")
ME = "me"


def filled(text: str, today: date, language: str) -> str:
    """With its days: {today+1} in words, {iso today-1} as YYYY-MM-DD."""

    def day(match: re.Match[str]) -> str:
        chosen = today + timedelta(days=int(match["days"]))
        return chosen.isoformat() if match["iso"] else day_in_words(chosen, language)

    return re.sub(r"\{(?P<iso>iso )?today(?P<days>[+-]\d+)\}", day, text)


def expected_slots(slots: Mapping[str, Any], today: date) -> Json:
    return {
        name: (today + timedelta(days=int(value.removeprefix("today")))).isoformat() if name == "date" else value
        for name, value in slots.items()
    }


@cache
def flow_called(name: str) -> Flow:
    return load_flows(packs.load(("transfer",)))[name]


def the_flow() -> Flow:
    return flow_called("transfer")


class Talk:
    """A session of one person at a given time."""

    def __init__(self, now: datetime, language: str, reads: Reads | None = None) -> None:
        self._reads = reads or InThread()
        self.flow = the_flow()
        self.bank = MemoryBank()
        self.language = language
        self.now = now
        self.state: FlowAdvanced | None = None
        self.executed: list[JsonObject] = []
        self.paid: list[Order] = []
        self._facts: JsonObject = {}

    async def says(self, text: str) -> str:
        """What is answered."""
        read = await self._read(text)
        if read.answer is not None or read.flow is None:
            return read.answer or ""
        self._facts = _merged(self._facts, read.flow.facts)
        for move in turn.read(self._standing(), read.flow, UUID(int=1)):
            self.state = move
        if self.state and self.state.stage is FlowStage.CONFIRMED:
            await self._work()
        assert self.state is not None
        return self.state.message

    async def _read(self, text: str) -> CognitiveOutput:
        """What layer 1 makes of the turn; a first sentence is taken to be about a transfer, whatever it says."""
        flow = replace(self.flow, vocabulary=self._names, resolver=self._resolved)
        turns = FlowTurns({"transfer": flow}, lambda pack: pack, reads=self._reads)  # type: ignore[arg-type,return-value]  # never opened
        done = [FlowAdvanced(flow="transfer", stage=FlowStage.EXECUTED, slots=slots) for slots in self.executed]
        state = [self.state] if self.state and self.state.stage is not FlowStage.EXECUTED else []
        who = Speaking(ME, Profile(), self.now, [(self.now, move) for move in (*done, *state)])
        received = MessageReceived(text=text, language=self.language)
        is_open = self.state is not None and self.state.is_open
        read = await turns.word(received, who) or Read(None)
        if read.output is None and is_open:
            read = await turns.slots(received, who, Conversation())
            read = read if read.output else await turns.nothing(received, who)
        if read.output is not None:
            return read.output
        found = self.flow.reader(clause_of(text, self.now, self.language))
        tasks = [Task(intent=flow.intent, slots=slots) for slots in hearing.slots_of(flow.spec, found)]
        intent = Intent(domain=flow.intent, confidence=1.0)
        said = CognitiveOutput(text=text, language=self.language, intent=intent, route=Route.FLOW, tasks=tuple(tasks))
        output = await turns.opened(said, who)
        assert output is not None
        return output

    async def _names(self, user: str, database: PackDatabase) -> Mapping[str, Sequence[str]]:
        payees = await self.bank.payees(user)
        return {"target": names_of(payees), "bank": banks_of(payees)}

    async def _resolved(
        self, tasks: Sequence[JsonObject], user: str, database: PackDatabase, *, today: date, config: Mapping[str, str]
    ) -> JsonObject:
        payees = await self.bank.payees(user)
        on: dict[str, int] = {}
        for order in self.paid:
            on[order.value_on.isoformat()] = on.get(order.value_on.isoformat(), 0) + order.amount
        limits: JsonObject = {"day": MOST_A_DAY, "balance": await self.bank.balance(user), "on": dict(on)}
        said = [str(task["target"]) for task in tasks if "target" in task]
        return {"payees": {name: list(called(name, payees)) for name in said}, "limits": limits}

    def _grounds(self) -> ValidationContext:
        return ValidationContext(self.language, self._facts, self.now.date())

    def _standing(self) -> FlowState:
        return FlowState(self.flow.rules, self.state, self._grounds())

    async def _work(self) -> None:
        """What the approved calls do, and what the flow makes of them."""
        state = self.state
        assert state is not None and state.approval is not None
        results = [await self._paid(number, one.params) for number, one in enumerate((state.approval, *state.also), 1)]
        failed = [one for one in results if one.error]
        status = ExecutionStatus.FAILED if failed else ExecutionStatus.SUCCEEDED
        output = ExecutionOutput(plan_id=UUID(int=2), plan_version=1, status=status, results=tuple(results))
        self.state = flow_rules._carried_out(self._standing(), state, output)[-1]

    async def _paid(self, number: int, params: JsonObject) -> ExecutionResult:
        payees = await self.bank.payees(ME)
        today = self.now.date()
        order = Order(
            key=str(len(self.paid)),
            owner=ME,
            payee_id=called(str(params["target"]), payees)[str(params["target"])],
            amount=int(str(params["amount"])),
            ordered_on=today,
            value_on=date.fromisoformat(str(params.get("date", today))),
            memo=str(params.get("memo", "")),
        )
        try:
            await self.bank.pay(order)
        except DailyLimitReached as refused:
            limit, left = (amount_in_words(one, self.language) for one in (refused.limit, refused.left))
            sentence = self.flow.rules.say(self.language, "send.daily_limit", limit=limit, left=left)
            error = ErrorInfo(code=Code.TOOL_ARGUMENTS_INVALID, message=sentence, detail={"slot": "amount"})
            return ExecutionResult(todo_id=f"t{number}", status=TodoStatus.FAILED, error=error)
        self.paid.append(order)
        self.executed.append(params)
        booked: JsonObject = {"booked": order.value_on > order.ordered_on}
        return ExecutionResult(todo_id=f"t{number}", status=TodoStatus.SUCCEEDED, result=booked)
