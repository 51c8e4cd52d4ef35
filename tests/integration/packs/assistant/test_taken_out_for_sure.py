"""What is taken out has all the words that were said for it; with fewer it is asked which one is meant."""

import pytest

from tests.integration.packs.assistant.bureau import Bureau

DAY = "2026-12-04"


@pytest.fixture
def bureau(tables) -> Bureau:
    return Bureau(tables)


async def titles(bureau: Bureau) -> set[str]:
    return {one["title"] for one in (await bureau("calendar", action="list", date=DAY))["events"]}


@pytest.mark.parametrize(
    ("language", "there", "title", "said"),
    [
        ("ko", ("팀 점심", "박대리랑"), "박대리 점심", "박대리 점심 취소"),
        ("ko", ("팀 점심",), "박대리 점심", "박대리랑 점심은 취소해줘"),
        ("ko", ("주간 회의", "정과장 면담"), "정과장 회의", "아까 그 정과장 회의 빼줘"),
        ("en", ("Team lunch", "Priya"), "lunch with Priya", "cancel the lunch with Priya"),
        ("en", ("Sales call",), "call with Anna", "cancel that call with Anna"),
        ("ja", ("チームのランチ", "田中さん"), "田中さんとのランチ", "田中さんとのランチをキャンセルして"),
        ("ja", ("定例会議",), "佐藤さんとの会議", "その佐藤さんとの会議を消して"),
    ],
)
async def test_what_has_a_part_of_the_words_stays_and_is_asked_about(bureau, language, there, title, said):
    for at, one in enumerate(reversed(there)):
        await bureau("calendar", title=one, date=DAY, time=f"1{at}:00")
    bureau.language = language
    asked = await bureau("calendar", action="delete", title=title, said=said, of_date=DAY, of_time="10:00")
    assert asked["deleted"] == []
    assert {one["title"] for one in asked["matches"]} == set(there)
    assert all(any(one in line for line in asked["summary"]) for one in there)
    assert await titles(bureau) == set(there)


@pytest.mark.parametrize(
    ("title", "gone"),
    [
        ("박대리 점심", "박대리랑 점심"),
        ("박대리님이랑 점심", "박대리랑 점심"),
        ("점심 최과장", "최과장이랑 점심"),
        ("lunch Tom", "lunch with Tom"),
        ("田中さんとのランチ", "田中さんとランチ"),
        ("鈴木課長との会食", "会食（鈴木課長）"),
    ],
)
async def test_what_has_all_of_the_words_goes_however_they_are_tied(bureau, title, gone):
    there = ("팀 점심", "박대리랑 점심", "최과장이랑 점심", "lunch with Tom", "田中さんとランチ", "会食（鈴木課長）")
    for at, one in enumerate(there):
        await bureau("calendar", title=one, date=DAY, time=f"{10 + at}:00")
    deleted = (await bureau("calendar", action="delete", title=title))["deleted"]
    assert [one["title"] for one in deleted] == [gone]
    assert await titles(bureau) == set(there) - {gone}


async def test_a_reminder_that_has_a_part_of_the_words_stays(bureau):
    await bureau("reminder", text="팀 점심 예약", date=DAY, time="09:00")
    said = "박대리 점심 알림 취소"
    asked = await bureau("reminder", action="delete", text="박대리 점심", said=said)
    assert [one["text"] for one in asked["matches"]] == ["팀 점심 예약"]
    assert [one["text"] for one in (await bureau("reminder", action="list"))["reminders"]] == ["팀 점심 예약"]


@pytest.mark.parametrize(
    ("language", "none"), [("ko", "지우지 않았어요"), ("en", "I removed none"), ("ja", "何も削除していません")]
)
async def test_everything_of_a_day_is_told_and_none_of_it_goes_unnamed(bureau, language, none):
    await bureau("calendar", title="팀 점심", date=DAY, time="12:00")
    await bureau("calendar", title="면담", date=DAY, time="15:00")
    await bureau("calendar", title="치과", date="2026-12-07", time="09:00")
    bureau.language = language
    told = await bureau("calendar", action="delete", date=DAY)
    assert (told["deleted"], {one["title"] for one in told["matches"]}) == ([], {"팀 점심", "면담"})
    assert none in told["summary"][0]
    assert await titles(bureau) == {"팀 점심", "면담"}


async def test_the_place_of_what_is_named_is_changed_though_another_was_spoken_of_last(bureau):
    await bureau("calendar", title="면담", date=DAY, time="15:00")
    await bureau("calendar", title="팀 점심", date=DAY, time="12:00")
    changed = await bureau(
        "calendar", action="change", title="면담", new_place="5층 회의실", said="면담 장소를 5층 회의실로"
    )
    assert (changed["event"]["title"], changed["event"]["place"]) == ("면담", "5층 회의실")
