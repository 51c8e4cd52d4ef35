"""A workbook of several tables: the largest is asked, and another where that is called or knows what the first does not."""

import io
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest

from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

RENTS = [
    (
        f"2026-{1 + at % 9:02}",
        ("Elm Ave", "Mill Rd", "Harbor St")[at % 3],
        ("Ann", "Bo", "Cy")[at % 3],
        800 + at % 7 * 10,
    )
    for at in range(90)
]
REPAIRS = [
    (("Elm Ave", "Mill Rd")[at % 2], ("Ortiz Plumbing", "Bright Spark", "Handy Hal")[at % 3], 40 + at * 7 % 90, "" if at % 8 == 0 else "2026-10-01")
    for at in range(40)
]  # fmt: skip


@pytest.fixture(scope="module")
def workbook() -> bytes:
    book = openpyxl.Workbook()
    rents = book.active
    rents.title = "Rents"
    rents.append(["Month", "Property", "Tenant", "Rent due ($)"])
    repairs = book.create_sheet("Repairs")
    repairs.append(["Property", "Contractor", "Cost ($)", "Fixed"])
    for row in RENTS:
        rents.append(row)
    for fix in REPAIRS:
        repairs.append(fix)
    book.create_sheet("Notes").append(["ask Bo about the boiler"])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def answered(ctx: FakeContext, run: Callable[..., dict[str, Any]], workbook: bytes) -> Callable[..., dict[str, Any]]:
    def ask(question: str, *before: str, language: str = "en") -> dict[str, Any]:
        ctx.language = language
        ctx.upload(workbook, "rent book.xlsx")
        said = [{"question": one} for one in before]
        return run("ask", question=question, **({"before": said} if said else {}))

    return ask


def test_the_largest_is_asked_first(answered: Callable[..., dict[str, Any]]) -> None:
    told = "\n".join(answered("What is the total rent due?")["summary"])
    assert f"{sum(row[3] for row in RENTS):,}" in told
    assert "sheet" not in told


@pytest.mark.parametrize(
    ("question", "figure", "language", "says"),
    [
        ("How many repairs are there?", 40, "en", "From the sheet ‘Repairs’."),
        ("What is the total cost of Ortiz Plumbing?", sum(one[2] for one in REPAIRS[::3]), "en", "From the sheet ‘Repairs’."),
        ("Repairs 시트에서 비용(Cost) 합계는?", sum(one[2] for one in REPAIRS), "ko", "‘Repairs’ 시트에서 보았습니다."),
        ("Repairsシートで、Costの合計は？", sum(one[2] for one in REPAIRS), "ja", "シート「Repairs」を見ました。"),
    ],
)  # fmt: skip
def test_another_is_asked_where_it_is_called_or_knows_the_words(
    question: str, figure: int, language: str, says: str, answered: Callable[..., dict[str, Any]]
) -> None:
    found = answered(question, language=language)
    assert found["answered"]
    assert found["summary"][0] == says
    assert f"{figure:,}" in "\n".join(found["summary"])


def test_what_goes_on_is_of_the_same_sheet(answered: Callable[..., dict[str, Any]]) -> None:
    told = answered("and for Mill Rd?", "How many repairs are there?")["summary"]
    assert told[0] == "From the sheet ‘Repairs’."
    assert "20" in "\n".join(told)


def test_a_sheet_that_is_called_is_not_answered_by_another(answered: Callable[..., dict[str, Any]]) -> None:
    found = answered("On the repairs sheet, what is the total of the wombats?")
    assert not found["answered"]
    assert "Contractor" in "\n".join(found["summary"])


def test_what_no_sheet_knows_is_asked_about_the_first(answered: Callable[..., dict[str, Any]]) -> None:
    found = answered("How many wombats of Bo?")
    assert "sheet" not in "\n".join(found["summary"])
    assert "Tenant" in "\n".join(found["summary"])
