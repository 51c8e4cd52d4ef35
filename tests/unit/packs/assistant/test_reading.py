"""What the readers of pack assistant make of a clause: slots, in Korean, English and Japanese."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import Entity
from contracts.reading import Clause
from packs.assistant.reading import read_calendar, read_memory, read_reminder, read_todo

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))
MONDAYS = "FREQ=WEEKLY;BYDAY=MO"
Found = Mapping[str, tuple[str, Any]]


def clause(text: str, language: str, found: Found, **known: Any) -> Clause:
    entities = tuple(
        Entity(type=type_, text=part, value=value, start=text.index(part), end=text.index(part) + len(part), confidence=1)
        for part, (type_, value) in found.items()
    )  # fmt: skip
    return Clause(text, language, NOW, entities, **known)


def day(part: str = "내일", value: str = "2026-11-23") -> dict[str, tuple[str, Any]]:
    return {part: ("date", value)}


def clock(part: str, value: str) -> dict[str, tuple[str, Any]]:
    return {part: ("time", value)}


def span(part: str, minutes: int) -> dict[str, tuple[str, Any]]:
    return {part: ("span", minutes)}


def rule(part: str, value: str = MONDAYS) -> dict[str, tuple[str, Any]]:
    return {part: ("recurrence", value)}


TOMORROW = {"date": "2026-11-23"}
AT3 = TOMORROW | {"time": "15:00"}


@pytest.mark.parametrize(
    ("language", "text", "found", "slots"),
    [
        ("ko", "내일 오후 3시 치과 예약 일정 넣고,", day() | clock("오후 3시", "15:00"), AT3 | {"title": "치과 예약"}),
        ("ko", "내일 오후 3시에 팀 회의 잡아줘", day() | clock("오후 3시", "15:00"), AT3 | {"title": "팀 회의"}),
        ("ko", "캘린더에 내일 오후 3시 미용실 추가해 주세요", day() | clock("오후 3시", "15:00"), AT3 | {"title": "미용실"}),
        ("ko", "내일 오후 3시에 강남역에서 민수랑 약속 있어 등록해줘", day() | clock("오후 3시", "15:00"),
         AT3 | {"title": "민수랑 약속", "place": "강남역"}),
        ("ko", "내일 3시부터 5시까지 워크숍 넣어줘", day() | clock("3시", "15:00") | clock("5시", "17:00"),
         AT3 | {"title": "워크숍", "minutes": 120}),
        ("ko", "내일 오후 3시 1시간 반 동안 운동 일정 등록", day() | clock("오후 3시", "15:00") | span("1시간 반 동안", 90),
         AT3 | {"title": "운동", "minutes": 90}),
        ("ko", "매주 월요일 오후 3시 스터디 넣어줘", rule("매주 월요일") | clock("오후 3시", "15:00"),
         AT3 | {"title": "스터디", "recurrence": MONDAYS}),
        ("ko", "12시에 점심 약속 잡아줘", clock("12시", "12:00"), TOMORROW | {"time": "12:00", "title": "점심 약속"}),
        ("ko", "저녁 7시에 점심 약속 잡아줘", clock("저녁 7시", "19:00"),
         {"date": "2026-11-22", "time": "19:00", "title": "점심 약속"}),
        ("ko", "내일 일정 뭐 있어?", day(), TOMORROW | {"action": "list"}),
        ("ko", "내일 치과 예약 일정 취소해줘", day(), TOMORROW | {"action": "delete", "title": "치과 예약"}),
        ("en", "Add a dentist appointment tomorrow at 3pm to my calendar", day("tomorrow") | clock("3pm", "15:00"),
         AT3 | {"title": "dentist appointment"}),
        ("en", "please schedule lunch with Kim at Blue Bottle tomorrow from 3pm to 5pm",
         day("tomorrow") | clock("3pm", "15:00") | clock("5pm", "17:00"),
         AT3 | {"title": "lunch with Kim", "place": "Blue Bottle", "minutes": 120}),
        ("en", "what's on my calendar tomorrow?", day("tomorrow"), TOMORROW | {"action": "list"}),
        ("en", "Cancel the team meeting tomorrow", day("tomorrow"),
         TOMORROW | {"action": "delete", "title": "team meeting"}),
        ("ja", "明日の午後3時に歯医者の予約を入れてください", day("明日") | clock("午後3時", "15:00"), AT3 | {"title": "歯医者の予約"}),
        ("ja", "明日15時に渋谷で会議の予定を追加して", day("明日") | clock("15時", "15:00"),
         AT3 | {"title": "会議", "place": "渋谷"}),
        ("ja", "明日の予定は何？", day("明日"), TOMORROW | {"action": "list"}),
        ("ja", "明日の会議をキャンセルして", day("明日"), TOMORROW | {"action": "delete", "title": "会議"}),
    ],
)  # fmt: skip
def test_an_appointment_is_what_is_left_without_its_time_and_what_to_do_with_it(language, text, found, slots):
    assert read_calendar(clause(text, language, found)) == (slots,)


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "와이파이 비번은 1234라고 기억해 줘,", {"text": "와이파이 비번은 1234"}),
        ("ko", "내 생일은 3월 5일이라고 기억해줘", {"text": "내 생일은 3월 5일"}),
        ("ko", "기억해 줘: 주차는 지하 2층 B구역", {"text": "주차는 지하 2층 B구역"}),
        ("ko", "엄마가 좋아하는 꽃은 튤립이야 기억해 둬", {"text": "엄마가 좋아하는 꽃은 튤립이야"}),
        ("ko", "와이파이 비번 뭐였지?", {"action": "recall", "text": "와이파이 비번"}),
        ("ko", "와이파이 비밀번호가 뭐라고 했지", {"action": "recall", "text": "와이파이 비밀번호"}),
        ("ko", "와이파이 비번 알려줘", {"action": "recall", "text": "와이파이 비번"}),
        ("ko", "와이파이 비번은 잊어줘", {"action": "forget", "text": "와이파이 비번"}),
        ("en", "Remember that the wifi password is 1234", {"text": "the wifi password is 1234"}),
        ("en", "please note down: parking is on B2", {"text": "parking is on B2"}),
        ("en", "What's my wifi password?", {"action": "recall", "text": "wifi password"}),
        ("en", "do you remember where I parked?", {"action": "recall", "text": "where I parked"}),
        ("en", "forget my wifi password", {"action": "forget", "text": "wifi password"}),
        ("ja", "Wi-Fiのパスワードは1234だと覚えておいて", {"text": "Wi-Fiのパスワードは1234"}),
        ("ja", "Wi-Fiのパスワードは何だっけ？", {"action": "recall", "text": "Wi-Fiのパスワード"}),
        ("ja", "Wi-Fiのパスワードを忘れて", {"action": "forget", "text": "Wi-Fiのパスワード"}),
        ("en", "show my notes", {"action": "recall"}),
        ("en", "please show me what I noted", {"action": "recall"}),
        ("en", "show up at 9, remember that", {"text": "show up at 9"}),
        ("ja", "メモを見せて", {"action": "recall"}),
        ("ko", "메모 보여줘", {"action": "recall"}),
        ("ko", "기억한 거 다 보여줘", {"action": "recall"}),
        ("ko", "내가 기억하라고 한 거 뭐 있어?", {"action": "recall"}),
        ("ko", "내 차 번호 기억나?", {"action": "recall", "text": "내 차 번호"}),
        ("ko", "메뉴는 다 기억해줘", {"text": "메뉴는 다"}),
        ("en", "list everything you remember", {"action": "recall"}),
        ("en", "What do you remember about me?", {"action": "recall"}),
        ("en", "remember that I love all dogs", {"text": "I love all dogs"}),
        ("ja", "覚えていること全部見せて", {"action": "recall"}),
        ("ja", "何を覚えてる？", {"action": "recall"}),
    ],
)
def test_a_note_is_what_is_said_to_be_remembered(language, text, slots):
    assert read_memory(clause(text, language, {})) == (slots,)


BEFORE = {"before": {"title": "치과 예약", **AT3}}
EARLIER = TOMORROW | {"time": "14:30", "minutes_before": 30}


@pytest.mark.parametrize(
    ("language", "text", "found", "known", "slots"),
    [
        ("ko", "30분 전에 알려줘", span("30분", 30), BEFORE, EARLIER | {"text": "치과 예약"}),
        ("ko", "30분 전에 알려줘", span("30분 전", 30), BEFORE, EARLIER | {"text": "치과 예약"}),
        ("ko", "30분 전에 알려줘", span("30분", 30), {}, {"minutes_before": 30}),
        ("ko", "내일 오후 3시 회의 30분 전에 알림 설정해줘", day() | clock("오후 3시", "15:00") | span("30분", 30), {},
         EARLIER | {"text": "회의"}),
        ("ko", "30분 뒤에 빨래 널라고 알려줘", span("30분", 30), {},
         {"date": "2026-11-22", "time": "13:30", "text": "빨래 널기"}),
        ("ko", "매주 월요일 아침 9시에 물 마시라고 알려줘", rule("매주 월요일") | clock("아침 9시", "09:00"), {},
         TOMORROW | {"time": "09:00", "recurrence": MONDAYS, "text": "물 마시기"}),
        ("ko", "내일 오후 3시에 약 먹으라고 알려 주세요", day() | clock("오후 3시", "15:00"), {}, AT3 | {"text": "약 먹기"}),
        ("ko", "2시에 알려줘", clock("2시", "14:00"), BEFORE, TOMORROW | {"time": "14:00", "text": "치과 예약"}),
        ("ko", "그때 알려줘", {}, {"before": AT3}, AT3),
        ("ko", "알림 목록 보여줘", {}, {}, {"action": "list"}),
        ("ko", "물 마시기 알림 취소해줘", {}, {}, {"action": "delete", "text": "물 마시기"}),
        ("ko", "내일 오후 3시에 깨워줘", day() | clock("오후 3시", "15:00"), {}, AT3 | {"text": ""}),
        ("ko", "약 먹으라고 알람 맞춰줘", {}, {}, {"text": "약 먹기"}),
        ("ko", "알람 꺼줘", {}, {}, {"action": "delete", "text": ""}),
        ("en", "Wake me up at 3pm tomorrow morning", day("tomorrow") | clock("3pm", "15:00"), {}, AT3 | {"text": ""}),
        ("ja", "明日の午後3時にアラームを鳴らして", day("明日") | clock("午後3時", "15:00"), {}, AT3 | {"text": ""}),
        ("en", "remind me to drink water every Monday at 9am", rule("every Monday") | clock("9am", "09:00"), {},
         TOMORROW | {"time": "09:00", "recurrence": MONDAYS, "text": "drink water"}),
        ("en", "and remind me 30 minutes before", span("30 minutes", 30), BEFORE, EARLIER | {"text": "치과 예약"}),
        ("en", "Remind me in 30 minutes to call Kim", span("30 minutes", 30), {},
         {"date": "2026-11-22", "time": "13:30", "text": "call Kim"}),
        ("en", "set a reminder for the dentist tomorrow at 3pm", day("tomorrow") | clock("3pm", "15:00"), {},
         AT3 | {"text": "dentist"}),
        ("en", "show my reminders", {}, {}, {"action": "list"}),
        ("en", "cancel the reminder to drink water", {}, {}, {"action": "delete", "text": "drink water"}),
        ("ja", "明日の午後3時に薬を飲むようにリマインドして", day("明日") | clock("午後3時", "15:00"), {}, AT3 | {"text": "薬を飲む"}),
        ("ja", "30分前に教えて", span("30分", 30), BEFORE, EARLIER | {"text": "치과 예약"}),
        ("ja", "毎週月曜の朝9時に水を飲むことを通知して", rule("毎週月曜") | clock("朝9時", "09:00"), {},
         TOMORROW | {"time": "09:00", "recurrence": MONDAYS, "text": "水を飲む"}),
        ("ja", "リマインダーの一覧を見せて", {}, {}, {"action": "list"}),
    ],
)  # fmt: skip
def test_a_reminder_is_at_its_own_time_or_so_long_before_what_was_just_spoken_of(language, text, found, known, slots):
    assert read_reminder(clause(text, language, found, **known)) == (slots,)


@pytest.mark.parametrize(
    ("language", "text", "found", "slots"),
    [
        ("ko", "할 일에 우유 사기 추가해줘", {}, {"title": "우유 사기"}),
        ("ko", "내일까지 보고서 쓰기를 할 일 목록에 넣어 줄래?", day(), TOMORROW | {"title": "보고서 쓰기"}),
        ("ko", "할 일 목록 보여줘", {}, {"action": "list"}),
        ("ko", "우유 사기 완료했어", {}, {"action": "complete", "title": "우유 사기"}),
        ("ko", "할 일에서 우유 사기 지워 줘", {}, {"action": "complete", "title": "우유 사기"}),
        ("en", "could you add put the bins out to my to-do list", {}, {"title": "put the bins out"}),
        ("en", "add a task: call Kim by tomorrow", day("tomorrow"), TOMORROW | {"title": "call Kim"}),
        ("en", "what's on my todo list?", {}, {"action": "list"}),
        ("en", "mark buy milk as done", {}, {"action": "complete", "title": "buy milk"}),
        ("en", "check buy milk off my list", {}, {"action": "complete", "title": "buy milk"}),
        ("en", "take the ironing off the list", {}, {"action": "complete", "title": "ironing"}),
        ("en", "bought the stamps", {}, {"action": "complete", "title": "stamps"}),
        ("en", "scrap the ironing", {}, {"action": "complete", "title": "ironing"}),
        ("en", "yes delete it", {}, {"action": "complete"}),
        ("ko", "우체국은 목록에서 빼줘", {}, {"action": "complete", "title": "우체국"}),
        ("ko", "다림질 끝", {}, {"action": "complete", "title": "다림질"}),
        ("ko", "어 지워", {}, {"action": "complete"}),
        ("ja", "切手を買うも消して", {}, {"action": "complete", "title": "切手を買う"}),
        ("ja", "タスクに牛乳を買うを追加して", {}, {"title": "牛乳を買う"}),
        ("ja", "やることリストを見せて", {}, {"action": "list"}),
        ("ja", "牛乳を買うのは終わった", {}, {"action": "complete", "title": "牛乳を買う"}),
    ],
)
def test_something_to_do_is_put_on_the_list_listed_or_ticked_off(language, text, found, slots):
    assert read_todo(clause(text, language, found)) == (slots,)


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("en", "One more for my to-do list: return the library books", "return the library books"),
        ("ko", "할 일 하나 더: 세탁물 찾기", "세탁물 찾기"),
        ("ja", "やることリストにもう一つ：本を返す", "本を返す"),
    ],
)
def test_what_stands_behind_the_name_of_the_list_goes_on_it(language: str, text: str, title: str) -> None:
    assert plainly(read_todo, language, text) == [{"title": title}]


def test_an_answer_to_a_question_says_what_was_asked_for_and_changes_nothing_else():
    known = {"slots": {"title": "치과 예약", "date": "2026-11-23"}, "expecting": ("time",)}
    assert read_calendar(clause("음 오후 3시쯤", "ko", clock("오후 3시", "15:00"), **known)) == ({"time": "15:00"},)
    asked = {"slots": {"time": "15:00", "date": "2026-11-23"}, "expecting": ("text",)}
    assert read_reminder(clause("약 먹으라고", "ko", {}, **asked)) == ({"text": "약 먹기"},)


@pytest.mark.parametrize("read", [read_calendar, read_todo, read_memory, read_reminder])
@pytest.mark.parametrize("text", ["", "?!", "(((", "…", "ㅋㅋㅋ", "a" * 5000, "[" * 500, "해 줘 " * 300])
def test_odd_text_is_read_without_harm(read, text):
    for language in ("ko", "en", "ja", "fr"):
        for slots in read(clause(text, language, {})):
            assert all(len(str(value)) <= 1000 for value in slots.values())


def plainly(reader: Any, language: str, text: str, **known: Any) -> list[dict[str, Any]]:
    return [dict(slots) for slots in reader(clause(text, language, {}, **known))]


@pytest.mark.parametrize(
    ("language", "text", "titles"),
    [
        ("ko", "할 일에 이불 빨기랑 창문 닦기 넣어줘", ["이불 빨기", "창문 닦기"]),
        ("ko", "할 일에 우표 사기하고 소포 부치기 추가해줘", ["우표 사기", "소포 부치기"]),
        ("ko", "할 일에 민수랑 청소하기 넣어줘", ["민수랑 청소하기"]),
        ("ja", "あと封筒を買うも", ["封筒を買う"]),
        ("en", "Please add three chores: water the ferns, mend the gate", ["water the ferns", "mend the gate"]),
    ],
)
def test_things_to_do_that_are_tied_are_each_put_in(language: str, text: str, titles: list[str]) -> None:
    assert [slots["title"] for slots in plainly(read_todo, language, text)] == titles


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("We've renewed the car insurance, tick that off", "car insurance"),
        ("I watered the ferns, check it off", "ferns"),
        ("I paid the rent, check it off the list", "rent"),
        ("can you check off the milk", "the milk"),
    ],
)
def test_what_somebody_did_is_ticked_off_by_its_name(text: str, title: str) -> None:
    assert plainly(read_todo, "en", text) == [{"action": "complete", "title": title}]


@pytest.mark.parametrize(
    ("language", "text", "about"),
    [
        ("ja", "倉庫の鍵、どこだっけ?", "倉庫の鍵"),
        ("ko", "창고 자물쇠, 몇 번이더라?", "창고 자물쇠"),
        ("en", "the shed padlock, which number was it?", "shed padlock"),
        ("ja", "ええと、倉庫の鍵はどこだっけ", "倉庫の鍵"),
    ],
)
def test_a_question_in_two_parts_is_about_what_the_first_names(language: str, text: str, about: str) -> None:
    assert plainly(read_memory, language, text) == [{"action": "recall", "text": about}]


def test_why_it_is_told_is_no_part_of_a_fact() -> None:
    assert plainly(read_memory, "ja", "倉庫の鍵は7031だから覚えておいてね") == [{"text": "倉庫の鍵は7031"}]


@pytest.mark.parametrize(
    ("text", "about"), [("우유 사라는 알림도 하나 더", "우유 사기"), ("세금 내라고 알림도 하나 걸어줘", "세금 내기")]
)
def test_what_a_reminder_is_to_say_stands_alone(text: str, about: str) -> None:
    said = f"내일 3시에 {text}"
    (slots,) = read_reminder(clause(said, "ko", day() | clock("3시", "15:00")))
    assert slots["text"] == about


@pytest.mark.parametrize(
    ("language", "text"), [("ko", "창고 비밀번호가 바뀌었어요."), ("ja", "倉庫の番号が変わりました。")]
)
def test_that_something_is_another_now_is_no_fact_without_what_it_is(language: str, text: str) -> None:
    assert plainly(read_memory, language, text) == []


def test_what_it_is_now_is_in_the_next_sentence() -> None:
    assert plainly(read_memory, "ko", "창고 비밀번호가 바뀌었어. 이제 7720이라고 외워둬") == [
        {"action": "change", "text": "창고 비밀번호", "value": "7720"}
    ]


def test_a_time_and_a_name_before_the_word_for_appointments_are_one():
    found = day() | clock("저녁 7시", "19:00")
    assert read_calendar(clause("내일 저녁 7시 동생이랑 밥 약속", "ko", found)) == (
        {"date": "2026-11-23", "time": "19:00", "title": "동생이랑 밥 약속"},
    )
    assert read_calendar(clause("내일 저녁 7시 약속", "ko", found))[0]["action"] == "list"


def test_politeness_is_no_part_of_a_name():
    for text in ("Would you kindly enter my hearing test for 내일", "Be so kind as to put my hearing test in for 내일"):
        assert read_calendar(clause(text, "en", day()))[0]["title"] == "hearing test"


def test_a_stem_that_ends_like_a_particle_stays_whole():
    assert read_reminder(clause("내일 국 끓이라고 알려줘", "ko", day()))[0]["text"] == "국 끓이기"
