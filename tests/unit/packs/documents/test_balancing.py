"""What came in less what went out is worked out of a table of each."""

import pytest

from packs.documents.balancing import balanced
from packs.documents.formats.pages import Page
from packs.documents.passages import passages

CHOIR = """# Choir accounts

## Income (euro)

| Source | 2031 | 2032 |
|---|---|---|
| Concerts | 2,100 | 2,450 |
| Members | 1,300 | 1,360 |

## Expenditure (euro)

| Item | 2031 | 2032 |
|---|---|---|
| Hall | 1,900 | 2,000 |
| Scores | 410 | 385 |
"""
FAIR = """# 마을 장터 살림

## 수입

| 항목 | 예산 | 결산 |
|---|---|---|
| 자릿값 | 300,000 | 340,000 |
| 후원 | 200,000 | 150,000 |
| 합계 | 500,000 | 490,000 |

## 지출

| 항목 | 예산 | 결산 |
|---|---|---|
| 천막 | 260,000 | 255,000 |
| 음료 | 180,000 | 171,000 |
| 합계 | 440,000 | 426,000 |
"""


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        (CHOIR, "how much more came in than went out in 2032?", "1,425"),
        (CHOIR, "What was the surplus in 2031?", "1,090"),
        (FAIR, "들어온 돈에서 나간 돈 빼면 얼마 남았어요?", "64,000"),
        (FAIR, "장터는 예산으로 흑자가 얼마예요", "60,000"),
    ],
)
def test_what_is_left_is_worked_out(text: str, question: str, value: str):
    found = balanced(question, passages([Page(None, text)]), lambda _: ())
    assert found is not None
    assert (found.kind, found.value) == ("difference", value)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (CHOIR, "how much did the hall cost in 2032?"),
        (CHOIR, "What was the surplus?"),
        (CHOIR.replace("Expenditure", "Prizes"), "What was the surplus in 2031?"),
        (FAIR, "천막에 쓴 돈은 얼마예요?"),
    ],
)
def test_nothing_else_is(text: str, question: str):
    assert balanced(question, passages([Page(None, text)]), lambda _: ()) is None


def test_two_tables_side_by_side_are_called_by_their_heads():
    text = "# Choir\n\n## Money\n\n| Income | EUR | Spending | EUR |\n|---|---|---|---|\n| Dues | 810 | Rent | 640 |\n| Gifts | 95 | Stamps | 31 |\n"
    found = balanced("Once you take spending off income, what was left?", passages([Page(None, text)]), lambda _: ())
    assert found is not None and (found.value, found.of) == ("234", "Income / Spending, EUR")
