"""What an answer before, or the state of a flow, adds to a turn: the sum that was told, a day that answers no question."""

from datetime import UTC, datetime

import pytest

from contracts.cognitive import CognitiveOutput, Entity, FlowAdvanced, Intent, Route
from contracts.reading import Clause
from contracts.shape import JsonObject
from services.cognitive.reads import InThread, TurnRead
from services.cognitive.turn_reading import Talk, says_only_what_may_be_left_out, with_the_sum_told
from tests.unit.services.cognitive.test_flow_turns import flow

NOW = datetime.fromisoformat("2026-11-22T13:00:00+09:00")
MUM: JsonObject = {"target": "엄마"}


async def told(text: str, language: str, answer: str, *tasks: JsonObject) -> list[JsonObject]:
    said = CognitiveOutput(text=text, language=language, intent=Intent(domain="PAY", confidence=1), route=Route.FLOW)
    return list(await with_the_sum_told(InThread(), flow(), said, tasks, answer, NOW))


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("ko", "그 금액 엄마한테 부쳐줘", "‘회비.txt’ 문서에 이렇게 나와 있어요: “참가비: 27,000원 (점심 포함)”"),
        ("ko", "거기 나온 대로 엄마한테 보내자", "“합계 27,000원”"),
        ("en", "send Mom that amount", "It says: “membership fee: 27,000 won”"),
        ("en", "please send that to Mom", "It says: “membership fee: 27,000 won”"),
        ("ja", "その金額を母に送って", "「参加費：27,000ウォン」と書かれています"),
    ],
)
async def test_who_points_at_the_only_sum_that_was_told_means_that(language: str, text: str, answer: str) -> None:
    assert await told(text, language, answer, MUM) == [{**MUM, "amount": 27_000}]


@pytest.mark.parametrize(
    ("text", "answer", "tasks"),
    [
        ("그 금액 엄마한테 부쳐줘", "“난방비: 71,000원”, “수도: 21,000원”", [MUM]),  # which of them?
        ("엄마한테 돈 부쳐줘", "“참가비: 27,000원”", [MUM]),
        ("그 금액 엄마한테 부쳐줘", "나와 있지 않아요.", [MUM]),
        ("그 금액 말고 3만원을 엄마한테", "“참가비: 27,000원”", [{**MUM, "amount": 30_000}]),
        ("그 금액 엄마랑 용걸이한테", "“참가비: 27,000원”", [MUM, {"target": "용걸이"}]),
    ],
)
async def test_of_several_sums_or_none_nothing_is_taken(text: str, answer: str, tasks: list[JsonObject]) -> None:
    assert await told(text, "ko", answer, *tasks) == tasks


@pytest.mark.parametrize(
    ("stage", "text", "tasks", "only"),
    [
        ("FILLING", "12월 1일에 약 챙기라고 해줘", [{"date": "2026-12-01"}], True),
        ("FILLING", "회비 정리해줘", [{"memo": "회비"}], True),
        ("FILLING", "12월 1일", [{"date": "2026-12-01"}], False),  # and no word more: an answer, to another question
        ("FILLING", "12월 1일에 5원 보내줘", [{"amount": 5, "date": "2026-12-01"}], False),
        ("FILLING", "글쎄", [], False),
        ("READY", "12월 1일에 보내줘", [{"date": "2026-12-01"}], False),
    ],
)
def test_a_day_alone_answers_no_question_that_is_open(
    stage: str, text: str, tasks: list[JsonObject], only: bool
) -> None:
    state = FlowAdvanced(flow="pay", stage=stage, slots=MUM, missing=("amount",))
    day = "12월 1일"
    found = [Entity(type="date", text=day, value="2026-12-01", start=0, end=len(day), confidence=1.0)]
    read = TurnRead(
        Clause(text, "ko", datetime(2026, 11, 22, tzinfo=UTC), tuple(found) if text.startswith(day) else ()), tasks
    )
    assert says_only_what_may_be_left_out(Talk(flow(), state, "ko"), read, tasks) is only
