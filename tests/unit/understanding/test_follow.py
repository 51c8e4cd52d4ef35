"""What varies the request before it, and what does not."""

from datetime import datetime
from typing import Any

import pytest

from contracts.cognitive import CognitiveInput
from contracts.context import Context, FileSeen, Requested
from contracts.packs import IntentSpec
from understanding.offline.follows import varied
from understanding.offline.moments import says_only_when
from understanding.offline.understand import SentenceReader

NOW = datetime.fromisoformat("2026-11-23T10:00:00+09:00")
WEATHER = Requested(intent="DEVICES.weather", slots={"place": "Prague", "date": "2026-11-23"})
WAY = Requested(intent="DEVICES.navigation", slots={"destination": "성수역", "origin": "집"})
SONG = Requested(intent="DEVICES.song", slots={"title": "Vincent", "seconds": 9})
FILM = Requested(intent="DEVICES.movie", slots={"title": "괴물"})


def tasks(everything: SentenceReader, text: str, last: Requested | None) -> list[tuple[str, dict[str, Any]]]:
    understood = everything.understand(CognitiveInput(text=text, context=Context(last=last)), NOW)
    return [(one.intent, dict(one.slots)) for one in understood.tasks]


@pytest.mark.parametrize(
    ("last", "text", "slots"),
    [
        (WEATHER, "and Vienna?", {"place": "Vienna", "date": "2026-11-23"}),
        (WEATHER, "how about tomorrow?", {"place": "Prague", "date": "2026-11-24"}),
        (WEATHER, "목포는요?", {"place": "목포", "date": "2026-11-23"}),
        (WEATHER, "じゃあ松山は？", {"place": "松山", "date": "2026-11-23"}),
        (WAY, "아니 성수역 말고 뚝섬역으로", {"destination": "뚝섬역", "origin": "집"}),
        (SONG, "no, Stand by Me instead", {"title": "Stand by Me"}),
        (FILM, "그거 말고 올드보이로 바꿔줘", {"title": "올드보이"}),
        # what nobody here does owns no sentence that surely goes on
        (FILM, "우와 이번에는 눈꽃으로 바꿔볼래", {"title": "눈꽃"}),
        # nor does a day what surely goes on
        (WEATHER, "모레는?", {"place": "Prague", "date": "2026-11-25"}),
        (WEATHER, "and the weekend then?", {"place": "Prague", "date": "2026-11-28"}),
    ],
)
def test_what_varies_a_request_is_that_request_with_other_slots(everything, last, text, slots):
    assert tasks(everything, text, last) == [(last.intent, slots)]


@pytest.mark.parametrize(
    ("last", "text", "intent"),
    [
        (WEATHER, "누나한테 2만원 보내줘", "TRANSFER"),
        (SONG, "what's my balance?", "TRANSFER.balance"),
        (WAY, "明日の予定は？", "ASSISTANT.calendar"),
        (FILM, "고마워요!", "INQUIRY.general"),
    ],
)
def test_what_another_intent_owns_varies_nothing(everything, last, text, intent):
    assert [one for one, _ in tasks(everything, text, last)] == [intent]


def test_without_a_request_before_it_nothing_is_varied(everything):
    assert tasks(everything, "and Vienna?", None) == []


def test_a_whole_request_takes_nothing_over(everything):
    last = Requested(intent="DEVICES.weather", slots={"place": "Prague", "date": "2026-12-01"})
    assert tasks(everything, "what is the weather like in Vienna", last) == [("DEVICES.weather", {"place": "Vienna"})]


def test_only_what_may_be_varied_is_taken_over():
    spec = IntentSpec(intent="A.b", label="l", examples={}, varies=("place", "date", "month"))
    last = Requested(intent="A.b", slots={"place": "Rome", "month": 3, "seconds": 9})
    assert varied(last, spec, {"date": "2026-03-01", "month": None}) == {"place": "Rome", "date": "2026-03-01"}
    assert varied(last, spec, {"place": "Rome"}) == {}
    assert varied(last, spec, {"seconds": 4}) == {}


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("뭐가 예약돼 있더라?", "TRANSFER.history"),
        ("which ones are scheduled now?", "TRANSFER.history"),
        ("予約になっているのは何？", "TRANSFER.history"),
        ("그럼 얼마가 남지?", "TRANSFER.balance"),
        ("how much more may I send?", "TRANSFER.limits"),
        # what somebody else surely owns is theirs
        ("what's on my calendar tomorrow?", "ASSISTANT.calendar"),
        ("내일 부산 날씨 알려줘", "DEVICES.weather"),
        ("お父さんに1万ウォン送って", "TRANSFER"),
    ],
)
def test_what_is_asked_after_a_dialogue_is_about_it_and_begins_no_other(everything, text, intent):
    assert [one for one, _ in tasks(everything, text, Requested(intent="TRANSFER"))] == [intent]


def test_what_is_left_is_what_was_spoken_of(everything):
    ((intent, slots),) = tasks(everything, "what's left?", Requested(intent="ASSISTANT.calendar.todo"))
    assert (intent, slots["action"]) == ("ASSISTANT.calendar", "list")
    assert tasks(everything, "what's left?", Requested(intent="TRANSFER")) == [("TRANSFER.balance", {})]


def test_who_names_no_place_asks_about_the_one_before(everything):
    assert tasks(everything, "우산 챙길까?", WEATHER) == [("DEVICES.weather", {"place": "Prague"})]


ALARM = Requested(intent="ASSISTANT.reminder", slots={"text": "", "date": "2026-11-24", "time": "08:00"})
TABLE = FileSeen(name="reviews.csv", type="file.table.reviews")


@pytest.mark.parametrize(
    "text",
    ["やっぱ7時半で", "아니 7시 반으로", "no, half past seven", "3월 31일이야", "31 March 2027", "来年の3月31日です"],
)
def test_a_day_or_a_time_alone_is_of_what_needs_one_whatever_file_is_there(everything, text):
    context = Context(files=(TABLE,), last=ALARM)
    understood = everything.understand(CognitiveInput(text=text, context=context), NOW)
    assert [one.intent for one in understood.tasks] == ["ASSISTANT.reminder"]


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("9時で", True), ("아니 10시로", True), ("it's on 31 March", True), ("hmm, at 11am instead", True),
        ("gym at 9", False), ("내일 3시 치과", False), ("3시?", False), ("just", False), ("on the 12th or so I think it was, no", False),
    ],
)  # fmt: skip
def test_a_sentence_says_nothing_but_when(text, alone):
    assert says_only_when(text, NOW) is alone


@pytest.mark.parametrize(
    ("text", "answer", "time"),
    [
        ("모레 세탁소 들르라고 알려줘", "저녁 7시 반", "19:30"),
        ("remind me on Friday to send the invoice", "half past four", "16:30"),
        ("金曜に資料を送るのを知らせて", "午後3時で", "15:00"),
    ],
)
def test_an_answer_fills_what_was_asked_for_and_changes_nothing_that_was_there_before(everything, text, answer, time):
    message = CognitiveInput(text=text, answers=(answer,), context=Context(last=ALARM))
    (task,) = everything.understand(message, NOW).tasks
    assert (task.intent, task.slots.get("action"), task.slots["time"]) == ("ASSISTANT.reminder", None, time)
