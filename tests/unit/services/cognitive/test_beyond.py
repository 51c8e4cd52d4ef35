"""Of two requests in one sentence the one that nobody here can do is named, and the other is done as if it stood alone:
with what the packs teach, nothing scripted."""

from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo

import pytest

from backbone import packs
from contracts.cognitive import CognitiveInput
from services.cognitive.beyond import understood
from services.cognitive.clarifier import AmbiguityDetector
from services.cognitive.graph import CognitiveGraph
from understanding.port import offline, pack_texts

NOW = datetime(2026, 12, 1, 9, tzinfo=ZoneInfo("Asia/Seoul"))

DECLINED = {"INQUIRY.unsupported"}


@cache
def graph() -> CognitiveGraph:
    loaded = packs.load(("transfer", "assistant", "devices", "documents", "marketing")).packs.values()
    return CognitiveGraph(offline(loaded), AmbiguityDetector(pack_texts(loaded)))


@pytest.mark.parametrize(
    ("text", "intent", "slots", "beyond"),
    [
        ("turn off the living room light and play Arirang", "DEVICES.song", {"title": "Arirang"}, "turn off the living room light"),
        ("거실 불 꺼주고 아리랑 틀어줘", "DEVICES.song", {"title": "아리랑"}, "거실 불 꺼줘"),
        ("電気を消して、アリランを流して", "DEVICES.song", {"title": "アリラン"}, "電気を消して"),
        ("비행기표 예매해주고 내일 9시에 치과 일정 넣어줘", "ASSISTANT.calendar",
         {"date": "2026-12-02", "time": "09:00", "title": "치과"}, "비행기표 예매해줘"),
        ("엄마한테 3만원 보내주고 피자 시켜줘", "TRANSFER", {"target": "엄마", "amount": 30_000}, "피자 시켜줘"),
        ("find negative reviews and email them to Kim", "ANALYSIS.sentiment", {}, "email them to Kim"),
    ],
)  # fmt: skip
async def test_it_is_named_and_the_other_is_done(text: str, intent: str, slots: dict[str, object], beyond: str) -> None:
    (output, _, _), left = await understood(graph(), CognitiveInput(text=text), NOW, (), DECLINED)
    assert [(task.intent, task.slots) for task in output.tasks] == [(intent, slots)]
    assert (left, output.text) == (beyond, text)


@pytest.mark.parametrize(
    "text",
    [
        "이 리뷰 감성 분석하고 리포트 만들어줘", "write a report and keep it short", "キーワードを抽出してグラフにして", "play Arirang and turn it up",
        "엄마한테 만원 보내고 아빠한테도 만원 보내줘", "turn off the living room light", "내일 3시 회의 잡고 30분 전에 알려줘",
    ],
)  # fmt: skip
async def test_what_can_be_done_stays_whole(text: str) -> None:
    whole = await graph().understand(CognitiveInput(text=text), NOW, ())
    found, left = await understood(graph(), CognitiveInput(text=text), NOW, (), DECLINED)
    assert (found[0], left) == (whole[0], "")
