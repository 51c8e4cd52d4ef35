"""How many rows of a table have a value, or lie within a bound, is counted; and only where that is asked."""

import pytest

from packs.documents.formats.pages import Page
from packs.documents.passages import passages
from packs.documents.tallying import tallied

SHIFTS = """# 가을 봉사 배정

| 일감 | 장소 | 담당 | 인원 |
|---|---|---|---|
| 책 나르기 | 도서관 | 노을 | 12명 |
| 담벼락 칠하기 | 골목 | 미르 | 30명 |
| 낙엽 쓸기 | 골목 | 노을 | 25명 |
| 도시락 싸기 | 회관 | 보라 | 8명 |
"""
BOATS = """# Boats for hire

| Boat | Mooring | Seats | Price (euro) |
|---|---|---|---|
| Heron | North pier | 4 | 28 |
| Teal | South pier | 6 | 41 |
| Wigeon | North pier | 8 | 55 |
| Coot | Canal | 2 | 19 |
"""
CLUBS = """# 部活動の一覧

| 部 | 場所 | 部員 |
|---|---|---|
| 写真部 | 理科室 | 14人 |
| 園芸部 | 中庭 | 9人 |
| 天文部 | 理科室 | 22人 |
"""


@pytest.mark.parametrize(
    ("text", "question", "value", "terms"),
    [
        (SHIFTS, "노을 씨 담당은 몇 가지예요?", "2가지", ("책 나르기", "낙엽 쓸기")),
        (SHIFTS, "인원이 25명 이상인 일감은 몇 개야", "2개", ("담벼락 칠하기", "낙엽 쓸기")),
        (SHIFTS, "인원이 25명 넘는 일감은 몇 개야", "1개", ("담벼락 칠하기",)),
        (BOATS, "How many boats are moored at the north pier?", "2", ("Heron", "Wigeon")),
        (BOATS, "how many boats have more than 4 seats", "2", ("Teal", "Wigeon")),
        (CLUBS, "理科室を使う部はいくつありますか", "2つ", ("写真部", "天文部")),
        (CLUBS, "部員が20人未満の部はいくつ?", "2つ", ("写真部", "園芸部")),
    ],
)
def test_rows_are_counted(text: str, question: str, value: str, terms: tuple[str, ...]):
    found = tallied(question, passages([Page(None, text)]), lambda _: ())
    assert found is not None
    assert (found.kind, found.value, found.terms) == ("count", value, terms)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (SHIFTS, "노을 씨는 누구예요?"),
        (SHIFTS, "담벼락 칠하기는 몇 명이 해요?"),
        (SHIFTS, "일감은 몇 시에 시작해요?"),
        (BOATS, "how many seats does the Teal have"),
        (BOATS, "how many boats are moored in the harbour?"),
        (CLUBS, "園芸部は何人ですか"),
    ],
)
def test_nothing_else_is(text: str, question: str):
    assert tallied(question, passages([Page(None, text)]), lambda _: ()) is None
