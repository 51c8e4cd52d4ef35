"""What is said in part: a fact without its value, an appointment without its hour, a deed by what it was done with, the
day before what was spoken of."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import CognitiveInput
from contracts.reading import LACKS
from contracts.shape import JsonObject
from packs.assistant import asking, corrected
from packs.assistant.reading import read_calendar, read_memory, read_reminder, read_todo
from understanding.offline.tasks import clause_of
from understanding.offline.understand import SentenceReader

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))
PUT_IN: JsonObject = {"date": "2026-12-02", "time": "15:00", "title": "서예"}


def read(reader: Any, language: str, text: str, **known: Any) -> list[JsonObject]:
    return [dict(slots) for slots in reader(clause_of(text, NOW, language)._replace(**known))]


@pytest.mark.parametrize(
    ("language", "text", "thing", "answer", "fact"),
    [
        ("ko", "경비실 번호 좀 기억해줘", "경비실 번호", "032-555-1212야", "경비실 번호: 032-555-1212"),
        ("ko", "헬스장 주소 저장해 둬", "헬스장 주소", "헬스장 주소는 종로 3길 7", "헬스장 주소는 종로 3길 7"),
        ("en", "remember my alarm code", "my alarm code", "it's 9931", "my alarm code: 9931"),
        ("ja", "倉庫の暗証番号を覚えておいて", "倉庫の暗証番号", "8812です", "倉庫の暗証番号: 8812"),
    ],
)
def test_a_fact_without_its_value_is_asked_for_and_kept_with_it(language, text, thing, answer, fact):
    assert read(read_memory, language, text) == [{"text": thing, LACKS: ["text"]}]
    assert read(read_memory, language, answer, expecting=("text",), slots={"text": thing}) == [{"text": fact}]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "우리 집 주소 서울시 마포구 기억해줘"),
        ("en", "remember the door code is hazel"),
        ("ja", "暗証番号はあかさたなだと覚えて"),
    ],
)
def test_a_fact_with_its_value_is_kept(language, text):
    (slots,) = read(read_memory, language, text)
    assert LACKS not in slots


def test_no_mark_of_a_reader_gets_into_a_task(everything: SentenceReader) -> None:
    asked = everything.understand(CognitiveInput(text="remember my alarm code"), NOW)
    assert [one.slot for one in asked.missing] == ["text"]
    told = everything.understand(CognitiveInput(text="remember my alarm code", answers=("9931",)), NOW)
    assert (told.missing, [task.slots for task in told.tasks]) == ((), [{"text": "my alarm code: 9931"}])


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "귤 샀어 완료 처리", {"title": "귤 사", "thing": "귤"}),
        ("ko", "구청 들렀다 왔어, 체크해줘", {"title": "구청 들렀다 오", "thing": "구청"}),
        ("ko", "할 일에서 귤 산 거 지워줘", {"title": "귤", "thing": "귤"}),
        ("ja", "電池買ったから消しといて", {"title": "電池", "thing": "電池"}),
        ("ja", "草むしりはさっき終わったので、完了にして", {"title": "草むしり"}),
    ],
)
def test_what_was_done_is_told_by_what_it_was_done_with(language, text, slots):
    assert read(read_todo, language, text, last={"title": "x"}) == [{"action": "complete"} | slots]


@pytest.mark.parametrize(
    ("said", "deed"),
    [
        ("약 먹었어", "약 먹"),
        ("물 마셨음", "물 마시"),
        ("방 치웠다", "방 치우"),
        ("빨래 했어요", "빨래 하"),
        ("표 봤어", "표 보"),
    ],
)
def test_a_deed_in_the_past_begins_as_its_name_does(said, deed):
    assert asking.undone(said)[0] == deed


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("en", "put ring the vet on my list too", "ring the vet"),
        ("en", "add soap to the list as well", "soap"),
        ("ja", "石けんもリストに入れて", "石けん"),
        ("ko", "자동차세는 내일까지야", "자동차세"),
    ],
)
def test_words_around_a_thing_to_do_are_no_part_of_it(language, text, title):
    assert read(read_todo, language, text)[0]["title"] == title


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("add post the parcel and renew the passport to my list", ["post the parcel", "renew the passport"]),
        ("add wash and iron the shirts", ["wash and iron the shirts"]),
        ("put bread and jam on my list", ["bread and jam"]),
    ],
)
def test_two_deeds_with_and_between_them_are_two(text, titles):
    assert [slots["title"] for slots in read(read_todo, "en", text)] == titles


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "전날 저녁 7시에 알려줘", {"date": "2026-12-01", "time": "19:00", "text": "서예"}),
        ("ko", "그 전날 먹 사라고 알려줘", {"date": "2026-12-01", "text": "먹 사기"}),
        ("en", "remind me the night before at 9", {"date": "2026-12-01", "time": "21:00", "text": "서예"}),
        ("ja", "前日の夜7時に知らせて", {"date": "2026-12-01", "time": "19:00", "text": "서예"}),
    ],
)
def test_the_day_before_is_that_of_what_was_spoken_of(language, text, slots):
    assert read(read_reminder, language, text, last=PUT_IN) == [slots]


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "and the whole of Monday once more please"), ("ko", "월요일 거 다시 한번"), ("ja", "月曜をもう一度")],
)
def test_a_day_that_is_to_be_told_once_more_is_no_appointment(language, text):
    (slots,) = read(read_calendar, language, text, last={"action": "list", "date": "2026-11-23"})
    assert slots == {"action": "list", "date": "2026-11-23"}


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("ko", "그럼 몇 시에 끝나요?", "서예"),
        ("ko", "서예 몇 시에 끝나?", "서예"),
        ("en", "so when does it end?", "서예"),
        ("ja", "じゃあ何時に終わる？", "서예"),
    ],
)
def test_when_a_thing_ends_is_asked_of_what_was_spoken_of(language, text, title):
    (slots,) = read(read_calendar, language, text, last=PUT_IN)
    assert (slots["action"], slots["title"], slots["ends"]) == ("list", title, True)


def test_what_was_recalled_has_become_another():
    (slots,) = read(read_memory, "en", "it's changed to 61", last={"action": "recall", "text": "alarm code"})
    assert slots == {"action": "change", "text": "alarm code", "value": "61"}


@pytest.mark.parametrize(
    ("note", "subject", "same"),
    [
        ("창고 자물쇠 번호는 3391", "자물쇠 번호", True),
        ("my bike lock code is 12", "lock code", True),
        ("창고 열쇠는 서랍", "자물쇠 번호", False),
    ],
)
def test_a_note_may_be_called_by_the_end_of_what_it_speaks_of(note, subject, same):
    assert corrected.ends_with(note, subject) is same
