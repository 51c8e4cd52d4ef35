"""What takes more than one step is worked out: several times two prices, each further one, and some time after a day."""

from collections.abc import Sequence

import pytest

from packs.documents.amounts import amounts
from packs.documents.answering import answered
from packs.documents.formats.pages import Page
from packs.documents.passages import Passage, passages
from packs.documents.reckoning import LOOKED_AT, reckonings
from packs.documents.worked_out import formula, named_by
from understanding.offline.encoder import best_encoder

BOATHOUSE = """Boathouse

Members pay 9 pounds an hour for a canoe. A dry bag is another 4 pounds for each hire.
A guided trip costs 60 pounds for up to 4 persons; each further person pays 11 pounds.
The beginners' course has 7 lessons, on Mondays from 18:15 to 19:30.
The repair of the slipway cost 300 pounds less than the 2,100 pounds that had been set aside.

| Machine run | Water (l) |
|---|---|
| Rinse | 12 |
| Soak | 31 |
"""
NOTICE = "# 정수기 대여 안내\n\n계약일은 2026년 3월 9일입니다.\n설치비는 계약일부터 21일 안에 냅니다.\n해지하려면 끝나는 날의 2개월 전에 알려야 합니다. 계약은 2027년 3월 8일에 끝납니다.\n"
TRAIN = "# 合宿\n\n列車は行き 5,200円、帰り 4,800円です。\n窯の火入れは8:40、焼き上がりまで3時間かかります。\n"

WORKSHOP = """Print workshop

Cards: screen 5 points, press 2 points, ink 3 points.
A seat costs 42 pounds.
Groups of 8 and more get 4 pounds off each seat.
Payment by parts: first 120 pounds, then 35 pounds a month for 9 months.
The ferry takes 25 minutes to the island.
"""


BATHS = """# 온천 이용 안내

주차는 3시간까지 무료이고, 넘으면 20분당 700원입니다.
수건은 6장, 장당 2,500원에 샀습니다.
3개월권 150,000원
해지하면 결제 금액의 10%와 이용한 날마다 3,000원을 공제하고 돌려드립니다.
간장 1.5 kg
간장이 싱거우면 250g 더 넣습니다.
"""
ADVANCE = "# 前渡し\n\n前渡しは見積額の8割までとする。\n"
ORCHARD = "Orchard club\n\nA plot is £48 a year and water £12. Members over 66 pay half the rent and the full water charge.\nThe second child of a family gets 20% off the summer camp, which costs £150.\n"
SCOOTER = "Scooter hire\n\nEach day includes 40 km. Every further km costs 0.35.\n"


def meanings(texts: Sequence[str]) -> list[list[float]]:
    vectors: list[list[float]] = best_encoder().encode(list(texts)).tolist()
    return vectors


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        (BOATHOUSE, "We are members: what do three hours in a canoe and a dry bag come to?", "3 × 9 pounds + 4 pounds = 31 pounds"),
        (BOATHOUSE, "There are six of us for a guided trip. What would that cost?", "60 pounds + 2 × 11 pounds = 82 pounds"),
        (BOATHOUSE, "How many hours of lessons does the course have in total?", "(18:15 → 19:30) × 7 lessons"),
        (BOATHOUSE, "What did the repair of the slipway really cost?", "2,100 pounds − 300 pounds = 1,800 pounds"),
        (BOATHOUSE, "If I run Soak twice and Rinse once, how much water is that?", "2 × 31 + 12 = 74 l"),
        (NOTICE, "설치비는 언제까지 내야 해?", "2026년 3월 9일 + 21일 = 2026년 3월 30일"),
        (NOTICE, "해지하려면 언제까지 알려야 돼?", "2027년 3월 8일 − 2개월 = 2027년 1월 8일"),
        (TRAIN, "5人の列車代は往復でいくら？", "5 × 5,200円 + 5 × 4,800円 = 50,000円"),
        (TRAIN, "窯は何時に焼き上がりますか", "8:40 + 3時間 = 11:40"),
        (WORKSHOP, "How many points do two of us need for the screen and ink each?", "2 × 5 points + 2 × 3 points = 16 points"),
        (WORKSHOP, "What do eleven seats cost for a group altogether?", "11 × 42 pounds − 11 × 4 pounds = 418 pounds"),
        (WORKSHOP, "What does paying by parts come to in total?", "120 pounds + 9 × 35 pounds = 435 pounds"),
        (BATHS, "차를 다섯 시간 세우면 주차비가 얼마야?", "6 × 700원 = 4,200원"),
        (BATHS, "수건 사는 데 모두 얼마 들었어?", "2,500원 × 6장 = 15,000원"),
        (BATHS, "3개월권을 끊고 20일 다니다 해지하면 얼마 돌려받아?", "(150,000원 − 10%) − 20 × 3,000원 = 75,000원"),
        (BATHS, "싱거울 때 간장은 총 얼마나 들어가?", "1.5 kg + 250g = 1,750g"),
        (ADVANCE, "見積もりが20万円なら、前渡しはいくらまで？", "20万円 × 80% = 160,000円"),
        (ORCHARD, "I'm 71 and have a plot. What is my rent with the water?", "(£48 × 50%) + £12 = £36"),
        (ORCHARD, "What does the summer camp cost for three children?", "£150 + 2 × (£150 − 20%) = £390"),
        (SCOOTER, "What will the extra km cost if I ride 95 km in a day?", "55 × 0.35 = 19.25"),
        (WORKSHOP, "When are we on the island if we take the ferry at 10:50?", "10:50 + 25 minutes = 11:15"),
    ],
)  # fmt: skip
def test_it_is_among_what_may_be_meant(text: str, question: str, value: str):
    there = [("a.md", one) for one in passages([Page(None, text)])]
    found = reckonings(question, answered(there, question, meanings, LOOKED_AT).best, meanings)
    assert value in [formula(one) for one in found] or value in [_turned(formula(one)) for one in found]


def _turned(shown: str) -> str:
    """With the terms of a sum of two the other way round."""
    terms, equals, value = shown.partition(" = ")
    return f"{' + '.join(terms.split(' + ')[::-1])}{equals}{value}"


def test_prices_in_one_line_are_called_by_what_stands_before_them():
    there = [*passages([Page(None, "# Badges\n\nLeader £31 / Deputy £17 / Scribe £9\n")])]
    found = {one.value: named_by(one) for passage in there for one in amounts(passage)}
    assert found == {31: "Leader £31", 17: "Deputy £17", 9: "Scribe £9"}


def test_what_a_figure_is_of_is_told_whole_where_its_line_is_short():
    found = [named_by(one) for one in amounts(Passage("Kayak (two seats), a day | 26 pounds")) if one.value == 26]
    assert found == ["Kayak (two seats), a day | 26 pounds"]


def test_a_figure_without_a_unit_is_told_in_that_of_its_column():
    there = [("a.md", one) for one in passages([Page(None, BOATHOUSE.replace("Water (l)", "Water (litres)"))])]
    question = "How much water do Soak and Rinse take together?"
    found = reckonings(question, answered(there, question, meanings, LOOKED_AT).best, meanings)
    assert "43 litres" in [formula(one).partition(" = ")[2] for one in found]
