"""A question is held against what was read of it: who comes again, pieces that are left, money beside pieces, what goes
up or down, bounds in everyday words. What the request does not show is asked about."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

Ask = Callable[..., dict[str, Any]]
PEOPLE = ("한지우", "오세라", "민도현", "배수아", "양태경", "석나림")
TABLES = {
    "choir.csv": (
        "날짜,파트,이름,출결,늦은 시간(분),점수",
        [
            f"2026-0{7 + at // 24}-{1 + at % 24:02},{('소프라노', '알토')[at % 2]},{PEOPLE[at % 6]},"
            f"{'결석' if at % 6 == 1 and at < 30 else '지각' if at % 8 == 3 else '출석'},{at % 8 * 3},{41 + at % 24 * 2}"
            for at in range(48)
        ],
    ),
    "kiosk.csv": (
        "일자,메뉴,수량,금액,결제",
        [
            f"2026-0{6 + at // 20}-{1 + at % 20:02},{('호떡', '어묵', '식혜')[at % 3]},{1 + at % 3},{(1 + at % 3) * 1500},"
            f"{('카드', '현금')[at % 5 == 0]}"
            for at in range(60)
        ],
    ),
    "棚卸し.csv": (
        "品番,品名,区分,置き場,在庫数,単価,納入元",
        [
            f"K-{at:03},部品{at},{('ねじ', '板')[at % 2]},{('北棟', '南棟')[at % 3 == 0]},{at * 7 % 31},{10 + at % 9},"
            f"{('森金物', '谷商店')[at % 4 == 0]}"
            for at in range(40)
        ],
    ),
    "lessons.csv": (
        "Date,Pupil,Skill,Booked through,Room,Fee",
        [
            f"2026-0{3 + at // 20}-{1 + at % 20:02},{('Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo')[at % 6 if at < 36 else 0]},"
            f"{('Crawl', 'Diving')[at % 2]},{('Web', 'Desk', 'Web')[at % 3]},{('Pool 1', 'Pool 2')[at % 2]},{20 + at % 9}"
            for at in range(60)
        ],
    ),
}


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    def call(file: str, question: str, *before: str) -> dict[str, Any]:
        heads, rows = TABLES[file]
        ctx.language = {"棚卸し.csv": "ja", "lessons.csv": "en"}.get(file, "ko")
        ctx.upload("\n".join([heads, *rows]).encode(), file)
        return run("ask", question=question, **({"before": [{"question": one} for one in before]} if before else {}))

    return call


@pytest.mark.parametrize(
    ("file", "question", "before", "figures"),
    [
        ("choir.csv", "결석한 단원은 몇 명이야?", (), {5.0, 1.0}),  # one of them, five times
        ("choir.csv", "중복 빼고 모두 몇 명이야?", (), {6.0}),
        ("choir.csv", "점수가 60점도 안 되는 건 몇 건이야?", (), {20.0}),
        ("choir.csv", "80점을 넘지 못한 건?", ("점수가 50점 이하인 건 몇 건이야?",), {40.0}),
        ("kiosk.csv", "호떡 몇 개 나갔고 얼마어치야?", (), {20.0, 30000.0}),
        ("kiosk.csv", "현금은 판매 건수의 몇 퍼센트야?", (), {20.0}),
        ("kiosk.csv", "한 번에 4500원 이상 결제한 건 몇 건이야?", (), {20.0}),
        ("棚卸し.csv", "北棟のねじはあと何個残っていますか？", (), {228.0}),
        ("棚卸し.csv", "在庫を金額にすると合計いくらですか（在庫数×単価）", (), {8632.0}),
        ("lessons.csv", "How many pupils took diving?", (), {30.0, 4.0}),
        ("lessons.csv", "How many pupils had at least 7 lessons?", (), {30.0}),
    ],
)
def test_what_is_meant_is_counted(
    ask: Ask, file: str, question: str, before: tuple[str, ...], figures: set[float]
) -> None:
    told = ask(file, question, *before)

    assert told["answered"], told["summary"]
    assert figures <= {float(cell) for row in told["table"]["rows"] for cell in row if isinstance(cell, int | float)}


def test_who_they_are_is_told_of_those_that_were_counted(ask: Ask) -> None:
    told = ask("choir.csv", "누구야?", "결석한 단원은 몇 명이야?")

    assert [row[0] for row in told["table"]["rows"]] == ["오세라"]


def test_so_many_of_the_most_are_told_of_the_groups_before(ask: Ask) -> None:
    told = ask("kiosk.csv", "상위 2개만", "제일 많이 팔린 메뉴는?")

    assert [row[0] for row in told["table"]["rows"]] == ["식혜", "어묵"]


def test_whether_something_goes_up_is_told_of_all_times(ask: Ask) -> None:
    told = ask("lessons.csv", "Has the income gone up or down?")

    assert [row[0] for row in told["table"]["rows"]] == ["2026-03", "2026-04", "2026-05"]


@pytest.mark.parametrize(
    ("file", "question"),
    [
        ("kiosk.csv", "매출이 줄고 있는 메뉴는?"),  # since when nobody knows
        ("lessons.csv", "Has the sauna income gone up or down?"),
        ("choir.csv", "평균 몇 곡이나 불러?"),
    ],
)
def test_what_nothing_shows_is_asked_about(ask: Ask, file: str, question: str) -> None:
    told = ask(file, question)

    assert not told["answered"], told["summary"]


def test_the_first_day_is_how_far_back_it_goes(ask: Ask) -> None:
    told = ask("lessons.csv", "How far back does this list go?")

    assert "2026-03-01" in str(told["table"]["rows"])
