"""The tool that orders a booked transfer anew, over a real database: both or neither, once per key, able to tell."""

from typing import Any

import jsonschema
import pytest

from backbone import packs
from contracts.errors import Code
from contracts.tools import ConfirmPolicy, Effects, ToolError
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import OPENING_BALANCE
from packs.transfer.tools import change
from tests.integration.packs.test_call_off import ME, NOW, WANTED, Calls, Unreachable, booked, call

__all__ = ["booked", "call"]
PACK = packs.load(("transfer",)).packs["transfer"]
TOOL = next(spec for spec in PACK.tools if spec.tool_key == "transfer.change")
NEW: dict[str, Any] = {**WANTED, "to_amount": 50_000, "to_date": "2026-11-22"}


def test_it_needs_a_persons_word_as_sending_does() -> None:
    assert (TOOL.confirm_policy, TOOL.effects) == (ConfirmPolicy.ALWAYS, Effects.EXTERNAL)
    assert TOOL.reconcile == "packs.transfer.tools.change:reconcile"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(WANTED, TOOL.params_schema)


async def test_it_is_changed_once_per_key_and_what_stands_is_told(call: Calls, booked: EmbeddedBank) -> None:
    jsonschema.validate(NEW, TOOL.params_schema)
    assert await change.reconcile(NEW, call()) == {"happened": False}
    first = await change.change(NEW, call())
    jsonschema.validate(first, TOOL.result_schema)
    assert first == await change.change(NEW, call())
    assert first["summary"] == ["엄마에게 11월 22일에 5만원이 나가도록 바꿨어요. 남은 잔액은 995만원이에요."]
    assert first["booked"] is True
    assert await change.reconcile(NEW, call()) == {"happened": True, "result": first}
    assert await booked.balance(ME) == OPENING_BALANCE - 50_000 and await booked.total() == 0
    (left,) = await booked.booked(ME, NOW.date())
    assert (left.amount, left.value_on.isoformat()) == (50_000, "2026-11-22")


@pytest.mark.parametrize(
    "other",
    [{"amount": 70_001}, {"date": "2026-11-21"}, {"target": "아빠"}, {"target": "민수"}, {"to_amount": 6_000_000}],
)
async def test_what_cannot_be_leaves_what_is_booked(other: dict[str, Any], call: Calls, booked: EmbeddedBank) -> None:
    with pytest.raises(ToolError) as refused:
        await change.change({**NEW, **other}, call())
    assert refused.value.code is Code.TOOL_ARGUMENTS_INVALID and not refused.value.retryable
    assert [one.amount for one in await booked.booked(ME, NOW.date())] == [70_000]
    assert await booked.balance(ME) == OPENING_BALANCE - 70_000


async def test_a_bank_that_cannot_be_reached_is_tried_again(call: Calls) -> None:
    with pytest.raises(ToolError) as refused:
        await change.change(NEW, call(tables=Unreachable()))
    assert refused.value.code is Code.EXTERNAL_UNAVAILABLE and refused.value.retryable
