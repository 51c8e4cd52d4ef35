"""What is to be done with what is there, as the readers of pack assistant read it from whole clauses."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.shape import JsonObject
from packs.assistant import corrected, facts
from packs.assistant.finding import best, near
from packs.assistant.reading import read_calendar, read_memory, read_reminder, read_todo
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))


def read(reader: Any, language: str, text: str, **known: Any) -> JsonObject:
    (slots,) = reader(clause_of(text, NOW, language)._replace(**known))
    return dict(slots)


class Named:
    def __init__(self, title: str) -> None:
        self.title = title


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "정기 점검을 모레로 당겨줘", {"title": "정기 점검", "new_date": "2026-11-24"}),
        ("ko", "10시 조찬을 모레 11시로 옮겨 주세요", {"title": "조찬", "time": "10:00", "new_date": "2026-11-24", "new_time": "11:00", "either": True}),
        ("ko", "사생 대회 40분 늦춰줘", {"title": "사생 대회", "shift": 40}),
        ("ko", "브리핑을 15분 앞당겨", {"title": "브리핑", "shift": -15}),
        ("ko", "강연을 두 시간으로 늘려줘", {"title": "강연", "minutes": 120}),
        ("ko", "강연을 20분 단축해줘", {"title": "강연", "longer": -20}),
        ("ko", "12월 1일 저녁 모임 제목을 동기회로 바꿔줘", {"title": "저녁 모임", "date": "2026-12-01", "new_title": "동기회"}),
        ("ko", "서예 수업을 격주로 반복해줘", {"title": "서예 수업", "recurrence": "FREQ=WEEKLY;INTERVAL=2"}),
        ("en", "Postpone the inspection until Thursday", {"title": "inspection", "new_date": "2026-11-26"}),
        ("en", "shift the 11am tasting to 3:30 pm", {"title": "tasting", "time": "11:00", "new_time": "15:30"}),
        ("en", "bring the rehearsal forward by 20 minutes", {"title": "rehearsal", "shift": -20}),
        ("en", "extend the audit by an hour", {"title": "audit", "longer": 60}),
        ("en", "shorten the audit to 25 minutes", {"title": "audit", "minutes": 25}),
        ("en", "rename the audit to yearly audit", {"title": "audit", "new_title": "yearly audit"}),
        ("ja", "試食会を来週の火曜日にずらして", {"title": "試食会", "new_date": "2026-11-24"}),
        ("ja", "試食会を20分早めて", {"title": "試食会", "shift": -20}),
        # a day from where it stands
        ("ko", "사생 대회는 이튿날 같은 시각으로 미뤄줘", {"title": "사생 대회", "shift": 1440}),
        ("ko", "브리핑을 전날로 당겨줘", {"title": "브리핑", "shift": -1440}),
        ("en", "push the rehearsal to the following day at the same hour", {"title": "rehearsal", "shift": 1440}),
        ("ja", "試食会を次の日の同じ時刻にずらして", {"title": "試食会", "shift": 1440}),
        ("ja", "講演会を30分延長して", {"title": "講演会", "longer": 30}),
        ("ja", "講演会の名前を座談会に変えて", {"title": "講演会", "new_title": "座談会"}),
    ],
)  # fmt: skip
def test_how_an_appointment_shall_become_is_read(language, text, slots):
    assert read(read_calendar, language, text) == {"action": "change"} | slots


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "내일 2시에 가구 옮기기 일정 추가해줘"),
        ("ko", "모레 10시 예산 변경 회의 잡아줘"),
        ("en", "put the office move in my calendar for tomorrow at 2"),
        ("en", "schedule a change board meeting tomorrow at 10"),
        ("ja", "明日の2時に席替えの変更会議の予定を入れて"),
    ],
)
def test_what_is_put_in_may_speak_of_changing(language, text):
    assert "action" not in read(read_calendar, language, text)


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "모레 저녁에 나 여유 있어?", {"date": "2026-11-24", "time": "17:00", "minutes": 360}),
        ("ko", "24일 3시부터 5시까지 비어 있나", {"date": "2026-11-24", "time": "15:00", "minutes": 120}),
        ("en", "am I available on Tuesday afternoon?", {"date": "2026-11-24", "time": "12:00", "minutes": 360}),
        ("en", "could we have tea tomorrow at 4?", {"date": "2026-11-23", "time": "16:00"}),
        ("ja", "火曜日の午前は暇？", {"date": "2026-11-24", "time": "06:00", "minutes": 360}),
        ("ko", "다음 주 중에 한가한 때 있어?", {"date": "2026-11-23", "until": "2026-11-29"}),
    ],
)
def test_a_question_whether_a_time_is_free_puts_nothing_in(language, text, slots):
    assert read(read_calendar, language, text) == {"action": "free"} | slots


@pytest.mark.parametrize(
    ("reader", "language", "text"),
    [
        (read_calendar, "ko", "좀 전에 등록한 거 지워줘"),
        (read_calendar, "en", "remove the event you just created"),
        (read_calendar, "ja", "先ほど登録したのを取り消して"),
        (read_todo, "ko", "방금 적어 둔 할 일 삭제해줘"),
        (read_reminder, "ko", "아까 맞춘 알림 취소"),
        (read_reminder, "en", "cancel the reminder I just set"),
        (read_memory, "ko", "방금 기억한 거 잊어줘"),
    ],
)
def test_what_was_put_in_last_is_meant_by_no_other_name(reader, language, text):
    assert read(reader, language, text) == {"action": "undo"}


def test_what_was_put_in_last_by_another_name_is_not_meant():
    assert read(read_calendar, "ko", "아까 말한 바둑 모임 취소해줘")["action"] == "delete"
    assert read(read_calendar, "en", "cancel the chess evening I just added") == {
        "action": "delete",
        "title": "chess evening",
    }


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "12월 20일부터 22일까지 연수 등록해줘", {"title": "연수", "date": "2026-12-20", "until": "2026-12-22"}),
        ("ko", "이번 주말에 김장 넣어줘", {"title": "김장", "date": "2026-11-22"}),
        ("ko", "다음 주말에 김장 넣어줘", {"title": "김장", "date": "2026-11-28", "until": "2026-11-29"}),
        ("en", "add a tasting with Noor on Monday from 4 to 6", {"title": "tasting with Noor", "date": "2026-11-23", "time": "16:00", "minutes": 120}),
        ("en", "put sailing in my calendar from June 3 to 5", {"title": "sailing", "date": "2027-06-03", "until": "2027-06-05"}),
        ("ja", "12月20日から22日まで研修の予定を入れて", {"title": "研修", "date": "2026-12-20", "until": "2026-12-22"}),
    ],
)  # fmt: skip
def test_days_and_hours_are_no_part_of_the_title(language, text, slots):
    assert read(read_calendar, language, text) == slots


def test_a_week_is_no_day_to_put_something_in():
    assert read(read_calendar, "ko", "다음 주에 야유회 넣어줘") == {"title": "야유회"}


@pytest.mark.parametrize(("language", "text"), [("ko", "내일 회의록을 제본해"), ("ja", "明日の歯ブラシを磨いて")])
def test_a_deed_that_nobody_knows_is_no_title(language, text):
    slots = read(read_calendar, language, text)
    assert slots["action"] == "unclear"
    assert "title" not in slots


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [("ko", "정형외과 진료가 언제더라", "정형외과 진료"), ("en", "when is the piano recital?", "piano recital"), ("ja", "眼科は何時から？", "眼科")],
)  # fmt: skip
def test_when_something_is_is_looked_for_by_its_name(language, text, title):
    assert read(read_calendar, language, text) == {"action": "list", "title": title}


def test_everything_is_told_without_asking_for_a_day():
    for language, text in (
        ("ko", "잡아 둔 약속 모두 보여줘"),
        ("en", "list all my appointments"),
        ("ja", "予定をすべて見せて"),
    ):
        assert read(read_calendar, language, text) == {
            "action": "list",
            "date": "2026-11-22",
            "until": "2027-11-22",
        }


@pytest.mark.parametrize(
    ("reader", "language", "text"),
    [
        (read_todo, "ko", "투두 목록"),
        (read_todo, "en", "show me my tasks"),
        (read_reminder, "ja", "アラームの一覧を見せて"),
    ],
)
def test_a_list_is_no_thing_to_put_in(reader, language, text):
    assert read(reader, language, text) == {"action": "list"}


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "화분 물 주는 알림을 10시로 바꿔줘", {"action": "change", "text": "화분 물 주는", "new_time": "22:00", "either": True}),
        ("en", "move the ironing reminder to 9 pm", {"action": "change", "text": "ironing", "new_time": "21:00"}),
        ("ko", "내일 9시에 약속 변경하라고 알려줘", {"text": "약속 변경하기", "date": "2026-11-23", "time": "09:00"}),
        ("en", "remind me to cancel the gym tomorrow at 9", {"text": "cancel the gym", "date": "2026-11-23", "time": "09:00"}),
        ("ko", "산책 알림은 이제 그만", {"action": "delete", "text": "산책"}),
    ],
)  # fmt: skip
def test_of_a_reminder_what_is_done_with_it_and_what_it_says_are_told_apart(language, text, slots):
    assert read(read_reminder, language, text) == slots


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "창고 열쇠 번호가 2290으로 바뀌었어", {"text": "창고 열쇠 번호", "value": "2290"}),
        ("ko", "와이파이 비번이 변경됐어. 이제 tulip7이야 기억해", {"text": "와이파이 비번", "value": "tulip7"}),
        ("en", "my badge number is now 771", {"text": "badge number", "value": "771"}),
        ("ja", "鍵の番号は2290に変わりました", {"text": "鍵の番号", "value": "2290"}),
    ],
)
def test_what_has_become_another_and_what_it_is_now_are_read(language, text, slots):
    found = read(read_memory, language, text)
    assert found["action"] == "change"
    assert found["text"] == slots["text"]
    assert str(found["value"]).startswith(slots["value"])


@pytest.mark.parametrize(
    ("language", "before", "text", "kept"),
    [
        ("en", "brunch with Ingrid", "she does not eat fish", "Ingrid does not eat fish"),
        ("ko", "서준이랑 점심", "걔는 새우 못 먹어", "서준는 새우 못 먹어"),
        ("ja", "美咲と昼食", "彼女はえびが苦手", "美咲はえびが苦手"),
        ("en", "dentist", "she does not eat fish", "she does not eat fish"),
    ],
)
def test_whoever_was_named_before_is_kept_with_the_fact(language, before, text, kept):
    assert facts.with_name(text, before, language) == kept


def test_a_fact_is_kept_without_the_words_that_asked_for_it():
    assert read(read_memory, "ko", "금고 번호는 6612라고 외워 두고") == {"text": "금고 번호는 6612"}


def test_the_words_for_any_appointment_tell_no_two_apart():
    there = [Named("사촌 결혼식"), Named("치과 검진"), Named("치과 상담")]
    assert [one.title for one in best(there, "치과 검진 예약")] == ["치과 검진"]
    assert [one.title for one in best(there, "치과")] == ["치과 검진", "치과 상담"]
    assert best(there, "사촌 돌잔치") == []
    dinner = [Named("叔父の退職祝いの夕食"), Named("叔父の見舞い")]
    assert [one.title for one in best(dinner, "叔父の夕食")] == ["叔父の退職祝いの夕食"]
    assert [one.title for one in near(there, "사촌 돌잔치")] == ["사촌 결혼식"]
    assert near(there, "우주 정거장") == []


@pytest.mark.parametrize(
    ("language", "text"), [("ko", "비고는 4월 회비로"), ("en", "folding the laundry"), ("ja", "布団を干した")]
)
def test_a_few_words_that_say_neither_when_nor_what_to_do_are_no_appointment(language, text):
    assert read_calendar(clause_of(text, NOW, language)) == ()
    answered = read_calendar(clause_of(text, NOW, language, ("title",)))
    assert answered[0]["title"]


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("en", "remember the alarm code is blue42! please", "the alarm code is blue42!"),
        ("ja", "金庫の番号はkey77?です。覚えておいて", "金庫の番号はkey77?"),
        ("en", "remember that the gym shuts at nine!", "the gym shuts at nine"),
    ],
)
def test_the_marks_of_a_password_are_part_of_it(language, text, kept):
    assert read(read_memory, language, text)["text"] == kept


@pytest.mark.parametrize(
    ("language", "text", "of", "value"),
    [
        ("ko", "가게 와이파이 비번 shop2025!로 바꿨으니까 기억해줘", "가게 와이파이 비번", "shop2025!"),
        ("ko", "고양이 사료 로얄캐닌으로 바꿨어 기억해줘", "고양이 사료", "로얄캐닌"),
        ("ko", "어린이집 현관 비밀번호가 7788*로 바뀌었어 기억해줘", "어린이집 현관 비밀번호", "7788*"),
        ("ko", "놀이방이 303호로 바뀌었어 기억해줘", "놀이방", "303호"),
        ("ko", "택배함 비번 1234#로 바꿨어. 기억해줘", "택배함 비번", "1234#"),
        ("en", "the wifi password is now P@ss! remember that", "wifi password", "P@ss!"),
        ("en", "Our gate code changed to ~secret~ please remember it", "gate code", "~secret~"),
        ("ja", "Wi-Fiのパスワードをすいか!99に変えたから覚えて", "Wi-Fiのパスワード", "すいか!99"),
        ("ja", "パスワードは abc123! に変わりました、覚えておいて", "パスワード", "abc123!"),
    ],
)
def test_what_has_become_another_is_kept_with_its_marks_of_the_whole_thing(language, text, of, value):
    assert read(read_memory, language, text) == {"action": "change", "text": of, "value": value}


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("ko", "금고 비번은 abc!@# 기억해줘", "금고 비번은 abc!@#"), ("ko", "사물함 번호는 #42야 기억해줘", "사물함 번호는 #42야"),
        ("en", "remember the wifi password is Hello!World", "the wifi password is Hello!World"),
        ("en", "remember that my blood type is A+", "my blood type is A+"), ("en", "remember the door code is *2580#", "the door code is *2580#"),
        ("ja", "暗証番号は #2580* です。覚えて", "暗証番号は #2580* です"), ("en", "remember that I love Paris!", "I love Paris"),
    ],
)  # fmt: skip
def test_the_marks_of_a_value_end_nothing_and_those_of_a_sentence_do(language, text, kept):
    assert read(read_memory, language, text)["text"] == kept


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "내가 헷갈렸네. 금고 번호는 871이야"),
        ("en", "it changed to 871"),
        ("ja", "勘違いだった。金庫の番号は871"),
    ],
)
def test_who_was_wrong_corrects_what_is_remembered(language, text):
    slots = read(read_memory, language, text)
    assert slots["corrects"] is True
    assert "action" not in slots


def test_the_ending_that_a_figure_decides_makes_no_other_fact_of_it():
    assert facts.replaces("금고 번호는 871이야", "금고 번호는 872야")
    assert not facts.replaces("금고 번호는 871이야", "금고는 3호실에 있어")


@pytest.mark.parametrize(
    ("language", "asked", "note", "other"),
    [
        ("en", "cousin's address", "my uncle's address is 12 Elm Road", True),
        ("ko", "삼촌 주소", "이모 주소는 느릅길 12야", True),
        ("ja", "叔父の住所", "叔母の住所は12番地", True),
        ("en", "address", "my uncle's address is 12 Elm Road", False),
        ("en", "uncle's flat", "my uncle's address is 12 Elm Road", True),
        ("en", "when the pool opens", "the pool opens at nine", False),
    ],
)
def test_a_note_of_the_same_sort_may_be_of_another(language, asked, note, other):
    assert corrected.is_of_another(asked, note, language) is other


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("ja", "さっきの会議は何時だっけ", "会議"),
        ("ja", "先ほど入れた歯医者は何時だっけ", "歯医者"),
        ("ko", "아까 그 치과 몇 시였지?", "치과"),
        ("en", "what time is that dentist appointment again?", "dentist"),
    ],
)
def test_what_was_spoken_of_a_while_ago_is_looked_for_by_its_name(language, text, title):
    slots = read(read_calendar, language, text)
    assert slots["action"] == "list"
    assert str(slots["title"]).startswith(title)


def test_that_it_be_so_is_no_name_of_what_is_changed():
    for text in ("やっぱり16時からにして", "16時にしてください"):
        slots = read_calendar(clause_of(text, NOW, "ja")._replace(last={"action": "add", "title": "会議"}))[0]
        assert (slots["action"], slots["new_time"], slots.get("title")) == ("change", "16:00", None)
