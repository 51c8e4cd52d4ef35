"""Nothing is reckoned that is not asked for, or whose figures have nothing to do with it and with each other."""

from collections.abc import Sequence

import pytest

from packs.documents.answering import answered
from packs.documents.formats.pages import Page
from packs.documents.passages import passages
from packs.documents.reckoning import LOOKED_AT, reckonings
from packs.documents.worked_out import formula, reckoned
from understanding.offline.encoder import best_encoder

LEASE = """# Equipment Lease

## 1. Parties
This lease is made on 3 February 2026 between Northgate ("Lessor"), Hamburg, and Willow Lane Bakery ("Lessee"), Exeter.

## 2. Equipment
The Lessor provides two deck ovens. Replacement parts arrive within 5 working days.

## 3. Duration
This lease starts on 1 March 2026 and runs for 36 months.

## 4. Rent
The monthly rent is EUR 780. Each service visit costs EUR 145. The rent may rise once a year, by at most 2.5 per cent.

## 5. Deposit
The Lessee pays a deposit of EUR 2,340. It is returned within 14 days after the equipment was inspected.

## 6. Early end
The Lessee may end this lease early without giving a reason, with 120 days of notice.
"""
MINUTES = """# 3월 운영 회의록

## 1. 봄 축제
봄 축제는 4월 18일부터 4월 26일까지 열기로 하였다.
예산은 4,500만 원으로 확정하였으며 이 중 1,200만 원은 무대 설치에 쓴다.
입장권은 12,000원이며 지역 주민에게는 20%를 할인한다.

## 2. 주차장 공사
공사는 2026년 5월 11일에 시작하여 45일 동안 진행한다. 계약 금액은 8,700만 원이다.
"""
RULES = """# 施設利用規約

## 1. 料金
会議室の利用料金は1時間2,800円とする。改定率は4%以内とする。

## 2. 期間
年間契約は2026年4月1日から12か月間とする。

## 3. 保証金
保証金は50,000円とし、退会後20日以内に返還する。
"""
NIGHTS = "# 宿\n\n- 宿泊 1泊 9,000円\n- 朝食 1,100円\n\nチェックインは15時、チェックアウトは10時です。\n"


def meanings(texts: Sequence[str]) -> list[list[float]]:
    found: list[list[float]] = best_encoder().encode(texts).tolist()
    return found


def told(text: str, question: str) -> list[str]:
    there = [("a.md", one) for one in passages([Page(None, text)])]
    answer = answered(there, question, meanings, LOOKED_AT)
    return [formula(one) for one, _ in reckoned(question, answer, meanings)]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (LEASE, "Who is the lessee and where are they located?"),
        (LEASE, "What's the deposit?"),
        (LEASE, "How much does a service visit cost?"),
        (LEASE, "How much is the rent, and how much can they put it up each year?"),
        (LEASE, "Can we leave early without giving a reason?"),
        (LEASE, "How many ovens are there?"),
        (LEASE, "When was the lease made?"),
        (MINUTES, "축제 예산이 얼마로 확정됐어?"),
        (MINUTES, "공사 계약 금액은 얼마야?"),
        (MINUTES, "입장권 가격이 얼마야?"),
        (MINUTES, "축제는 언제 끝나?"),
        (RULES, "会議室の利用料金はいくらですか"),
        (RULES, "保証金はいくらですか"),
        (NIGHTS, "チェックインは何時ですか"),
    ],
)
def test_what_a_text_says_is_not_reckoned(text: str, question: str):
    assert told(text, question) == []


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        (LEASE, "What do three service visits cost in total?", "3 × EUR 145 = EUR 435"),
        (LEASE, "What is the rent per year?", "12 × EUR 780 = EUR 9,360"),
        (MINUTES, "예산에서 무대 설치 빼면 얼마 남아?", "4,500만 원 − 1,200만 원 = 33,000,000 원"),
        (MINUTES, "입장권 4장이면 모두 얼마야?", "4 × 12,000원 = 48,000원"),
        (RULES, "会議室を3時間使うといくらになりますか", "3 × 2,800円 = 8,400円"),
    ],
)
def test_what_is_asked_for_is_reckoned_first(text: str, question: str, value: str):
    assert told(text, question)[:1] == [value]


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        (LEASE, "When does the lease end?", "1 March 2026 + 36 months → 28 February 2029"),
        (LEASE, "Until when does this contract run?", "1 March 2026 + 36 months → 28 February 2029"),
        (MINUTES, "주차장 공사는 언제 끝나?", "2026년 5월 11일 + 45일 → 2026년 6월 24일"),
        (RULES, "年間契約はいつ終わりますか", "2026年4月1日 + 12か月 → 2027年3月31日"),
    ],
)
def test_the_last_day_of_what_runs_for_so_long_is_told_alone(text: str, question: str, value: str):
    assert told(text, question) == [value]


@pytest.mark.parametrize(
    "sentence",
    [
        "The lease runs from 1 March 2026 to 28 February 2029, that is for 36 months.",
        "The lease starts on 1 March 2026; payment is due within 30 days.",
        "The lease was signed on 1 March 2026. The ovens last for 10 years.",
    ],
)
def test_no_last_day_is_reckoned_where_the_text_has_it_or_counts_something_else(sentence: str):
    assert not any("→" in one for one in told(f"# Lease\n\n{sentence}\n", "When does the lease end?"))


def test_what_is_a_part_of_the_other_is_not_added_to_it_for_its_share():
    (value,) = told(MINUTES, "무대 설치는 예산의 몇 %야?")
    assert value == "1,200만 원 ÷ 4,500만 원 = 26.7%"


def test_without_a_question_of_the_kind_no_way_is_even_looked_at():
    there = [("a.md", one) for one in passages([Page(None, LEASE)])]
    answer = answered(there, "Who signed this and why?", meanings, LOOKED_AT)
    assert reckonings("Who signed this and why?", answer.best, meanings) == []


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "The rent is 850 euros a month; late payment bears interest at 12 % a year.",
            "How much is it if rent is late?",
        ),
        ("월 차임은 850,000원이며 연체 시 연 12%의 이자를 가산한다.", "연체하면 얼마 더 내?"),
        ("賃料は85,000円とし、遅延した場合は年12%の利息を加える。", "遅れるといくらになりますか"),
    ],
)
def test_a_rate_for_a_year_is_no_part_of_a_sum(sentence: str, question: str):
    assert [one for one in told(sentence, question) if "12" in one] == []


def test_a_rate_of_no_time_is_a_part_of_a_sum():
    sentence = "The rent is 850 euros a month; late payment costs 12 % more."
    assert any("12 %" in one for one in told(sentence, "How much is the rent if it is late?"))
