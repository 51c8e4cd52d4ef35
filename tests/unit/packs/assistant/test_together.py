"""Several things in one sentence, who only asks, facts one by one, and what is pointed at, as the readers read them."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from packs.assistant.reading import read_calendar, read_memory, read_reminder, read_todo
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=ZoneInfo("Asia/Seoul"))
YOGA = {"title": "x", "date": "2026-11-26", "time": "15:00"}


def read(reader: Any, language: str, said: str, **last: Any) -> list[dict[str, Any]]:
    return [dict(slots) for slots in reader(clause_of(said, NOW, language)._replace(last=last))]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("ko", "모레 11시 은행이랑 2시 이발 잡아줘", [("은행", "11:00"), ("이발", "14:00")]),
        ("ko", "모레 9시 조례, 1시 점심 모임, 4시 상담 등록해줘",
         [("조례", "09:00"), ("점심 모임", "13:00"), ("상담", "16:00")]),
        ("en", "put rehearsal at 10am and a fitting at 3pm on Wednesday", [("rehearsal", "10:00"), ("fitting", "15:00")]),
        ("en", "at 9am tea with Ann and Bo and at 2pm the bank on Wednesday", [("tea with Ann and Bo", "09:00"), ("bank", "14:00")]),
        ("ja", "明後日の11時に銀行と14時に散歩を入れて", [("銀行", "11:00"), ("散歩", "14:00")]),
    ],
)  # fmt: skip
def test_each_thing_with_a_time_of_its_own_is_one(language, text, found):
    slots = read(read_calendar, language, text)
    assert [(one["title"], one["time"]) for one in slots] == found
    assert {one["date"] for one in slots} == {"2026-11-25"}


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "모레 2시부터 5시까지 대청소 넣어줘"), ("en", "add a picnic on Wednesday from 1pm to 4pm"), ("ja", "明後日の13時から16時まで研修を入れて")],
)  # fmt: skip
def test_from_when_until_when_is_one_thing(language, text):
    assert len(read(read_calendar, language, text)) == 1


@pytest.mark.parametrize(
    ("language", "text", "titles"),
    [
        ("ko", "모레 1시부터 2시까지 치료, 5시부터 6시까지 과외", ["치료", "과외"]),
        ("en", "put training from 1 to 2, and a viewing from 5 to 6 on Wednesday", ["training", "viewing"]),
        ("ja", "明後日13時から14時まで研修、17時から18時まで打ち合わせを入れて", ["研修", "打ち合わせ"]),
    ],
)
def test_each_of_several_may_say_from_when_until_when(language, text, titles):
    slots = read(read_calendar, language, text)
    assert [(one["title"], one["time"], one["minutes"]) for one in slots] == [
        (titles[0], "13:00", 60),
        (titles[1], "17:00", 60),
    ]


@pytest.mark.parametrize(
    ("language", "text", "titles"),
    [
        ("ko", "설거지, 장보기, 분리수거 추가해줘", ["설거지", "장보기", "분리수거"]),
        ("ja", "皿洗い、買い物、掃除を追加して", ["皿洗い", "買い物", "掃除"]),
    ],
)
def test_a_list_of_things_to_do_keeps_each_of_them(language, text, titles):
    assert [one["title"] for one in read(read_todo, language, text)] == titles


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "아니다 그건 리스트에서 지워줘"), ("en", "wait, remove that from the list again"), ("ja", "やっぱりそれはリストから削除して")],
)  # fmt: skip
def test_who_only_points_at_it_names_no_other_thing(language, text):
    assert read(read_todo, language, text) == [{"action": "complete"}]


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [("ko", "그거 말고 화분 물주기 지워줘", "화분 물주기"), ("ja", "それは牛乳だから消して", "牛乳"), ("ja", "領収書の整理も削除して", "領収書の整理"), ("ko", "이불빨래는 그냥 빼줘", "이불빨래")],
)  # fmt: skip
def test_what_is_named_beside_it_is_the_one(language, text, title):
    (slots,) = read(read_todo, language, text)
    assert title in str(slots.get("title"))


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("ko", "내일 3시에 형한테 2만원 보내라고 알림만 해줘. 이체는 하지 마", "형한테 2만원 보내기"),
        ("en", "Don't pay yet, just remind me tomorrow at 3 to pay Hana 20,000 won", "pay Hana 20,000 won"),
        ("ja", "明日の15時に兄へ2万ウォン返すと通知だけして。振り込まないで", "兄へ2万ウォン返す"),
    ],
)
def test_what_is_not_to_be_done_is_no_part_of_a_reminder(language, text, kept):
    (slots,) = read(read_reminder, language, text)
    assert slots["text"] == kept


@pytest.mark.parametrize(
    ("language", "text", "facts"),
    [
        ("ja", "郵便受けは8412で、駐輪場は31番、部屋はD5だよ、覚えて", 3),
        ("en", "Remember my desk is 14, my extension is 772 and my gate is B", 3),
    ],
)
def test_each_of_several_facts_is_kept(language, text, facts):
    assert len(read(read_memory, language, text)) == facts


@pytest.mark.parametrize(
    ("language", "text", "gone", "moved", "time"),
    [
        ("ko", "수영은 취소하고 면담은 7시로 미뤄줘", "수영", "면담", "19:00"),
        ("en", "scrap choir and push the tasting to 4pm", "choir", "tasting", "16:00"),
        ("ja", "水泳は消して、面談は18時に変更して", "水泳", "面談", "18:00"),
    ],
)
def test_what_shall_go_and_what_shall_move_are_told_apart(language, text, gone, moved, time):
    first, second = read(read_calendar, language, text)
    assert (first["action"], first["title"]) == ("delete", gone)
    assert (second["action"], second["title"], second["new_time"]) == ("change", moved, time)


@pytest.mark.parametrize(
    ("language", "text", "time"),
    [("ko", "그럼 6시는?", "18:00"), ("en", "how about 7?", "19:00"), ("en", "what about 10?", "10:00"), ("ja", "じゃあ午後4時は？", "16:00")],
)  # fmt: skip
def test_who_asks_for_another_hour_moves_nothing(language, text, time):
    (slots,) = read(read_calendar, language, text, **YOGA)
    assert slots == {"action": "free", "date": "2026-11-26", "time": time}


def test_the_hour_of_a_day_that_was_asked_about_needs_no_word_for_it():
    (slots,) = read(read_calendar, "en", "nice, put the tailor in for 4", action="free", date="2026-12-18")
    assert (slots["title"], slots["date"], slots["time"]) == ("tailor", "2026-12-18", "16:00")


@pytest.mark.parametrize(
    ("language", "text"), [("ko", "아 4시다"), ("ko", "3시 반이네요"), ("ja", "ごめん、17時だった"), ("en", "oh, 4pm")]
)
def test_a_time_alone_changes_what_was_done_last(language, text):
    (slots,) = read(read_calendar, language, text, **YOGA)
    assert slots["action"] == "change" and slots["new_time"] and "title" not in slots


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "다른 건 9시로"), ("ko", "세 번째 거 9시로 옮겨줘"), ("en", "move the third one to 9pm"),
     ("en", "and the other one to 9pm"), ("ja", "もう片方は21時にして"), ("ja", "三つ目のを21時に変更して")],
)  # fmt: skip
def test_what_is_only_pointed_at_has_no_name(language, text):
    (slots,) = read(read_calendar, language, text, **YOGA)
    assert (slots["action"], slots["new_time"], slots["said"]) == ("change", "21:00", text)
    assert "title" not in slots


@pytest.mark.parametrize(
    ("language", "text", "facts"),
    [
        ("ko", "내 모자는 58이고 장갑은 M이야 기억해줘", ["내 모자는 58", "장갑은 M이야"]),
        ("ko", "누나는 회를 안 먹고 매형은 술을 못 마셔 외워둬", ["누나는 회를 안 먹고", "매형은 술을 못 마셔"]),
        ("en", "remember my hat is a 58 and my brother's called Leo", ["my hat is a 58", "my brother's called Leo"]),
        ("en", "keep in mind Ann and Bo live at 12 Mill Road", ["Ann and Bo live at 12 Mill Road"]),
        ("en", "remember the nurse is kind and is always early", ["the nurse is kind and is always early"]),
        ("ja", "帽子は58で、手袋はMだと覚えておいて", ["帽子は58", "手袋はM"]),
        # of whom they speak is named once, and no fact is kept without it
        ("en", "remember Emil works nights and he can't eat rye", ["Emil works nights", "Emil can't eat rye"]),
        (
            "en",
            "keep in mind Priya's desk is 14 and she is left-handed",
            ["Priya's desk is 14", "Priya is left-handed"],
        ),
        ("en", "remember the cook is Ann and she is deaf", ["the cook is Ann", "she is deaf"]),
        (
            "ko",
            "서연이는 3월생이고 걔는 우유 알레르기가 있어 외워둬",
            ["서연이는 3월생", "서연이는 우유 알레르기가 있어"],
        ),
        (
            "ko",
            "도윤이 생일은 7월 2일이고 복숭아 알레르기가 있어 기억해줘",
            ["도윤이 생일은 7월 2일이고 복숭아 알레르기가 있어"],
        ),
        ("ja", "ミラの部屋は204で、彼女はそばアレルギーだと覚えておいて", ["ミラの部屋は204", "ミラはそばアレルギー"]),
    ],
)
def test_facts_that_are_told_in_one_breath_are_kept_one_by_one(language, text, facts):
    assert [one["text"] for one in read(read_memory, language, text)] == facts


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("ko", "사물함이 27번인데 좀 기억해주실 수 있을까요?", "27번"),
        ("ja", "診察券の番号、3381なんですけど覚えてもらえませんか？", "3381"),
        ("en", "could you keep in mind that the club costs 30,000 won?", "30,000"),
        ("ko", "글고 처남은 우유 못 마셔 이것도 기억", "처남은 우유 못 마셔"),
    ],
)
def test_a_polite_order_to_remember_is_no_question(language, text, kept):
    (slots,) = read(read_memory, language, text)
    assert "action" not in slots and kept in slots["text"]


@pytest.mark.parametrize(
    ("language", "text", "last"),
    [
        ("en", "and the attic?", {"text": "x"}),
        ("en", "do you remember my shirt size?", {}),
        ("ko", "내 사물함 번호 기억해?", {}),
        ("ko", "내가 기억하라고 한 번호 뭐였지", {}),
        ("ja", "覚えておいてって言った番号、何だっけ", {}),
    ],
)
def test_who_asks_for_what_is_remembered_is_not_kept(language, text, last):
    (slots,) = read(read_memory, language, text, **last)
    assert slots["action"] == "recall"


@pytest.mark.parametrize(("language", "text"), [("ko", "응 그래"), ("ja", "うん"), ("en", "ok thanks")])
def test_what_says_nothing_is_not_remembered(language, text):
    assert read(read_memory, language, text, text="x") == []


def test_a_title_in_quotation_marks_is_no_place_and_loses_no_letter():
    (slots,) = read(read_calendar, "ja", "12月6日の10時に「遠足」で予定に入れて")
    assert (slots["title"], "place" in slots) == ("遠足", False)
    (slots,) = read(read_calendar, "ko", "12월 6일 10시에 '가을 소풍'으로 넣어줘")
    assert slots["title"] == "가을 소풍"


def test_what_is_done_may_begin_like_a_change():
    (slots,) = read(read_todo, "en", "done with call the vet")
    assert slots["action"] == "complete" and "vet" in slots["title"]


def test_a_reminder_that_is_not_needed_any_more_goes_and_what_is_not_needed_may_be_its_text():
    (slots,) = read(read_reminder, "en", "I don't need the tablets one any longer", text="take tablets", time="08:00")
    assert (slots["action"], slots["text"]) == ("delete", "tablets")
    (slots,) = read(read_reminder, "en", "remind me tomorrow at 5pm that I don't need bread")
    assert (slots.get("action"), slots["text"]) == (None, "I don't need bread")


def test_who_asks_whether_something_may_be_done_puts_nothing_in():
    (slots,) = read(read_calendar, "en", "could I do a run at 3pm on Friday")
    assert slots["action"] in ("list", "free")


@pytest.mark.parametrize(
    ("language", "text", "asked"),
    [
        ("ko", "사물함 번호 까먹었어", "사물함 번호"), ("ko", "차 댄 데가 기억이 안 나", "차 댄 데"),
        ("en", "I forgot the locker code", "locker code"), ("en", "our alarm code slipped my mind", "alarm code"),
        ("ja", "ロッカーの番号を忘れちゃった", "ロッカーの番号"), ("ja", "倉庫の鍵の場所が思い出せない", "倉庫の鍵の場所"),
    ],
)  # fmt: skip
def test_who_has_forgotten_something_wants_to_hear_it_and_nothing_is_taken_out(language, text, asked):
    assert read(read_memory, language, text) == [{"action": "recall", "text": asked}]


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "사물함 번호는 잊어버려"), ("en", "forget the locker code"), ("ja", "ロッカーの番号は忘れて")],
)
def test_what_is_to_be_forgotten_is(language, text):
    (slots,) = read(read_memory, language, text)
    assert slots["action"] == "forget"
