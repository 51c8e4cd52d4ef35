"""Which sentences want a booked transfer called off, and which one is meant: what is only told, asked or forbidden, and
what is booked elsewhere, is none."""

import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import FlowAct
from contracts.reading import Checking, NothingToDo, SlotRefused
from contracts.shape import JsonObject
from packs.transfer import calling_off
from packs.transfer.calling_off import NO_SUCH, NONE, WHICH, Booking
from tests.unit.packs.transfer.dialogues import flow_called
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 20, 9, tzinfo=ZoneInfo("Asia/Seoul"))
MOM = Booking(
    {"ko": "엄마", "en": "Mom", "ja": "お母さん"}, ["엄마", "어머니", "Mom", "お母さん", "母"], 70_000, "2026-12-01"
)
DAD = Booking({"ko": "아빠", "en": "Dad", "ja": "お父さん"}, ["아빠", "Dad", "お父さん", "父"], 30_000, "2026-12-05")
OTHERS = ["민수", "Minsu", "ミンス"]
FORBIDDEN = [
    ("ko", "예약한 이체 보여줘"), ("ko", "예약한 이체 취소하지 마"), ("ko", "예약한 이체 취소됐어?"),
    ("ko", "미용실 예약 취소해줘"), ("ko", "내일 병원 예약 취소하고 엄마한테 만원 보내줘"), ("ko", "송금 알림 취소해줘"), ("ko", "엄마한테 이체하라는 알림 취소해줘"),
    ("en", "show the scheduled transfers"), ("en", "don't cancel the scheduled transfer"),
    ("en", "was the scheduled transfer cancelled?"), ("en", "cancel my dentist appointment booked for tomorrow"),
    ("en", "cancel the reminder about the transfer"), ("ja", "予約した送金を見せて"), ("ja", "予約した送金をキャンセルしないで"),
    ("ja", "美容院の予約をキャンセルして"), ("ja", "送金のリマインダーをキャンセルして"),
]  # fmt: skip


def read(language: str, text: str, *booked: Booking, **more: Any) -> list[JsonObject]:
    known = {
        "booking": [json.dumps(one._asdict()) for one in booked],
        "target": [*(name for one in (MOM, DAD) for name in one.names), *OTHERS],
    }
    return list(calling_off.read(clause_of(text, NOW, language)._replace(known=known, **more)))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "예약한 이체 취소해줘"), ("ko", "예약 걸어 둔 송금은 없던 일로 해 줄래?"), ("ko", "그 예약 이체 철회할게"),
        ("en", "cancel the scheduled transfer"), ("en", "please call the booked payment off"),
        ("ja", "予約した送金をキャンセルして"), ("ja", "予約の振込を取り消してください"),
    ],
)  # fmt: skip
def test_the_only_one_is_meant_and_of_several_is_asked(language: str, text: str) -> None:
    assert read(language, text, MOM) == [MOM.task(language)]
    assert read(language, text, MOM, DAD) == [{"target": f"{WHICH}{language}"}]
    assert read(language, text) == [{"target": NONE}]


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("ko", "아빠한테 예약한 거 취소해줘", [DAD]), ("ko", "12월 5일에 나갈 이체 취소", [DAD]),
        ("ko", "7만원 예약 이체 취소할게", [MOM]), ("ko", "예약 이체 전부 취소해줘", [MOM, DAD]),
        ("ko", "예약 다 취소해줘", [MOM, DAD]), ("ja", "予約ぜんぶ取り消して", [MOM, DAD]), ("en", "cancel all the scheduled ones", [MOM, DAD]),
        ("en", "I would rather keep my money after all. Cancel both of those transfers", [MOM, DAD]),
        ("en", "cancel the scheduled transfer to Dad", [DAD]), ("en", "cancel both scheduled transfers", [MOM, DAD]),
        ("ja", "お父さんへの予約送金を取り消して", [DAD]), ("ja", "予約した送金を全部キャンセルして", [MOM, DAD]),
    ],
)  # fmt: skip
def test_payee_sum_or_day_say_which(language: str, text: str, meant: list[Booking]) -> None:
    assert read(language, text, MOM, DAD) == [one.task(language) for one in meant]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "민수한테 예약한 이체 취소해줘"),
        ("en", "cancel the scheduled transfer to Minsu"),
        ("ja", "ミンスへの予約送金を取り消して"),
    ],
)
def test_of_somebody_for_whom_nothing_is_booked_none_is_meant(language: str, text: str) -> None:
    assert read(language, text, MOM) == [{"target": f"{NO_SUCH}{language}"}]


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("ko", "이체 취소해줘", None), ("ko", "아빠한테 보내는 송금 취소해줘", DAD), ("ko", "아빠한테 가는 이체도 제발 좀 물러줄 수 있어?", DAD), ("en", "cancel the transfer", None),
        ("en", "call off the transfer to dad", DAD), ("ja", "送金をキャンセルして", None), ("ja", "お父さんへの送金を取り消して", DAD),
        ("ko", "아빠꺼만 취소해줘", DAD), ("ko", "아빠껀 취소하고 12월 1일 날씨 알려줘", DAD), ("ko", "3만원짜리 취소하자", DAD), ("ko", "3만원 그건 안 보내도 될 것 같아요 빼주세요", DAD),
        ("ja", "やっぱお父さんへの振込なしにしといて", DAD), ("ja", "3万の方キャンセルして", DAD), ("en", "cancel dad's one", DAD),
        ("en", "scrap the one for dad", DAD), ("ja", "お父さんの分だけキャンセルして", DAD),
    ],
)  # fmt: skip
def test_without_a_word_for_bookings_it_is_one_only_where_nothing_else_waits(
    language: str, text: str, meant: Booking | None
) -> None:
    wanted = meant.task(language) if meant else {"target": f"{WHICH}{language}"}
    assert read(language, text, MOM, DAD) == [wanted]
    assert read(language, text, MOM, DAD, before={"target": "x"}) == []
    assert read(language, text) == []


def test_what_waits_for_a_word_is_the_booking_where_it_is_the_only_one() -> None:
    assert read("ko", "예약한 거 취소해줘", before={"target": "엄마"}) == [{"target": NONE}]
    assert read("ko", "예약한 거 취소해줘", MOM, before={"target": "엄마"}) == [MOM.task("ko")]
    for text in ("예약한 거 취소해줘", "이체 예약 취소해줘"):
        assert read("ko", text, before={"target": "엄마", "date": "2026-12-09"}) == []


@pytest.mark.parametrize(("language", "text"), FORBIDDEN)
def test_other_sentences_are_none(language: str, text: str) -> None:
    assert read(language, text, MOM, DAD) == []


@pytest.mark.parametrize(
    ("language", "just", "pointed"),
    [
        ("ko", "방금 보낸 거 취소해줘", "취소해줘"), ("en", "cancel the transfer I just made", "cancel it"),
        ("ja", "さっき送ったのを取り消して", "それキャンセルして"),
    ],
)  # fmt: skip
def test_what_was_just_done_is_meant_if_it_is_booked_and_nothing_else_waits(
    language: str, just: str, pointed: str
) -> None:
    done, gone = MOM.task(language), {"target": MOM.labels[language], "amount": 70_000}
    for text in (just, pointed):
        assert read(language, text, DAD, MOM, done=done) == [done]
        assert read(language, text, DAD, MOM, done=gone) == [], "it went out at once"
    assert read(language, pointed, MOM, done=done, before={"target": "x"}) == [], "that is what waits for a word"
    assert read(language, just, MOM, done=done, before={"target": "x"}) == [done]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "집주인한테 월세 70만원 25일에 보내줘"), ("ko", "엄마한테 만원 보내줘"), ("en", "send mom 10,000 won"),
        ("ja", "お母さんに1万ウォン送って"), ("ko", "오늘 엄마 생신인데 선물 뭐가 좋을까"),
    ],
)  # fmt: skip
def test_another_request_is_no_answer_to_the_question_which_one(language: str, text: str) -> None:
    assert read(language, text, MOM, DAD, expecting=("target",)) == []


def test_who_waits_for_a_word_is_not_among_the_bookings() -> None:
    told = {"before": {"target": "아빠", "amount": 30_000}, "done": MOM.task("ko")}
    assert read("ko", "아빠한테 보낸 거 취소해줘", MOM, **told) == []
    assert read("ko", "엄마한테 예약한 거 취소해줘", MOM, **told) == [MOM.task("ko")]


def test_all_of_them_are_those_that_are_not_shown_yet() -> None:
    assert read("en", "cancel both", MOM, DAD, slots=MOM.task("en")) == [DAD.task("en")]


@pytest.mark.parametrize(
    ("text", "meant"), [("2", DAD), ("두 번째 거", DAD), ("엄마 거", MOM), ("3만원짜리", DAD), ("12월 1일 거", MOM)]
)
def test_a_question_is_answered_by_place_payee_sum_or_day(text: str, meant: Booking) -> None:
    assert read("ko", text, MOM, DAD, expecting=("target",)) == [meant.task("ko")]


def test_what_was_booked_for_today_or_earlier_is_no_booking_any_more() -> None:
    assert read("ko", "예약한 이체 취소해줘", MOM._replace(date="2026-11-20")) == [{"target": NONE}]


def test_a_question_shows_what_there_is_and_nothing_is_told_as_nothing() -> None:
    facts: JsonObject = {"bookings": [json.loads(json.dumps(one._asdict())) for one in (MOM, DAD)]}
    on = Checking({}, facts, NOW.date())
    assert calling_off.target("엄마", on) == "엄마"
    with pytest.raises(SlotRefused) as which:
        calling_off.target(f"{WHICH}ko", on)
    assert which.value.values == {"count": 2, "choices": "1. 12월 1일 엄마 7만원, 2. 12월 5일 아빠 3만원"}
    for nothing in (NONE, f"{NO_SUCH}ko"):
        with pytest.raises(NothingToDo):
            calling_off.target(nothing, on)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("응", FlowAct.CONFIRM), ("취소해줘", FlowAct.CONFIRM), ("네 취소해 주세요", FlowAct.CONFIRM),
        ("cancel it", FlowAct.CONFIRM), ("キャンセルして", FlowAct.CONFIRM), ("취소?", None), ("잠깐", None),
        ("취소하지 마", FlowAct.CANCEL), ("그대로 둬", FlowAct.CANCEL), ("don't cancel it", FlowAct.CANCEL),
        ("keep it", FlowAct.CANCEL), ("そのままで", FlowAct.CANCEL), ("아니", FlowAct.CANCEL),
    ],
)  # fmt: skip
def test_its_own_verb_says_yes_to_the_question_whether_to_cancel(text: str, act: FlowAct | None) -> None:
    assert flow_called("unbook").word(text) is act
