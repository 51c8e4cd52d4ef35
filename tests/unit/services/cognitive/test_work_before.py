"""What a turn to an open dialogue takes back: a task of the dialogue, or work that was done beside it."""

from uuid import uuid4

import pytest

from contracts.cognitive import CognitiveOutput, FlowAct, FlowAdvanced, FlowReading, FlowStage, Intent, Route, Task
from contracts.context import Requested
from contracts.gateway import MessageReceived
from services.cognitive.work_before import taken_back_beside
from tests.unit.services.cognitive.talks import Talking, conversation

LED = frozenset({"TRANSFER"})


async def after(text: str, asked: str, act: FlowAct = FlowAct.DROP, memo: str = "") -> Requested | None:
    """A reminder of something was set beside a transfer, and then something is said to the transfer."""
    talking: Talking = await conversation(1)
    both = (Task(intent="TRANSFER", slots={"target": "지수"}), Task(intent="ASSISTANT.reminder", slots={"text": asked}))
    for tasks in (both, ()):  # a turn to the dialogue lies between
        await talking.record(_output("x", tasks), uuid4())
    message = await talking.record(MessageReceived(text=text), uuid4())
    reading = FlowReading(flow="transfer", turn=1, act=act, today="2026-12-01")
    flow = FlowAdvanced(
        flow="transfer", stage=FlowStage.FILLING, slots={"target": "지수", **({"memo": memo} if memo else {})}
    )
    said = _output(text).model_copy(update={"flow": reading})
    return await taken_back_beside(talking.ledger, message, said, flow, LED)


def _output(text: str, tasks: tuple[Task, ...] = ()) -> CognitiveOutput:
    named = Intent(domain="TRANSFER", confidence=1.0)
    return CognitiveOutput(text=text, language="ko", intent=named, route=Route.FLOW, tasks=tasks)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("forget the plants bit", "water the plants"),
        ("화분 그거 빼줘", "화분 물 주기"),
        ("植木のやつは取り消して", "植木に水をやる"),
    ],
)
async def test_what_names_work_beside_the_dialogue_is_about_that(text, asked) -> None:
    assert await after(text, asked) == Requested(intent="ASSISTANT.reminder", slots={"text": asked})


async def test_what_names_none_of_it_is_the_dialogues_own() -> None:
    assert await after("지수 빼줘", "화분 물 주기") is None
    assert await after("취소해줘", "화분 물 주기") is None
    assert await after("cancel the one to 지수", "pack the orders") is None, "what stands in any sentence names nothing"
    assert await after("화분 그거 빼줘", "화분 물 주기", memo="화분 값") is None, "a task of the dialogue has it, too"
    assert await after("화분 값으로 적어줘", "화분 물 주기", act=FlowAct.FILL) is None
