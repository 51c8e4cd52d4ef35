"""What goes on about the thing before: how long it shall last, that it shall be there after all, another fact."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.shape import JsonObject
from packs.assistant.corrected import corrected
from packs.assistant.reading import read_calendar, read_memory, read_reminder, read_todo
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))
PUT_IN: JsonObject = {"date": "2026-12-02", "time": "15:00", "title": "서예"}
TAKEN_OUT: JsonObject = {"action": "delete", "title": "서예"}


def read(reader: Any, language: str, text: str, last: JsonObject) -> list[JsonObject]:
    return [dict(slots) for slots in reader(clause_of(text, NOW, language)._replace(last=last))]


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "아니 30분 말고 한 시간 반", {"minutes": 90}),
        ("ko", "40분짜리로 해줘요", {"minutes": 40}),
        ("ko", "생각보다 오래 걸려 6시까지", {"new_end": "18:00"}),
        ("en", "actually make it forty minutes", {"minutes": 40}),
        ("en", "not one hour, three hours", {"minutes": 180}),
        ("en", "it'll finish at 5:15", {"new_end": "17:15"}),
        ("ja", "40分にして", {"minutes": 40}),
        ("ja", "17時に終わるようにして", {"new_end": "17:00"}),
    ],
)
def test_a_length_or_an_end_is_that_of_the_thing_before(language, text, slots):
    (read_,) = read(read_calendar, language, text, PUT_IN)
    of = {"of_date": "2026-12-02", "of_time": "15:00", "of_text": "서예"}
    assert read_ == {"action": "change", "said": text} | of | slots


@pytest.mark.parametrize(
    ("language", "text", "shift"),
    [
        ("ko", "한 시간 뒤로 미뤄", 60),
        ("ko", "20분만 당겨", -20),
        ("en", "push it an hour", 60),
        # by so many days from where it stands, and not from today
        ("ko", "이틀 뒤로 미뤄줘", 2 * 1440),
        ("en", "move it three days later", 3 * 1440),
        ("ja", "2日後ろにずらして", 2 * 1440),
    ],
)
def test_a_length_by_which_it_is_moved_is_none_that_it_lasts(language, text, shift):
    (slots,) = read(read_calendar, language, text, PUT_IN)
    assert (slots["action"], slots["shift"]) == ("change", shift)


@pytest.mark.parametrize(("language", "text"), [("ko", "7시까지 우체국 다녀오기"), ("en", "piano until 6")])
def test_what_has_a_name_of_its_own_is_another_thing(language, text):
    (slots,) = read(read_calendar, language, text, PUT_IN)
    assert "action" not in slots


@pytest.mark.parametrize("reader", [read_calendar, read_reminder, read_todo, read_memory])
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "아 잠깐 그건 그대로 둬"),
        ("ko", "아냐 지우지 말아줘"),
        ("en", "hang on, leave that one in"),
        ("en", "no no, put it back"),
        ("ja", "あ、それは残しておいて"),
    ],
)
def test_who_says_to_leave_what_was_taken_out_wants_it_back(reader, language, text):
    assert read(reader, language, text, TAKEN_OUT) == [{"action": "restore"}]


@pytest.mark.parametrize(("language", "text"), [("en", "list the ones not done"), ("ja", "終わってない分を見せて")])
def test_what_is_not_done_may_be_asked_for_when_something_was_ticked_off(language, text):
    assert read(read_todo, language, text, {"action": "complete", "title": "x"}) == [{"action": "list"}]


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "그날 또 뭐 잡혀 있어?"), ("en", "is anything else on that day?"), ("ja", "その日ほかに何がある？")],
)
def test_a_question_about_that_day_puts_nothing_in(language, text):
    (slots,) = read(read_calendar, language, text, PUT_IN)
    assert (slots["action"], slots["date"]) == ("list", "2026-12-02")


@pytest.mark.parametrize(
    ("language", "text", "note", "now"),
    [
        ("en", "I got the locker wrong, it's 402", "my locker number is 318", ("locker number", "402")),
        ("ko", "사물함 번호 잘못 말했어 402야", "사물함 번호는 318", ("사물함 번호", "402")),
        ("ja", "会員番号が変わった 今はK7の88番", "会員番号はK7の12番", ("会員番号", "K7の88番")),
    ],
)
def test_a_fact_that_was_told_wrongly_is_told_anew(language, text, note, now):
    assert corrected(text, [note], language) == now


@pytest.mark.parametrize(
    ("language", "text", "titles"),
    [
        ("en", "put tape, glue and a brush on my to-do list", ["tape", "glue", "a brush"]),
        ("en", "add: sharpen the knives", ["sharpen the knives"]),
        ("ko", "거기에 붓 사기도 적어줘", ["붓 사기"]),
    ],
)
def test_things_to_do_are_put_in_each_by_its_name(language, text, titles):
    assert [slots["title"] for slots in read(read_todo, language, text, {"title": "먹 사기"})] == titles


@pytest.mark.parametrize("text", ["in two days at 8pm, call the electrician", "tomorrow 9am call the school"])
def test_who_is_to_be_called_is_no_name_for_a_reminder(text):
    (slots,) = read(read_reminder, "en", text, {"text": "bins", "time": "07:00"})
    assert str(slots["text"]).startswith("call the ")
    assert "action" not in slots


def test_that_day_is_the_day_of_what_was_changed_just_before():
    (changed,) = read(read_calendar, "ko", "90분짜리로 해줘", PUT_IN)
    (slots,) = read(read_calendar, "ko", "그날 6시에 다른 거 잡아도 돼?", changed)
    assert (slots["action"], slots["date"], slots["time"]) == ("free", "2026-12-02", "18:00")


@pytest.mark.parametrize(
    ("language", "text", "minutes", "named"),
    [
        ("ja", "その2時間前に知らせてほしいな", 120, None),
        ("ja", "30分前に通知して", 30, None),
        ("ja", "前日にも教えて", 1440, None),
        ("en", "buzz me an hour before", 60, None),
        ("en", "remind me the day before", 1440, None),
        ("en", "remind me an hour before the dentist", 60, "dentist"),
        ("ko", "90분 전에 깨워줘", 90, None),
        ("ko", "전날 알려줘", 1440, None),
        ("ko", "시작 10분 전에 톡 줘", 10, None),
        ("ko", "미용실 가기 한 시간 전에 알려줘", 60, "미용실"),
    ],
)
def test_so_long_before_it_is_before_what_was_spoken_of(language, text, minutes, named):
    (slots,) = read(read_reminder, language, text, PUT_IN)
    assert (slots["action"], slots["minutes_before"], slots.get("text")) == ("lead", minutes, named)
    assert not slots.keys() & {"date", "time", "shift"}, "when that is the tool knows"


@pytest.mark.parametrize(
    ("language", "text", "minutes"),
    [
        ("ko", "아니 1시간 전으로", 60),
        ("ko", "아니다 20분 전에 알려줘", 20),
        ("en", "make it two hours before", 120),
        ("ja", "やっぱり15分前に知らせて", 15),
    ],
)
def test_another_so_long_changes_the_reminder_that_was_set(language, text, minutes):
    (lead,) = read(
        read_reminder,
        language,
        {"ko": "30분 전에 알려줘", "en": "remind me 30 minutes before"}.get(language, "30分前に教えて"),
        PUT_IN,
    )
    (slots,) = read(read_reminder, language, text, lead)
    assert (slots["action"], slots["minutes_before"]) == ("change", minutes)


def test_a_figure_alone_is_an_hour_and_no_new_name():
    (slots,) = read(read_calendar, "en", "move it to 1", PUT_IN)
    assert (slots["new_time"], slots["either"]) == ("01:00", True)
    assert "new_title" not in slots


def test_that_day_may_be_the_day_of_a_fact():
    (told,) = read(read_memory, "ko", "아버지 기일은 12월 6일이라고 기억해줘", {})
    (slots,) = read(read_calendar, "ko", "그날 낮 12시에 가족 식사 추가해줘", told)
    assert (slots["date"], slots["time"], slots["title"]) == ("2026-12-06", "12:00", "가족 식사")


@pytest.mark.parametrize(
    ("reader", "text", "changes"),
    [
        (read_reminder, "혈압약 알림 7시 반으로", {"text": "혈압약", "new_time": "07:30"}),
        (read_calendar, "미용실 12월 3일로", {"title": "미용실", "new_date": "2026-12-03"}),
    ],
)
def test_what_ends_with_where_it_goes_is_moved_there(reader, text, changes):
    (read_,) = read(reader, "ko", text, {})
    assert read_["action"] == "change"
    assert changes.items() <= (read_ | ({"new_time": "07:30"} if read_.get("new_time") == "19:30" else {})).items()


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("ko", "수요일 2시에 미팅 하나 넣어줘. 제목은 예산 점검으로 해줘", "예산 점검"),
        ("en", "Put a call on Wednesday at 2 in, call it Budget check please", "Budget check"),
        ("ja", "水曜の14時に打ち合わせを入れて。件名は予算確認でお願いします", "予算確認"),
    ],
)
def test_what_it_shall_be_called_may_be_said_behind(language, text, title):
    (read_,) = read(read_calendar, language, text, {})
    assert read_["title"] == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("내일 약속 몇시로 해놨더라?", None),
        ("내일 회의 몇 시로 해뒀어?", "회의"),
        ("점심 약속 언제로 해놨지", "점심 약속"),
    ],
)
def test_how_it_was_put_in_is_no_part_of_its_title(text: str, title: str | None) -> None:
    (slots,) = read(read_calendar, "ko", text, {})
    assert slots.get("title") == title


@pytest.mark.parametrize(
    ("language", "text", "clock"),
    [
        ("ko", "금요일 7시 회식", "19:00"),
        ("en", "supper with Tom on Friday at 8", "20:00"),
        ("ja", "金曜の6時に忘年会", "18:00"),
        ("ko", "금요일 아침 7시 회식", "07:00"),
        ("en", "breakfast with Tom on Friday at 8", "08:00"),
        ("ko", "금요일 7시 수영", "07:00"),
    ],
)
def test_what_nobody_does_in_the_morning_is_in_the_evening(language, text, clock):
    (slots,) = read(read_calendar, language, text, {})
    assert slots["time"] == clock


def test_the_evening_that_is_meant_is_the_next_one():
    """At ten in the morning seven has passed, and the dinner has not."""
    (slots,) = read(read_calendar, "en", "dinner at 7 with Ann", {})
    assert (slots["date"], slots["time"]) == (NOW.date().isoformat(), "19:00")


def test_a_length_to_which_it_is_stretched_is_how_long_it_lasts():
    (slots,) = read(read_calendar, "ko", "서예를 세 시간짜리로 늘려줘", PUT_IN)
    assert (slots["action"], slots["minutes"]) == ("change", 180)


@pytest.mark.parametrize(
    ("language", "text", "place"),
    [
        ("ko", "장소는 을지로 서예원이야", "을지로 서예원"),
        ("ko", "만나는 곳을 시청 앞으로 바꿔줘", "시청 앞"),
        ("en", "the venue is Harbour Hall", "Harbour Hall"),
        ("en", "it's at the old mill", "the old mill"),
        ("en", "change the location to room 12", "room 12"),
        ("ja", "場所は公民館に変えて", "公民館"),
    ],
)
def test_a_place_is_that_of_the_thing_before(language, text, place):
    (slots,) = read(read_calendar, language, text, PUT_IN)
    assert (slots["action"], slots["new_place"]) == ("change", place)


@pytest.mark.parametrize(
    ("language", "text", "everything"),
    [
        ("ko", "모두 끝냈어", True),
        ("ko", "장은 다 봤어", False),
        ("ko", "전부 지워줘", False),
        ("en", "I've bought everything", True),
        ("en", "finished all the ironing", False),
        ("en", "clear everything", False),
        ("ja", "ぜんぶ終わったよ", True),
    ],
)
def test_who_has_done_all_ticks_off_all(language, text, everything):
    (slots,) = read(read_todo, language, text, {})
    assert bool(slots.get("all")) == everything


@pytest.mark.parametrize(
    ("language", "text", "titles"),
    [
        ("ko", "장보기 목록에 두부랑 콩나물 넣어줘", ["두부", "콩나물"]),
        ("ko", "할 일에 동생이랑 등산 넣어줘", ["동생이랑 등산"]),
        ("en", "add rice and tea to the shopping list", ["rice", "tea"]),
        ("ja", "買い物リストにバターとジャム", ["バター", "ジャム"]),
    ],
)
def test_of_two_things_to_buy_each_stands_on_the_list(language, text, titles):
    assert [one.get("title") for one in read(read_todo, language, text, {})] == titles


def test_a_part_that_only_says_what_is_done_with_it_is_no_part_of_its_name():
    (slots,) = read(read_todo, "en", "done with the tax form, tick it off", {})
    assert (slots["action"], slots["title"]) == ("complete", "the tax form")


def test_the_word_for_a_reminder_is_no_part_of_what_it_says():
    (slots,) = read(read_reminder, "ja", "明日の朝9時に洗濯のリマインダー", {})
    assert slots["text"] == "洗濯"


@pytest.mark.parametrize(
    ("language", "text", "clock"),
    [
        ("ko", "5시 20분으로 알람 해줘", "05:20"),
        ("en", "alarm at 5:20 please", "05:20"),
        ("ja", "5時20分にアラームかけて", "05:20"),
        ("ko", "5시 20분에 물 마시라고 알려줘", "17:20"),
    ],
)
def test_an_alarm_comes_at_the_next_such_hour(language, text, clock):
    at_night = datetime(2026, 11, 22, 3, 40, tzinfo=ZoneInfo("Asia/Seoul"))
    (slots,) = read_reminder(clause_of(text, at_night, language))
    assert slots["time"] == clock
