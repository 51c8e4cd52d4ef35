"""The dialogues of cases.yaml, and a person's side of them without any server: the real reading, the real rules, and the
bank in memory."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import yaml

from backbone import packs
from contracts.cognitive import FlowAct, FlowAdvanced, FlowReading, FlowStage
from contracts.errors import Code, ErrorInfo
from contracts.shape import JsonObject
from packs.transfer import recall
from packs.transfer.bank.memory import MemoryBank
from packs.transfer.bank.port import MOST_A_DAY, DailyLimitReached, Order
from packs.transfer.names import called
from packs.transfer.wording import amount_in_words, day_in_words
from services.cognitive import hearing, markers
from services.cognitive.domain import moves, turn
from services.cognitive.domain.moves import Standing
from services.cognitive.domain.slots import Grounds
from services.cognitive.flow_turns import expecting
from services.cognitive.flows import Flow, load_flows
from services.cognitive.hearing import Heard
from understanding.offline.tasks import clause_of

Json = dict[str, Any]
CASES: list[Json] = yaml.safe_load((Path(packs.__file__).parents[1] / "packs/transfer/cases.yaml").read_text("utf-8"))
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
def the_flow() -> Flow:
    return load_flows(packs.load(("transfer",)))["transfer"]


class Talk:
    """A session of one person at a given time."""

    def __init__(self, now: datetime, language: str) -> None:
        self.flow = the_flow()
        self.bank = MemoryBank()
        self.language = language
        self.now = now
        self.state: FlowAdvanced | None = None
        self.executed: list[JsonObject] = []
        self.paid: list[Order] = []
        self._payees: dict[str, Any] = {}
        self._limits: JsonObject = {}

    async def says(self, text: str) -> str:
        """What is answered."""
        key, values = recall.recall(text, self.executed, self.language)
        if key:
            return self.flow.rules.say(self.language, key, **values)
        is_open = self.state is not None and self.state.is_open
        said = self._heard(text)
        fills = said.act is FlowAct.FILL
        reading = FlowReading(
            flow="transfer",
            act=said.act,
            turn=self.state.turn if is_open and self.state else 0,
            tasks=said.tasks,
            today=self.now.date(),
            adds=fills and markers.adds(text, self.language),
            corrects=fills and markers.corrects(text, self.language),
            denied=said.denied,
            which=said.which,
        )
        await self._look_up((*said.tasks, said.denied))
        for move in turn.read(self._standing(), reading, UUID(int=1)):
            self.state = move
        if self.state and self.state.stage is FlowStage.CONFIRMED:
            await self._work()
        assert self.state is not None
        return self.state.message

    def _heard(self, text: str) -> Heard:
        state = self.state if self.state and self.state.is_open else None
        if state and (act := self.flow.word(text)):
            return Heard(act)
        if state and (said := hearing.dropped(self.flow, state, text, self.language, self._grounds())):
            return said
        if not state and self.executed and markers.repeats(text):
            return Heard(tasks=(self.executed[-1],))
        if markers.forbids(text, self.language):
            return Heard(FlowAct.DROP)
        asked = expecting(state) if state else ()
        clause = clause_of(text, self.now, self.language, asked, state.slots if state else {})
        done, refused = self.executed[-1] if self.executed else {}, state.refused if state else {}
        return hearing.slots(self.flow, self.flow.reader(clause._replace(done=done, refused=refused)))

    async def _look_up(self, tasks: tuple[JsonObject, ...]) -> None:
        payees = await self.bank.payees(ME)
        self._payees |= {
            str(task["target"]): list(called(str(task["target"]), payees)) for task in tasks if "target" in task
        }
        left = MOST_A_DAY - sum(order.amount for order in self.paid)
        self._limits = {"day": MOST_A_DAY, "left": left, "balance": await self.bank.balance(ME)}

    def _grounds(self) -> Grounds:
        facts: dict[str, Any] = {"payees": self._payees} | ({"limits": self._limits} if self._limits else {})
        return Grounds(self.language, facts, self.now.date())

    def _standing(self) -> Standing:
        return Standing(self.flow.rules, self.state, self._grounds())

    async def _work(self) -> None:
        """What the approved call does, and what the flow makes of it."""
        state = self.state
        assert state is not None and state.approval is not None
        params = state.approval.params
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
            self.state = moves.failed(self._standing(), state, error)[-1]
            return
        self.paid.append(order)
        self.executed.append(state.slots)
        self.state = moves.executed(self._standing(), state, {"booked": order.value_on > order.ordered_on})[-1]
