"""What stands behind a transfer in a sentence of its own and was taken for other work: a day or a memo is the transfer's,
whatever else is not."""

from datetime import datetime

import pytest

from contracts.cognitive import CognitiveOutput, Intent, Profile, Route, Task
from contracts.shape import JsonObject
from services.cognitive.flow_turns import FlowTurns
from services.cognitive.person import Speaking
from services.cognitive.reads import InThread
from tests.unit.packs.transfer.dialogues import ME, ZONE, the_flow

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZONE)
ORDERS = {"ko": "누나한테 7만원 보내줘.", "en": "Send Sister 70,000 won.", "ja": "お姉さんに7万ウォン送って。"}
SISTER = {"ko": "누나", "en": "Sister", "ja": "お姉さん"}


@pytest.mark.parametrize(
    ("language", "behind", "slots"),
    [
        ("ko", "이체일은 12월 3일이요", {"date": "2026-12-03"}),
        ("en", "The transfer date is December 3rd", {"date": "2026-12-03"}),
        ("ja", "送金日は12月3日です", {"date": "2026-12-03"}),
        ("ko", "메모는 곗돈으로 해줘", {"memo": "곗돈"}),
        # other work, and another payee
        ("ko", "12월 3일에 치과 예약 넣어줘", {}),
        ("en", "And put the dentist in for December 3rd", {}),
        ("ja", "12月3日に歯医者の予定を入れて", {}),
        ("ko", "아빠한테도", {}),
    ],
)
async def test_values_of_a_transfer_belong_to_it(language, behind, slots):
    flow = the_flow()
    turns = FlowTurns({"transfer": flow}, lambda pack: pack, reads=InThread())  # type: ignore[arg-type,return-value]  # never opened
    first: JsonObject = {"target": SISTER[language], "amount": 70_000}
    other = Task(intent="ASSISTANT.calendar", slots={"title": behind}, text=behind)
    output = CognitiveOutput(
        text=f"{ORDERS[language]} {behind}",
        language=language,
        intent=Intent(domain=flow.intent, confidence=1.0),
        route=Route.FLOW,
        tasks=(Task(intent=flow.intent, slots=first, text=ORDERS[language]), other),
    )
    tasks, left = await turns._with_what_is_said_behind(flow, output, Speaking(ME, Profile(), NOW, []), first, [other])
    assert tasks == [{**first, **slots}]
    assert left == ([] if slots else [other])
