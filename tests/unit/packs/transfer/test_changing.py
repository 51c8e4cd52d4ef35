"""Which sentences want a booked transfer otherwise, and how it is to be."""

import json
from datetime import date
from typing import Any

import pytest

from contracts.cognitive import FlowAct
from contracts.reading import Checking, SlotRefused
from contracts.shape import JsonObject
from packs.transfer import changing
from packs.transfer.calling_off import NO_SUCH, WHICH, Booking
from tests.unit.packs.transfer.dialogues import flow_called
from tests.unit.packs.transfer.test_calling_off import DAD, MOM, NOW, OTHERS
from understanding.offline.tasks import clause_of


def read(language: str, text: str, *booked: Booking, **more: Any) -> list[JsonObject]:
    known = {
        "booking": [json.dumps(one._asdict()) for one in booked],
        "target": [*(name for one in (MOM, DAD) for name in one.names), *OTHERS],
    }
    return list(changing.read(clause_of(text, NOW, language)._replace(known=known, **more)))


@pytest.mark.parametrize(
    ("language", "text", "new"),
    [
        ("ko", "12월 5일 아빠한테 보내는 거 5만원으로 바꿔줘", {"to_amount": 50_000}),
        ("ko", "아빠 예약 토요일로 미뤄줘", {"to_date": "2026-11-21"}),
        ("ko", "아빠꺼 5만원으로 올리고 날짜는 다음주 금요일로 해줘", {"to_amount": 50_000, "to_date": "2026-11-27"}),
        ("en", "change the scheduled transfer to dad to 50,000", {"to_amount": 50_000}),
        ("en", "push the transfer to dad to next Friday", {"to_date": "2026-11-27"}),
        ("en", "make dad's transfer 20000 won", {"to_amount": 20_000}),
        ("ja", "お父さんの予約を5万に変更して", {"to_amount": 50_000}),
        ("ja", "お父さんへの送金を土曜日にずらして", {"to_date": "2026-11-21"}),
    ],
)
def test_what_is_to_be_is_told_from_what_is(language: str, text: str, new: JsonObject) -> None:
    assert read(language, text, MOM, DAD) == [{**DAD.task(language), **new}]


def test_of_several_is_asked_and_the_answer_says_which() -> None:
    assert read("ko", "예약한 이체 내일로 당겨줘", MOM, DAD) == [{"target": f"{WHICH}ko", "to_date": "2026-11-21"}]
    assert read("ko", "아빠 거", MOM, DAD, expecting=("target",)) == [DAD.task("ko")]
    assert read("ko", "집주인한테 월세 70만원 보내줘", MOM, DAD, expecting=("target",)) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "회의 내일로 미뤄줘"), ("ko", "아빠한테 5만원 보내줘"), ("ko", "아빠 이체 알림 내일로 미뤄줘"),
        ("ko", "내일로 미뤄줘"), ("ko", "민수 예약 5만원으로 바꿔줘"), ("ko", "아빠 예약 5만원으로 바꾸지 마"), ("en", "move the meeting to Friday"),
        ("en", "send dad 50,000 won"), ("en", "don't change the transfer to dad to 50,000 won"), ("ja", "会議を明日にずらして"),
        ("ja", "お父さんに5万ウォン送って"),
    ],
)  # fmt: skip
def test_other_sentences_are_none(language: str, text: str) -> None:
    assert [one for one in read(language, text, MOM, DAD) if not str(one["target"]).startswith(NO_SUCH)] == []


def test_a_sum_right_behind_a_booking_is_for_that_one_and_what_waits_for_a_word_comes_first() -> None:
    assert read("ko", "그거 5만원으로 바꿔줘", DAD, MOM, done=MOM.task("ko")) == [
        {**MOM.task("ko"), "to_amount": 50_000}
    ]
    assert read("ko", "그거 5만원으로 바꿔줘", DAD, MOM, done=MOM.task("ko"), before={"target": "x"}) == []
    assert read("ja", "それ土曜にして", DAD, done=DAD.task("ja")) == [{**DAD.task("ja"), "to_date": "2026-11-21"}]
    assert read("en", "actually make it 50,000", DAD, done={"target": "Dad", "amount": 30_000}) == [], "it went out"


def test_what_is_shown_can_be_said_otherwise_and_another_order_is_another_thing() -> None:
    shown = {**MOM.task("ko"), "to_amount": 50_000}
    assert read("ko", "6만원으로", MOM, slots=shown) == [{"to_amount": 60_000}]
    assert read("ko", "아니 토요일로 해줘", MOM, slots=shown) == [{"to_date": "2026-11-21"}]
    assert read("ko", "엄마한테 5만원 보내줘", MOM, slots=shown) == []


@pytest.mark.parametrize(
    ("slot", "value", "key"),
    [
        ("to_amount", 100_001, "amount_over_that_day"), ("to_amount", 70_000, "same"), ("to_date", "2026-11-19", "date_past"),
        ("to_amount", 0, "amount_low"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_before_the_persons_word(slot: str, value: Any, key: str) -> None:
    limits: JsonObject = {"day": 100_000, "balance": 1_000_000, "on": {MOM.date: 70_000}}
    on = Checking(MOM.task("ko"), {"limits": limits}, date(2026, 11, 20))
    with pytest.raises(SlotRefused) as refused:
        getattr(changing, slot)(value, on)
    assert refused.value.key.endswith(f".{key}")
    assert changing.to_amount(100_000, on) == 100_000, "what is booked is given back first"


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("응", FlowAct.CONFIRM), ("바꿔줘", FlowAct.CONFIRM), ("yes, change it", FlowAct.CONFIRM), ("変更してください", FlowAct.CONFIRM),
        ("취소해줘", FlowAct.CANCEL), ("cancel", FlowAct.CANCEL), ("キャンセルして", FlowAct.CANCEL), ("그대로 둬", FlowAct.CANCEL), ("바꿔?", None),
    ],
)  # fmt: skip
def test_cancel_is_no_yes_to_a_change(text: str, act: FlowAct | None) -> None:
    assert flow_called("rebook").word(text) is act


def test_the_question_says_what_is_and_what_is_to_be() -> None:
    said = changing.speak({**MOM.task("ko"), "to_amount": 50_000, "to_date": "2026-12-05"}, "ko")
    assert (said["amount"], said["date"], said["to"]) == ("7만원", "12월 1일", "5만원으로, 12월 5일로")
