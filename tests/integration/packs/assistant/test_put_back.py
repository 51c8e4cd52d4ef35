"""What was taken out is put back, of whatever kind; nothing else goes when it is to be taken out twice."""

import pytest

from backbone.ledger.tables import PostgresTables
from tests.integration.packs.assistant.bureau import Bureau

DAY = "2026-12-02"


@pytest.fixture
def bureau(tables: PostgresTables) -> Bureau:
    return Bureau(tables)


async def day(bureau: Bureau) -> list[tuple[str, str, str]]:
    found = await bureau("calendar", action="list", date=DAY)
    return [(one["title"], one["start"][11:16], one["end"][11:16]) for one in found["events"]]


async def test_an_appointment_comes_back_as_it_was(bureau):
    await bureau("calendar", title="도예", date=DAY, time="10:00", minutes=90)
    before = await day(bureau)
    await bureau("calendar", action="delete", title="도예")
    assert await day(bureau) == []
    await bureau("calendar", action="restore")
    assert await day(bureau) == before


async def test_one_of_a_series_that_was_taken_out_comes_back_and_the_others_stay(bureau):
    await bureau("calendar", title="도예", date=DAY, time="10:00", recurrence="FREQ=WEEKLY")
    await bureau("calendar", action="delete", title="도예", date=DAY)
    await bureau("calendar", action="restore")
    assert [one[0] for one in await day(bureau)] == ["도예"]
    later = await bureau("calendar", action="list", date="2026-12-09")
    assert later["count"] == 1


@pytest.mark.parametrize("tool", ["calendar", "reminder", "todo"])
async def test_whichever_tool_is_asked_puts_back_what_went_last(bureau, tool):
    await bureau("reminder", text="화분 물 주기", date=DAY, time="18:00")
    await bureau("reminder", action="delete", text="화분")
    await bureau(tool, action="restore")
    assert (await bureau("reminder", action="list"))["count"] == 1


async def test_what_was_ticked_off_by_mistake_is_open_again(bureau):
    await bureau("todo", title="건전지 사기")
    await bureau("todo", action="complete", title="건전지")
    await bureau("todo", action="restore")
    assert (await bureau("todo", action="list"))["count"] == 1


async def test_it_comes_back_once(bureau):
    await bureau("calendar", title="도예", date=DAY, time="10:00")
    await bureau("calendar", action="delete", title="도예")
    await bureau("calendar", action="restore")
    told = await bureau("calendar", action="restore")
    assert len(await day(bureau)) == 1
    assert "지운 것이 없어요" in told["summary"][0]


async def test_another_attempt_of_the_call_puts_it_back_once(bureau):
    from uuid import uuid4

    await bureau("calendar", title="도예", date=DAY, time="10:00")
    await bureau("calendar", action="delete", title="도예")
    run = uuid4()
    first = await bureau("calendar", run, action="restore")
    again = await bureau("calendar", run, action="restore")
    assert (first["summary"], len(await day(bureau))) == (again["summary"], 1)


async def test_a_yes_after_it_is_gone_takes_out_nothing_more(bureau):
    await bureau("reminder", text="화분 물 주기", date=DAY, time="18:00")
    await bureau("reminder", text="빨래 걷기", date=DAY, time="20:00")
    await bureau("reminder", action="delete", text="화분")
    told = await bureau("reminder", action="delete", said="응 지워")
    assert "이미" in told["summary"][0]
    assert (await bureau("reminder", action="list"))["count"] == 1


async def test_an_appointment_gets_another_end(bureau):
    await bureau("calendar", title="도예", date=DAY, time="15:00")
    await bureau("calendar", action="change", title="도예", new_end="17:30")
    assert await day(bureau) == [("도예", "15:00", "17:30")]


@pytest.mark.parametrize("tool", ["calendar", "reminder", "todo", "memory"])
async def test_what_went_last_is_told_and_nothing_goes(bureau, tool):
    assert "없어요" in (await bureau(tool, action="gone"))["summary"][0]
    await bureau("calendar", title="도예", date=DAY, time="10:00")
    await bureau("reminder", text="화분 물 주기", date=DAY, time="18:00")
    await bureau("calendar", action="delete", title="도예")
    told = (await bureau(tool, action="gone"))["summary"]
    assert len(told) == 1
    assert "‘도예’ 일정" in told[0]
    assert (await bureau("reminder", action="list"))["count"] == 1
    assert await day(bureau) == []


async def test_what_was_taken_back_is_what_went_last_until_it_is_there_again(bureau):
    await bureau("todo", title="건전지 사기")
    await bureau("reminder", text="화분 물 주기", date=DAY, time="18:00")
    await bureau("reminder", action="undo")
    assert "‘화분 물 주기’ 알림" in (await bureau("calendar", action="gone"))["summary"][0]
    await bureau("todo", action="complete", title="건전지")
    assert "‘건전지 사기’" in (await bureau("calendar", action="gone"))["summary"][0]
    await bureau("todo", action="restore")
    assert "‘화분 물 주기’ 알림" in (await bureau("calendar", action="gone"))["summary"][0]
