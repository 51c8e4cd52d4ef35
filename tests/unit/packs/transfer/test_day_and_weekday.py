"""A day of the week beside a day: one day where they agree, a question where they do not; never the wrong day paid."""

from datetime import datetime

import pytest

from packs.transfer.wording import day_in_words
from tests.unit.packs.transfer.dialogues import ZONE, Talk
from understanding.grammar import read

NOW = datetime(2026, 11, 28, 10, tzinfo=ZONE)
"""A Saturday."""


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("6日の日曜に大家さんへ5万ウォン", "2026-12-06"),
        ("6일 일요일에 엄마한테 3만원", "2026-12-06"),
        ("일요일(6일)에 엄마한테 3만원", "2026-12-06"),
        ("send mom 30,000 on the 6th, a Sunday", "2026-12-06"),
        ("모레 월요일에 엄마한테 3만원", "2026-11-30"),
        ("the day after tomorrow (Monday)", "2026-11-30"),
    ],
)
def test_a_weekday_that_fits_says_the_day_once_more(text, day):
    (found,) = [one for one in read(text, NOW) if one.type == "date"]
    assert found.value == day
    assert found.text.count("(") == found.text.count(")")


def test_a_weekday_that_does_not_fit_is_another_day():
    found = [one.value for one in read("7일 일요일", NOW) if one.type == "date"]
    assert found == ["2026-12-07", "2026-11-29"]


@pytest.mark.parametrize(
    ("language", "order", "answer", "yes"),
    [
        ("ko", "7일 일요일에 엄마한테 3만원 보내줘", "7일", "응"),
        ("ja", "7日の日曜に母に3万ウォン送って", "7日", "はい"),
        ("en", "send mom 30,000 won on the 7th, a Sunday", "the 7th", "yes"),
        ("ko", "12월 7일(일)에 누나한테 2만원 보내줘", "7일로", "응"),
        ("en", "send my sister 20,000 on Sunday, December 7", "December 7", "yes"),
        ("ja", "12月7日の日曜にお姉さんに2万ウォン送って", "7日", "はい"),
    ],
)
async def test_of_two_days_that_do_not_fit_the_person_is_asked_which(language, order, answer, yes):
    talk = Talk(NOW, language)
    asked = await talk.says(order)
    assert "2026-11-29" in asked and "2026-12-07" in asked
    assert talk.paid == []
    await talk.says(answer)
    await talk.says(yes)
    (paid,) = talk.paid
    assert paid.value_on.isoformat() == "2026-12-07", day_in_words(paid.value_on, language)


async def test_a_day_that_takes_the_one_before_it_back_is_the_one():
    talk = Talk(NOW, "ko")
    await talk.says("엄마한테 월요일, 아니 수요일에 3만원 보내줘")
    await talk.says("응")
    (paid,) = talk.paid
    assert paid.value_on.isoformat() == "2026-12-02"


@pytest.mark.parametrize(
    ("language", "order", "then", "yes", "day"),
    [
        ("en", "pay my sister 8,000 on Tuesday", "no, the day after", "yes", "2026-12-02"),
        ("en", "pay my sister 8,000 on Tuesday", "the day before, please", "yes", "2026-11-30"),
        ("ko", "누나한테 8천원 화요일에 보내줘", "아니 그 다음날로", "응", "2026-12-02"),
        ("ja", "お姉さんに8千ウォンを火曜日に送って", "やっぱり翌日にして", "はい", "2026-12-02"),
    ],
)
async def test_the_day_after_is_that_after_the_day_that_is_shown(language, order, then, yes, day):
    talk = Talk(NOW, language)
    for turn in (order, then, yes):
        await talk.says(turn)
    (paid,) = talk.paid
    assert paid.value_on.isoformat() == day
