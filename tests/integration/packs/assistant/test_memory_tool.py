"""assistant.memory and assistant.synthesis as an executor runs them."""

from uuid import uuid4

import pytest

from backbone.ledger.tables import PostgresTables
from contracts.memory import MemoryKind
from contracts.tools import Upstream
from tests.integration.packs.assistant.bureau import Bureau

WIFI = "와이파이 비번은 1234"


@pytest.fixture
def bureau(tables: PostgresTables) -> Bureau:
    return Bureau(tables)


async def test_what_was_remembered_is_recalled_as_it_was_said_by_whoever_said_it(bureau, tables):
    assert await bureau("memory", text=WIFI) == {"action": "remember", "summary": [f"기억했어요: {WIFI}"]}
    await bureau("memory", text="자동차는 지하 2층")
    found = await bureau("memory", action="recall", text="와이파이 비번")
    assert found["summary"] == [f"기억하고 있는 내용이에요: {WIFI}"]
    assert found["found"] == [WIFI]
    other = Bureau(tables, bureau.notes)
    assert (await other("memory", action="recall", text="와이파이 비번"))["found"] == []


async def test_what_was_forgotten_does_not_come_back_from_what_was_said(bureau):
    await bureau("memory", text=WIFI)
    (note,) = bureau.notes.items.values()
    await bureau("memory", action="forget", text="와이파이 비번")
    bureau.notes.items[note.item_id] = note.model_copy(update={"kind": MemoryKind.TURN})
    assert (await bureau("memory", action="recall", text="와이파이 비번"))["found"] == []


async def test_without_a_question_everything_is_told_the_newest_first_and_the_rest_counted(bureau):
    assert (await bureau("memory", action="recall"))["summary"] == [
        "아직 기억하고 있는 것이 없어요. 알려 주시면 기억해 둘게요."
    ]
    for number in range(22):
        await bureau("memory", text=f"사물함 {number}번")
    told = (await bureau("memory", action="recall"))["summary"]
    assert told[:3] == ["기억하고 있는 것은 22가지예요.", "사물함 21번", "사물함 20번"]
    assert told[-2:] == ["사물함 2번", "그 밖에 2가지가 더 있어요."]


async def test_a_repeated_call_remembers_once(bureau):
    run = uuid4()
    assert await bureau("memory", run, text=WIFI) == await bureau("memory", run, text=WIFI)
    assert [(one.text, one.kind) for one in bureau.notes.items.values()] == [(WIFI, MemoryKind.NOTE)]


async def test_only_what_is_named_is_forgotten_and_of_several_none(bureau):
    await bureau("memory", text=WIFI)
    await bureau("memory", text="사무실 와이파이 비번은 9876")
    several = await bureau("memory", action="forget", text="와이파이 비번")
    assert several["summary"][0].startswith("맞는 기억이 2개라서 아무것도 지우지 않았어요.")
    assert len(bureau.notes.items) == 2
    run = uuid4()
    for _ in range(2):  # another attempt forgets nothing else
        assert (await bureau("memory", run, action="forget", text="사무실 와이파이"))["summary"] == [
            "잊었어요: 사무실 와이파이 비번은 9876"
        ]
    assert [one.text for one in bureau.notes.items.values()] == [WIFI]


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({}, "무엇을 기억할지 알려 주세요."),
        ({"text": "  "}, "무엇을 기억할지 알려 주세요."),
        ({"action": "forget"}, "무엇을 잊을지 알려 주세요."),
        ({"action": "forget", "text": "여권 번호"}, "‘여권 번호’에 맞는 기억을 찾지 못해서 아무것도 지우지 않았어요."),
    ],
)
async def test_what_cannot_be_done_is_said(bureau, params, sentence):
    assert (await bureau.error("memory", **params)).message == sentence


async def test_a_question_without_an_answer_is_answered_so(bureau):
    result = await bureau("memory", action="recall", text="여권 번호")
    assert result["summary"] == ["그 내용은 기억하고 있지 않아요. 알려 주시면 기억해 둘게요."]


def worker(title: str, *sentences: str, error: str = "") -> Upstream:
    result = {"summary": list(sentences)} if sentences else {}
    return Upstream(title=title, tool="assistant.x", succeeded=not error, result=result, error=error)


@pytest.mark.parametrize(
    ("language", "failed", "partial"),
    [
        ("ko", "일정: 못 했어요. 이미 지난 때예요.", "2가지는 했고, 1가지는 못 했어요."),
        ("en", "일정: this did not work. 이미 지난 때예요.", "Done: 2, not done: 1."),
        ("ja", "일정：できませんでした。이미 지난 때예요.", "2件は完了し、1件はできませんでした。"),
    ],
)
async def test_001_5_partial_failure_keeps_what_succeeded_and_names_what_failed(bureau, language, failed, partial):
    bureau.language = language
    upstream = (worker("기억", "기억했어요."), worker("일정", error="이미 지난 때예요."), worker("알림", "알릴게요."))
    result = await bureau("synthesis", upstream=upstream)
    assert result["summary"] == ["기억했어요.", failed, "알릴게요.", partial]
    assert (result["done"], result["failed"], result["complete"]) == (2, 1, True)


async def test_a_synthesis_of_what_all_went_well_says_what_the_workers_say(bureau):
    result = await bureau("synthesis", upstream=(worker("기억", "기억했어요."), worker("알림")))
    assert result["summary"] == ["기억했어요.", "알림: 했어요."]
