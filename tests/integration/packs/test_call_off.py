"""The tool that calls a booked transfer off, over a real database: once per key, before its day, and able to tell
afterwards."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import jsonschema
import pytest

from backbone import packs
from contracts.errors import Code
from contracts.tables import DatabaseUnavailable, PackDatabase
from contracts.tools import ConfirmPolicy, Effects, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import OPENING_BALANCE, Order
from packs.transfer.tools import balance, call_off, history
from services.execution.tools.inline import InlineContext
from services.execution.tools.resources import Owner, Resources
from services.execution.tools.toolpool import Unheard

NOW = datetime(2026, 11, 18, 0, 30, tzinfo=ZoneInfo("Asia/Seoul"))
ME = "me"
PACK = packs.load(("transfer",)).packs["transfer"]
TOOL = next(spec for spec in PACK.tools if spec.tool_key == "transfer.call_off")
WANTED: dict[str, Any] = {"target": "엄마", "amount": 70_000, "date": "2026-11-20"}

Calls = Callable[..., InlineContext]


@pytest.fixture
def call(database: PackDatabase) -> Calls:
    """The context of a call with a key."""

    def make(key: str = "c1", language: str = "ko", tables: PackDatabase = database) -> InlineContext:
        owner = Owner(ME, UUID(int=1), "Asia/Seoul", language, NOW, lambda: key)
        resources = Resources(tables=lambda _: tables, environment={})
        return InlineContext(owner, "transfer", resources, PACK.texts[language], [], Unheard("calling off"))

    return make


@pytest.fixture
async def booked(bank: EmbeddedBank) -> EmbeddedBank:
    """70,000 won for the mother, two days ahead."""
    mother = (await bank.payees(ME))[0]
    await bank.pay(Order("k1", ME, mother.payee_id, 70_000, NOW.date(), date(2026, 11, 20)))
    return bank


def test_it_needs_a_persons_word_as_sending_does() -> None:
    assert (TOOL.confirm_policy, TOOL.effects) == (ConfirmPolicy.ALWAYS, Effects.EXTERNAL)
    assert TOOL.reconcile == "packs.transfer.tools.call_off:reconcile"


async def test_it_is_called_off_once_per_key_and_the_balance_is_told(call: Calls, booked: EmbeddedBank) -> None:
    jsonschema.validate(WANTED, TOOL.params_schema)
    assert await call_off.reconcile(WANTED, call()) == {"happened": False}
    first = await call_off.call_off(WANTED, call())
    jsonschema.validate(first, TOOL.result_schema)
    assert first == await call_off.call_off(WANTED, call())
    assert first["summary"] == ["11월 20일 엄마에게 보낼 7만원 예약을 취소했어요. 남은 잔액은 1,000만원이에요."]
    assert await call_off.reconcile(WANTED, call()) == {"happened": True, "result": first}
    assert await booked.balance(ME) == OPENING_BALANCE and await booked.total() == 0
    assert (await balance.balance({}, call()))["booked"] == 0
    assert (await history.history({"booked": True}, call()))["transfers"] == []


@pytest.mark.parametrize(
    "other",
    [{"amount": 70_001}, {"date": "2026-11-21"}, {"date": "2026-11-18"}, {"target": "아빠"}, {"target": "민수"}],
)
async def test_what_is_not_booked_is_not_called_off(other: dict[str, Any], call: Calls, booked: EmbeddedBank) -> None:
    with pytest.raises(ToolError, match="취소한 것은 없어요") as refused:
        await call_off.call_off({**WANTED, **other}, call())
    assert refused.value.code is Code.TOOL_ARGUMENTS_INVALID and not refused.value.retryable
    assert await booked.balance(ME) == OPENING_BALANCE - 70_000


async def test_a_bank_that_cannot_be_reached_is_tried_again(call: Calls) -> None:
    with pytest.raises(ToolError) as refused:
        await call_off.call_off(WANTED, call(tables=Unreachable()))
    assert refused.value.code is Code.EXTERNAL_UNAVAILABLE and refused.value.retryable


class Unreachable:
    """Tables of a database that is away."""

    def transaction(self) -> Any:
        raise DatabaseUnavailable("away")
