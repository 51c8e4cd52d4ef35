"""What follows from two or three figures is worked out where it is asked for, and shown with what it was made of."""

from collections.abc import Sequence

import pytest

from packs.documents.answering import answered
from packs.documents.formats.pages import Page
from packs.documents.passages import passages
from packs.documents.reckoning import LOOKED_AT, reckonings
from packs.documents.worked_out import formula, reckoned
from understanding.offline.encoder import best_encoder

KIOSK = "# 매점 값\n\n- 컵라면 1,800원\n- 삶은 달걀 900원\n- 보리차 1,300원\n- 담요 빌리기 4,000원\n"
BAND = """Silver band, money

The hall asked 640 pounds for the season, against 585 the season before.
New music stands came to 212 pounds and the drum skin to 48 pounds.
Rehearsals begin at 19:10 and end at 21:00.
"""
RANGE = """Pottery range, prices

| Session | Minutes | Price |
|---|---|---|
| Wheel | 90 | £36 |
| Handbuilding | 120 | £44 |

2.1 Students get 25% off any session.
2.2 A helper is paid £9.40 an hour. The yearly pass is £318.
"""
CLUB = "# 탁구 교실\n\n- 성인 수강료 84,000원\n- 중학생은 성인 수강료의 60%를 냅니다.\n- 탁구대 무게 68.5kg, 그물 틀 무게 2.3kg\n"
STALL = "# 바자회 매대\n\n|물건|값(원)|준비한 수|\n|---|---|---|\n|호떡|1,500|80장|\n|어묵|2,000|60개|\n\n어른 입장료는 4,000원, 아이는 2,500원입니다.\n"
ROOF = """Roof of the terrace

The roofer asks for £9,600. Of this, £4,800 comes out of the savings; the rest is shared by the twelve houses.
Stripping takes 1 hour 50 minutes a bay, felting 35 minutes and slating 2 hours.
"""
CHOIR = """Choir, autumn

In spring 40 singers signed up and in autumn 50 singers.
Of those who answered, 12% were new in spring and 18.5% were new in autumn.
"""
BUSES = "# 시내버스 안내\n\n|노선|첫차|배차 간격|\n|---|---|---|\n|701번|05:40|12분|\n|마을3번|06:10|25분|\n"
GARDEN = "# 市民農園\n\n|区画|年額|\n|---|---|\n|小|6,400円|\n|大|11,900円|\n\n鍵の預かり金は2,000円です。\n"
COVER = """Terms of the cover

You pay £318.60 at once, or 12 monthly instalments of £28.40.
A new filter costs 12,900 won and is due every 3 months.
Registered kettles are covered for 24 months, and for another 12 months in the second year.
A slice has 318 kcal.

## Things that are listed

- The cello 9,400 pounds
- Grandmother's clock 2,150 pounds
- A painting of the harbour 12,000 pounds
"""
LODGE = """# Lodge, prices

| Guest | Price |
|---|---|
| Adult | £14.50 |
| Child 5-15 | £7.25 |
| Under 5 | free |

A room of one's own is £18 extra a night, in a shared one a night is £40.
"""
TRIP = "# 旅費\n\n|項目|上限|\n|---|---|\n|日当（1日）|2,300円|\n|宿泊料（1泊）|11,000円|\n"

PANTRY = """# 마을 곳간 분기 보고

|품목|4월(만원)|5월(만원)|6월(만원)|
|---|---|---|---|
|감자|310|420|275|
|마늘|150|90|205|

소풍에는 어린이 88명, 교사 7명, 봉사자 5명이 함께 갑니다.
올해 들어온 건의 96건 중에 소음이 51건, 주차가 22건이었습니다.
쌀은 1kg에 3,400원이고 떡을 하는 데 쌀 6kg이 듭니다.
"""
DRAUGHTS = """Draughts club, year's end

The winner got £70, the second £45, the youngest player £15. We spent £130 on boards and £88 on the hall.
Of the 52 people who joined 9 people have not paid yet.
In spring there were 320 herons and in autumn 240 herons.

## 3. Silver cups

| Lion cup, 1921 | £2,400 |
| Swan cup | £1,150 |
| Rowers' cup | £980 |
"""
FAIR = "# 文化祭の収支\n\n|収支|項目|実績|\n|---|---|---|\n|収入|会費|91,000円|\n|収入|寄付|40,000円|\n|支出|舞台|52,000円|\n|支出|印刷|13,500円|\n|支出|弁当|21,000円|\n\n幟は一番安い店（1本 2,600円）に決め、18本を買う。\n\n|注文|円|\n|---|---|\n|飾り|30,000|\n|合計|30,000|\n\n取り消しは前日なら合計額の20%です。\n"


def meanings(texts: Sequence[str]) -> list[list[float]]:
    vectors: list[list[float]] = best_encoder().encode(list(texts)).tolist()
    return vectors


def told(text: str, question: str) -> list[str]:
    there = [("a.md", one) for one in passages([Page(None, text)])]
    answer = answered(there, question, meanings, LOOKED_AT)
    return [formula(one) for one, _ in reckoned(question, answer, meanings)]


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        (KIOSK, "컵라면 두 개랑 보리차 하나 사면 다 해서 얼마예요?", "= 4,900원"),
        (KIOSK, "담요 빌리는 값이 삶은 달걀보다 얼마나 더 비싸요?", "= 3,100원"),
        (BAND, "What did the music stands and the drum skin cost together?", "= 260 pounds"),
        (BAND, "By how much did the hall go up compared with the season before?", "= 55"),
        (CLUB, "탁구대랑 그물 틀 무게 차이가 얼마나 나요?", "= 66.2kg"),
        (GARDEN, "大と小の区画の年額の差はいくらですか", "= 5,500円"),
        (GARDEN, "小の区画と鍵の預かり金を合わせるといくら？", "= 8,400円"),
    ],
)
def test_it_is_worked_out(text: str, question: str, value: str):
    assert any(value in one for one in told(text, question))


def test_nothing_is_worked_out_where_nothing_of_the_kind_is_asked():
    assert told(KIOSK, "보리차 있나요?") == []


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        (RANGE, "I am a student. What would the handbuilding session cost me with the reduction?", "£44 − 25% = £33"),
        (RANGE, "What does the pass for a year come to per month?", "£318 ÷ 12 = £26.50"),
        (CLUB, "중학생이면 수강료를 얼마 내면 되나요?", "84,000원 × 60% = 50,400원"),
        (STALL, "호떡을 다 팔면 얼마 버는 거야?", "1,500 × 80장 = 120,000원"),
        (ROOF, "What does each house pay once the savings are taken off?", "(£9,600 − £4,800) ÷ 12 houses = £400"),
        (
            CHOIR,
            "By what percentage did the number of singers rise from spring to autumn?",
            "(50 singers − 40 singers) ÷ 40 singers = 25.0%",
        ),
        (CHOIR, "What percentage of the autumn singers were there in spring?", "40 singers ÷ 50 singers = 80.0%"),
        (CHOIR, "What is the difference between new singers in spring and in autumn?", "18.5% − 12% = 6.5%"),
        (ROOF, "How long do felting and stripping a bay take together?", "35 minutes + 1 hour 50 minutes"),
        (COVER, "How much more does it cost to pay in instalments?", "12 × £28.40 − £318.60 = £22.20"),
        (COVER, "What do filters cost in a year?", "4 × 12,900 won = 51,600 won"),
        (COVER, "For how long in all is a registered kettle covered?", "12 months + 24 months = 36 months"),
        (COVER, "How many calories do three slices have?", "3 × 318 kcal = 954 kcal"),
        (
            COVER,
            "What are the three listed things worth altogether?",
            "12,000 pounds + 9,400 pounds + 2,150 pounds = 23,550 pounds",
        ),
        (LODGE, "What does a room of my own cost for a night?", "£40 + £18 = £58"),
        (LODGE, "Two adults and a nine-year-old: what do we pay together?", "2 × £14.50 + £7.25 = £36.25"),
        (PANTRY, "마늘은 석 달 동안 다 합쳐서 얼마나 팔렸어?", "205 + 90 + 150 = 445만원"),
        (PANTRY, "어린이 말고 같이 가는 어른은 모두 몇 명이야?", "5명 + 7명 = 12명"),
        (PANTRY, "소음도 주차도 아닌 건의는 몇 건이야?", "96건 − 51건 − 22건 = 23건"),
        (PANTRY, "떡에 들어가는 쌀값은 얼마야?", "3,400원 × 6kg = 20,400원"),
        (DRAUGHTS, "How much was given to the winners of prizes altogether?", "£15 + £45 + £70 = £130"),
        (DRAUGHTS, "How many people have paid?", "52 people − 9 people = 43 people"),
        (DRAUGHTS, "By what percentage did the herons drop?", "(320 herons − 240 herons) ÷ 320 herons = 25.0%"),
        (DRAUGHTS, "What are the silver cups worth altogether?", "£980 + £1,150 + £2,400 = £4,530"),
        (FAIR, "文化祭で使ったお金は全部でいくら？", "52,000円 + 21,000円 + 13,500円 = 86,500円"),
        (FAIR, "幟の代金は全部でいくらになる？", "2,600円 × 18本 = 46,800円"),
        (FAIR, "前の日に取り消したらいくら払いますか", "30,000 × 20% = 6,000"),
        (TRIP, "2泊3日だと日当と宿泊料を合わせていくら？", "3 × 2,300円 + 2 × 11,000円 = 28,900円"),
    ],
)
def test_it_is_among_what_may_be_meant(text: str, question: str, value: str):
    there = [("a.md", one) for one in passages([Page(None, text)])]
    found = reckonings(question, answered(there, question, meanings, LOOKED_AT).best, meanings)
    assert value in [formula(one) for one in found]


def test_what_fell_is_held_against_what_it_was():
    there = [("a.md", one) for one in passages([Page(None, DRAUGHTS)])]
    question = "By what percentage did the herons drop from spring to autumn?"
    found = reckonings(question, answered(there, question, meanings, LOOKED_AT).best, meanings)
    assert not [one for one in found if formula(one) == "(320 herons − 240 herons) ÷ 240 herons = 33.3%"]


def test_the_time_between_two_moments_is_among_what_may_be_meant():
    there = [("a.md", one) for one in passages([Page(None, BAND)])]
    question = "How long do rehearsals last?"
    found = reckonings(question, answered(there, question, meanings, LOOKED_AT).best, meanings)
    assert 110.0 in [one.value for one in found if one.kind == "lasting"]


def test_what_a_clause_is_counted_by_is_no_figure_of_it():
    assert not [one for one in told(RANGE, "How much more is handbuilding than the wheel?") if "2.1" in one]


def test_a_number_in_the_name_of_a_row_is_no_number_of_things_and_a_named_cell_is_the_answer():
    assert told(BUSES, "마을3번 배차 간격이 몇 분이야?") == []
    assert told(BUSES, "701번 배차 간격이 몇 분이야?") == []
    assert any("25분 − 12분" in one for one in told(BUSES, "마을3번이랑 701번 배차 간격 차이가 몇 분이야?"))
