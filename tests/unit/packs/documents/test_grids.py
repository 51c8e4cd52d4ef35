"""Figures are found in tables with a head between drawn lines, in lists, and under titles of one kind; what is asked of
them is computed, and a number that a note gives leads to its row."""

import pytest

from packs.documents.answering import pointed_at
from packs.documents.computing import computed
from packs.documents.formats.pages import Page
from packs.documents.grids import grids
from packs.documents.passages import Passage, passages
from packs.documents.ranges import within

ORDER = """                      주 문 서

받 는 곳   : 새터 도서관
주 문 일   : 2025-02-11
납 품 일   : 2025-02-20

------------------------------------------------------------
No  품명             수량     단가(원)     금액(원)
------------------------------------------------------------
 1  책꽂이             6        42,000      252,000
 2  독서등             9        18,500      166,500
 3  북엔드            40         2,300       92,000
------------------------------------------------------------
    소계                                    510,500
    배송비                                    8,000
------------------------------------------------------------

비고
 1) 2번 품목은 다음 주에 따로 보내 드립니다.
"""
CABINS = """# Cabins

## Larch
- Sleeps 4 / walk to the lake 12 minutes
- It has a stove.

## Birch
- Sleeps 6 / walk to the lake 25 minutes
- It has a piano.

## Rowan
- Sleeps 2 / walk to the lake 7 minutes
- It has a bath.
"""
TOURS = """# 週末の見学会

土曜日
- 10:00 染め物工房(定員12名)
- 13:00 醤油蔵(定員20名)

日曜日
- 10:00 和紙づくり(定員8名)
- 14:00 時計塔(定員15名)
"""
BIDS = "# 지붕 공사 입찰\n\n- 한솔지붕: 1억 1,400만 원, 공사 52일\n- 다온건설: 9,700만 원, 공사 40일\n- 미르공업: 1억 원, 공사 46일\n\n# 현장\n\n- 안전 교육: 3일\n"
MOORING = """# Moorings

| Length | By the day | By the month |
|---|---:|---:|
| up to 5 m | 9 | 140 |
| over 5 to 8 m | 14 | 210 |
| over 8 m | 21 | 330 |
| Total | 44 | 680 |
"""


def read(text: str) -> list[Passage]:
    return passages([Page(None, text)])


def test_a_table_between_drawn_lines_has_a_head_and_what_follows_from_its_rows_is_none():
    (grid,) = [grid for grid in grids(read(ORDER)) if "금액(원)" in grid.columns]
    assert [cell.label for cell in grid.of(column="금액(원)")] == ["책꽂이", "독서등", "북엔드"]
    assert {"소계", "배송비"} <= grid.of_all


@pytest.mark.parametrize(
    ("text", "question", "value", "of"),
    [
        (ORDER, "책꽂이랑 북엔드 값을 더하면 얼마예요?", "344,000원", "책꽂이 / 북엔드, 금액(원)"),
        (ORDER, "제일 많이 주문한 품명은?", "40", "북엔드"),
        (CABINS, "Which cabin has the longest walk?", "25 minutes", "Birch"),
        (CABINS, "How many minutes longer is the walk from Larch than from Rowan?", "5 minutes", "Larch / Rowan, walk to the lake"),
        (TOURS, "いちばん多くの人が入れるのはどの見学?", "20名", "13:00 醤油蔵(定員20名)"),
        (MOORING, "How much more does a month cost than a day for a 7 m boat?", "196", "over 5 to 8 m: By the day / By the month"),
        (MOORING, "Which length is the dearest by the month?", "330", "over 8 m"),
        (BIDS, "공사비가 제일 비싼 데랑 제일 싼 데는 얼마 차이 나?", "17,000,000원", "한솔지붕 / 다온건설"),
    ],
)  # fmt: skip
def test_it_is_computed_from_them(text: str, question: str, value: str, of: str):
    found = computed(question, read(text))
    assert found is not None
    assert (found.value, found.of) == (value, of)


@pytest.mark.parametrize(
    ("asked", "name", "lies"),
    [
        ("a 7 m boat", "over 5 to 8 m", True), ("a 7 metre boat", "up to 5 m", False), ("for 7 days", "over 5 to 8 m", False),
        ("12명이 가면", "10명 이상", True), ("12명이 가면", "10명 미만", False), ("5歳の子は", "3〜6歳", True), ("7歳", "6歳以下", False),
        ("a 7 m boat", "Trailer", False),
    ],
)  # fmt: skip
def test_a_row_is_named_by_a_figure_within_its_range(asked: str, name: str, *, lies: bool):
    assert within(asked, name) is lies


def test_a_note_that_gives_a_number_leads_to_the_row():
    there = read(ORDER)
    note = next(one for one in there if "따로" in one.text)
    row = pointed_at(note, there)
    assert row is not None and "독서등" in row.text
    assert pointed_at(row, there) is None
