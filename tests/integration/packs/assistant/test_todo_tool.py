"""assistant.todo as an executor runs it."""

from uuid import uuid4

import pytest

from contracts.errors import Code


async def test_something_to_do_is_put_in_listed_by_its_day_and_ticked_off(desk):
    added = await desk("todo", title="책 반납")
    assert added["summary"] == ["할 일에 ‘책 반납’ 항목을 넣었어요."]
    due = await desk("todo", title="우유 사기", date="2026-11-23")
    assert due["summary"] == ["할 일에 ‘우유 사기’ 항목을 넣었어요. 기한은 11월 23일 (월)까지예요."]
    listed = await desk("todo", action="list")
    assert listed["summary"] == ["할 일은 2개예요.", "우유 사기 (11월 23일 (월)까지)", "책 반납"]
    done = await desk("todo", action="complete", title="우유")
    assert done["summary"] == ["‘우유 사기’ 할 일을 끝낸 것으로 표시했어요."]
    assert [one["title"] for one in (await desk("todo", action="list"))["tasks"]] == ["책 반납"]


async def test_a_repeated_call_neither_adds_twice_nor_ticks_off_another(desk):
    run, again = uuid4(), uuid4()
    for _ in range(2):
        await desk("todo", run, title="전화하기")
    await desk("todo", title="엄마한테 전화하기")
    for _ in range(2):
        await desk("todo", again, action="complete", title="전화하기")
    assert [one["title"] for one in (await desk("todo", action="list"))["tasks"]] == ["엄마한테 전화하기"]


async def test_all_that_is_open_is_ticked_off_and_another_attempt_says_the_same(desk):
    for title in ("두부", "콩나물"):
        await desk("todo", title=title)
    run = uuid4()
    first = await desk("todo", run, action="complete", all=True)
    assert first["summary"] == ["할 일 2개를 모두 끝낸 것으로 표시했어요: 두부, 콩나물"]
    await desk("todo", title="김")
    assert await desk("todo", run, action="complete", all=True) == first
    assert [one["title"] for one in (await desk("todo", action="list"))["tasks"]] == ["김"]
    await desk("todo", action="complete", title="김")
    assert (await desk("todo", action="complete", all=True))["count"] == 0


async def test_when_several_fit_they_are_named_and_none_is_ticked_off(desk):
    for title in ("메일 쓰기", "메일 정리"):
        await desk("todo", title=title)
    result = await desk("todo", action="complete", title="메일")
    assert result["summary"][1:] == ["메일 쓰기", "메일 정리"]
    assert (await desk("todo", action="list"))["count"] == 2


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "무슨 할 일인지"),
        ({"title": "세금", "date": "2026-11-21"}, "11월 21일 (토)"),
        ({"title": "세금", "date": "2026-13-01"}, "2026-13-01"),
        ({"action": "complete"}, "어느 할 일인지"),
        ({"action": "complete", "title": "청소"}, "청소"),
    ],
)
async def test_what_cannot_be_is_refused_with_the_value(desk, params, said):
    error = await desk.error("todo", **params)
    assert error.code is Code.TOOL_ARGUMENTS_INVALID
    assert said in error.message
    assert (await desk("todo", action="list"))["summary"] == ["남은 할 일이 없어요."]
