"""What is said in part, done by the tools: an hour that is still to be asked for, a day for what is on the list, a deed by
what it was done with, a note by the end of its name, and when a thing ends."""

import pytest

from tests.integration.packs.assistant.bureau import Bureau


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("치과", True),
        ("팀 회의", True),
        ("친구랑 저녁", True),
        ("엄마 생신", False),
        ("제주 여행", False),
        ("가족 모임 여행", False),
    ],
)
async def test_what_has_an_hour_is_put_in_and_the_hour_asked_for(desk, title, asked):
    added = await desk("calendar", title=title, date="2026-12-02")
    assert ("몇 시인가요?" in " ".join(added["summary"])) is asked
    assert added["event"]["whole_day"]


async def test_what_has_its_hour_or_lasts_days_is_not_asked_about(desk):
    timed = await desk("calendar", title="치과", date="2026-12-02", time="10:00")
    days = await desk("calendar", title="치과 세미나", date="2026-12-02", until="2026-12-04")
    assert "몇 시" not in " ".join([*timed["summary"], *days["summary"]])


async def test_a_day_for_what_is_on_the_list_puts_no_second_one_on_it(desk):
    await desk("todo", title="자동차세")
    changed = await desk("todo", title="자동차세", date="2026-11-27")
    assert changed["summary"][0].endswith("자동차세 (11월 27일 (금)까지)")
    assert (await desk("todo", action="list"))["count"] == 1


async def test_a_deed_that_is_called_otherwise_is_found_by_what_it_was_done_with(desk):
    for title in ("세탁소 가기", "우유 사기", "우유병 환불"):
        await desk("todo", title=title)
    done = await desk("todo", action="complete", title="세탁소 다녀오", thing="세탁소")
    assert done["task"]["title"] == "세탁소 가기"
    bought = await desk("todo", action="complete", title="우유 사", thing="우유")
    assert bought["task"]["title"] == "우유 사기", "the deed tells two of one thing apart"


async def test_a_note_that_is_called_by_the_end_of_its_name_is_told_anew(tables):
    bureau = Bureau(tables)
    await bureau("memory", text="창고 자물쇠 번호는 3391")
    told = await bureau("memory", action="change", text="자물쇠 번호", value="5512")
    assert "3391" in told["summary"][0]
    assert (await bureau("memory", action="recall", text="자물쇠 번호"))["summary"] == [
        "기억하고 있는 내용이에요: 창고 자물쇠 번호: 5512"
    ]


async def test_when_the_last_thing_ends_is_told(desk):
    await desk("calendar", title="서예", date="2026-12-02", time="15:00", minutes=90)
    assert (await desk("calendar", action="list", ends=True))["summary"][-1] == "끝나는 때: 오후 4시 30분"
