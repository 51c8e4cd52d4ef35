"""What is there is found by what words mean, and by pointing at it: the other one, the second one."""

from typing import Any

import pytest

from backbone.ledger.tables import PostgresTables
from contracts.tools import ToolError
from tests.integration.packs.assistant.bureau import Bureau

DAY = "2026-12-02"


@pytest.fixture
def bureau(tables: PostgresTables) -> Bureau:
    return Bureau(tables)


async def put(bureau: Bureau, **clocks: str) -> None:
    for title, clock in clocks.items():
        await bureau("calendar", title=title, date=DAY, time=clock)


async def moved(bureau: Bureau, said: str, **params: Any) -> dict[str, Any]:
    return await bureau("calendar", action="change", said=said, new_time="21:00", **params)


async def day(bureau: Bureau) -> dict[str, str]:
    found = await bureau("calendar", action="list", date=DAY)
    return {one["title"]: one["start"][11:16] for one in found["events"]}


async def test_a_thing_by_another_word_is_moved_where_one_is_clearly_meant_and_never_what_was_spoken_of_last(bureau):
    await put(bureau, 정형외과="10:00", 동창회="19:00")
    bureau.notes.alike = {("무릎 의사", "정형외과"): 0.52, ("무릎 의사", "동창회"): 0.2}
    await moved(bureau, "무릎 의사 9시로", title="무릎 의사")
    assert await day(bureau) == {"정형외과": "21:00", "동창회": "19:00"}


async def test_where_two_may_be_meant_both_are_named_and_nothing_is_moved(bureau):
    await put(bureau, 정형외과="10:00", 한의원="19:00")
    bureau.notes.alike = {("병원", "정형외과"): 0.52, ("병원", "한의원"): 0.5}
    asked = await moved(bureau, "병원 9시로", title="병원")
    assert [one["title"] for one in asked["matches"]] == ["정형외과", "한의원"]
    assert await day(bureau) == {"정형외과": "10:00", "한의원": "19:00"}


async def test_what_another_word_may_mean_is_not_taken_out_unasked_but_when_it_is_pointed_at(bureau):
    await put(bureau, 정형외과="10:00", 동창회="19:00")
    bureau.notes.alike = {("무릎 의사", "정형외과"): 0.52}
    asked = await bureau("calendar", action="delete", title="무릎 의사")
    assert (asked["deleted"], [one["title"] for one in asked["matches"]]) == ([], ["정형외과"])
    gone = await bureau("calendar", action="delete", said="응 그거 지워줘")
    assert [one["title"] for one in gone["deleted"]] == ["정형외과"]


async def test_a_word_that_is_like_nothing_means_what_was_spoken_of_last(bureau):
    await put(bureau, 정형외과="10:00", 동창회="19:00")
    bureau.notes.alike = {("전화왔는데", "정형외과"): 0.1}
    await moved(bureau, "전화왔는데 9시로", title="전화왔는데")
    assert (await day(bureau))["동창회"] == "21:00"


@pytest.mark.parametrize("said", ["다른 건 9시로", "나머지 하나는 9시로"])
async def test_the_other_one_is_the_one_before_the_last(bureau, said):
    await put(bureau, 정형외과="10:00", 동창회="19:00")
    await moved(bureau, said)
    assert await day(bureau) == {"정형외과": "21:00", "동창회": "19:00"}


async def test_the_second_one_is_that_of_the_list_that_was_shown_and_without_a_list_nothing_is(bureau):
    await put(bureau, 정형외과="10:00", 한의원="14:00", 동창회="19:00")
    with pytest.raises(ToolError):
        await moved(bureau, "두 번째 거 9시로")
    await day(bureau)
    await moved(bureau, "두 번째 거 9시로")
    assert (await day(bureau))["한의원"] == "21:00"
    with pytest.raises(ToolError):
        await moved(bureau, "네 번째 거 9시로")


async def test_the_note_that_comes_nearest_is_told_as_such_and_a_far_one_is_not(bureau):
    for text in ("우리 강아지는 포도 먹으면 큰일 나", "현관은 7319"):
        await bureau("memory", text=text)
    bureau.notes.alike = {("멍이 간식", "우리 강아지는 포도 먹으면 큰일 나"): 0.24, ("여권", "현관은 7319"): 0.1}
    near = await bureau("memory", action="recall", text="멍이 간식")
    assert near["found"] == []
    assert near["summary"] == [
        "그 말 그대로 기억해 둔 것은 없어요. 가장 가까운 것은 이거예요: 우리 강아지는 포도 먹으면 큰일 나"
    ]
    assert "알려 주시면" in (await bureau("memory", action="recall", text="여권"))["summary"][0]


async def test_the_one_of_a_day_may_be_a_reminder(bureau):
    await bureau("reminder", text="화분에 물 주기", date=DAY, time="09:00")
    await bureau("reminder", text="세금 내기", date="2026-12-03", time="09:00")
    gone = await bureau("calendar", action="delete", date=DAY, said="그날 거는 취소")
    assert "화분에 물 주기" in gone["summary"][0]
    left = await bureau("reminder", action="list")
    assert [one["text"] for one in left["reminders"]] == ["세금 내기"]
