"""Whether a first message leads to a question: also one that a flow asks, by its own rules."""

from datetime import date
from typing import Any

import pytest

from backbone import packs
from contracts.cognitive import Intent, PlanHint, Route, Task
from contracts.shape import JsonObject
from services.cognitive.asking import asks
from services.cognitive.flows import Flow, load_flows
from understanding.result import Ambiguity, Doubt, Understanding

TODAY = date(2026, 3, 11)
WHOLE: JsonObject = {"target": "엄마", "amount": 30_000}


@pytest.fixture(scope="module")
def flows() -> dict[str, Flow]:
    return load_flows(packs.load(("transfer",)))


def transfer(*tasks: JsonObject, **fields: Any) -> Understanding:
    return Understanding(
        text="보내줘",
        language="ko",
        intents=(Intent(domain="TRANSFER", confidence=0.9),),
        entities=(),
        plan_hint=PlanHint(),
        tasks=tuple(Task(intent="TRANSFER", slots=slots, text="보내줘") for slots in tasks),
        **({"route": Route.FLOW, "pack": "transfer"} | fields),
    )


@pytest.mark.parametrize(
    "slots", [{}, {"target": "엄마"}, {"amount": 50_000}, WHOLE | {"amount": 0}, WHOLE | {"date": "2026-03-10"}]
)
def test_a_flow_asks_for_what_is_missing_and_for_what_it_refuses(flows, slots):
    assert asks(transfer(slots), flows, TODAY)


def test_a_flow_that_can_be_confirmed_asks_nothing_more(flows):
    assert not asks(transfer(WHOLE, WHOLE | {"date": "2026-03-11"}), flows, TODAY)


def test_one_of_several_tasks_is_enough_for_a_question(flows):
    assert asks(transfer(WHOLE, {"target": "민수"}), flows, TODAY)


def test_what_nobody_understands_is_asked_about_and_a_missing_file_is_no_doubt(flows):
    assert asks(transfer(ambiguities=(Ambiguity(doubt=Doubt.UNKNOWN),)), flows, TODAY)
    assert not asks(transfer(route=Route.PLAN, needs=("file.table",)), flows, TODAY)
