"""The tool that pays, over a real database: once per key, whatever it is asked, and able to tell afterwards."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import jsonschema
import pytest

from backbone import packs
from contracts.errors import Code
from contracts.tables import DatabaseUnavailable, PackDatabase
from contracts.tools import ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import OPENING_BALANCE, Order
from packs.transfer.tools import balance, history, send
from services.execution.tools.inline import InlineContext
from services.execution.tools.resources import Owner, Resources
from services.execution.tools.toolpool import Unheard

NOW = datetime(2026, 11, 18, 0, 30, tzinfo=ZoneInfo("Asia/Seoul"))  # in London it is still the 17th
ME = "me"
PACK = packs.load(("transfer",)).packs["transfer"]
TOOLS = {spec.tool_key: spec for spec in PACK.tools}

Calls = Callable[..., InlineContext]


@pytest.fixture
def call(database: PackDatabase) -> Calls:
    """The context of a call with a key."""

    def make(key: str = "k1", language: str = "ko", tables: PackDatabase = database, **settings: str) -> InlineContext:
        owner = Owner(ME, UUID(int=1), "Asia/Seoul", language, NOW, lambda: key)
        environment = {f"DREAM_PACK_TRANSFER_{name}": value for name, value in settings.items()}
        resources = Resources(tables=lambda _: tables, environment=environment)
        return InlineContext(owner, "transfer", resources, PACK.texts[language], [], Unheard("sending"))

    return make


async def paid(ctx: InlineContext, **params: Any) -> dict[str, Any]:
    """Sends, and holds parameters and result to the tool's own schemas."""
    jsonschema.validate(params, TOOLS["transfer.send"].params_schema)
    result = await send.send(params, ctx)
    jsonschema.validate(result, TOOLS["transfer.send"].result_schema)
    return result


async def test_a_payment_is_made_once_per_key_and_told_in_the_persons_words(call: Calls, bank: EmbeddedBank) -> None:
    first = await paid(call(), target="엄마", amount=12_500, memo="점심")
    again = await paid(call(), target="엄마", amount=12_500, memo="점심")
    assert first == again
    assert first["summary"] == ["엄마에게 12,500원을 보냈어요. 남은 잔액은 9,987,500원이에요."]
    assert first["date"] == "2026-11-18"
    assert await bank.balance(ME) == OPENING_BALANCE - 12_500


async def test_whether_a_call_has_paid_can_be_asked_afterwards(call: Calls) -> None:
    params: dict[str, Any] = {"target": "민수 (푸른은행)", "amount": 3_000, "date": "2026-11-20"}
    assert await send.reconcile(params, call()) == {"happened": False}
    made = await paid(call(), **params)
    assert await send.reconcile(params, call()) == {"happened": True, "result": made}
    assert await send.reconcile(params, call("k2")) == {"happened": False}
    assert "11월 20일" in made["summary"][0]


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"target": "철수", "amount": 1}, "target", "‘철수’"),
    ({"target": "민수", "amount": 1}, "target", "민수 (푸른은행)"),
    ({"target": "엄마", "amount": 0}, "amount", "1원 이상"),
    ({"target": "엄마", "amount": -1_000}, "amount", "1원 이상"),
    ({"target": "엄마", "amount": 10**18}, "amount", "1억원까지"),
    ({"target": "엄마", "amount": OPENING_BALANCE + 1}, "amount", "1,000만원"),
    ({"target": "엄마", "amount": 5_000_001}, "amount", "하루에 500만원"),
    ({"target": "엄마", "amount": 1, "date": "2026-11-17"}, "date", "2026-11-17"),
    ({"target": "엄마", "amount": 1, "memo": "가" * 51}, "memo", "50자"),
]


async def test_what_cannot_be_paid_is_refused_by_slot_and_nothing_moves(call: Calls, bank: EmbeddedBank) -> None:
    for params, slot, words in REFUSED:
        with pytest.raises(ToolError) as refused:
            await send.send(params, call())
        assert refused.value.code is Code.TOOL_ARGUMENTS_INVALID and not refused.value.retryable
        assert refused.value.detail["slot"] == slot
        assert words in refused.value.message, params
    assert await bank.balance(ME) == OPENING_BALANCE


async def test_the_days_limit_is_the_operators(call: Calls) -> None:
    await paid(call("k1", DAILY_LIMIT="1000"), target="엄마", amount=700)
    with pytest.raises(ToolError, match="up to 1,000 won a day; 300 won is left"):
        await send.send({"target": "Mom", "amount": 301}, call("k2", "en", DAILY_LIMIT="1000"))


async def test_a_bank_that_cannot_be_reached_is_tried_again_and_has_paid_nothing(call: Calls) -> None:
    with pytest.raises(ToolError) as refused:
        await send.send({"target": "엄마", "amount": 1}, call(tables=Unreachable()))
    assert refused.value.code is Code.EXTERNAL_UNAVAILABLE and refused.value.retryable


async def test_what_was_sent_is_listed_with_its_sum(call: Calls) -> None:
    await paid(call("k1"), target="엄마", amount=10_000)
    await paid(call("k2"), target="민수 (한빛은행)", amount=5_000, memo="밥값")
    listed = await history.history({}, call(language="en"))
    jsonschema.validate(listed, TOOLS["transfer.history"].result_schema)
    assert listed["summary"] == [
        "From 2026-10-19 to 2026-11-18 you sent 15,000 won in all (transfers: 2).",
        "2026-11-18: 10,000 won to Mom",
        "2026-11-18: 5,000 won to Minsu (Hanbit Bank)",
    ]
    nothing = await history.history({"since": "2026-01-01", "until": "2026-01-31"}, call())
    assert nothing["transfers"] == [] and nothing["total"] == 0
    to_mother = await history.history({"target": "mom"}, call(language="en"))
    assert to_mother["summary"] == [
        "From 2026-10-19 to 2026-11-18 to Mom: 10,000 won in all (transfers: 1).",
        "2026-11-18: 10,000 won to Mom",
    ]
    assert (await history.history({"target": "철수"}, call()))["total"] == 0


async def test_of_very_many_all_are_counted_and_the_newest_are_in_the_result(call: Calls, bank: EmbeddedBank) -> None:
    (mother, *_), over = await bank.payees(ME), 5
    for number in range(history.KEPT + over):
        await bank.pay(Order(f"k{number}", ME, mother.payee_id, 1, NOW.date(), NOW.date(), memo=str(number)))
    listed: Any = await history.history({}, call())
    jsonschema.validate(listed, TOOLS["transfer.history"].result_schema)
    assert (listed["total"], [one["memo"] for one in listed["transfers"]]) == (
        history.KEPT + over, [str(number) for number in range(over, history.KEPT + over)]
    )  # fmt: skip


async def test_what_is_booked_for_a_later_day_is_called_so_wherever_it_is_told(call: Calls) -> None:
    assert (await paid(call("k1"), target="엄마", amount=10_000))["booked"] is False
    booked = await paid(call("k2"), target="아빠", amount=5_000, date="2026-11-19")
    assert booked["booked"] is True
    assert booked["summary"] == [
        "아빠에게 5,000원을 11월 19일에 보내도록 예약했어요. 금액은 지금 계좌에서 빠졌고, 남은 잔액은 9,985,000원이에요."
    ]
    listed = await history.history({}, call())
    lines = listed["summary"]
    assert isinstance(lines, list)
    assert listed["total"] == 10_000, "what has not gone out is not sent"
    assert lines == [
        "10월 19일부터 11월 18일까지 1건, 모두 1만원을 보내셨어요.",
        "그밖에 예약해 두어 아직 나가지 않은 이체가 1건, 모두 5,000원 있어요.",
        "11월 18일 엄마에게 1만원",
        "11월 19일 아빠에게 5,000원 (예약)",
    ]
    left = await balance.balance({}, call())
    jsonschema.validate(left, TOOLS["transfer.balance"].result_schema)
    assert (left["balance"], left["booked"]) == (booked["balance"], 5_000)
    assert left["summary"] == ["잔액은 9,985,000원이에요.", "예약한 이체 1건, 5,000원은 이미 뺀 금액이에요."]


class Unreachable:
    """Tables of a database that is away."""

    def transaction(self) -> Any:
        raise DatabaseUnavailable("away")
