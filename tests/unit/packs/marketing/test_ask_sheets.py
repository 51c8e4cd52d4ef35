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


@pytest.mark.parametrize("question", ["What is the average salary by team?", "팀별 평균 salary는?"])
def test_a_heading_that_only_another_sheet_has_is_asked_there(
    question: str, ctx: FakeContext, run: Callable[..., dict[str, Any]]
) -> None:
    book = openpyxl.Workbook()
    costs, staff = book.active, book.create_sheet("Staff list")
    costs.append(["Date", "Employee", "Team", "Amount"])
    staff.append(["Employee", "Team", "Joined on", "Salary"])
    for at in range(60):
        costs.append([f"2026-01-{1 + at % 28:02}", f"P{at % 6}", ("Sales", "Design")[at % 2], 10 + at % 7 * 3])
    for at in range(6):
        staff.append([f"P{at}", ("Sales", "Design")[at % 2], f"20{18 + at}-04-01", 3000 + at * 100])
    buffer = io.BytesIO()
    book.save(buffer)
    ctx.upload(buffer.getvalue(), "costs.xlsx")
    found = run("ask", question=question)
    assert found["answered"]
    assert "Staff list" in found["summary"][0]
    assert {row[0]: row[1] for row in found["table"]["rows"]} == {"Sales": 3200, "Design": 3300}
    joined = run(
        "ask",
        question="How many joined since 2020?",
        periods=[{"said": "since 2020", "start": "2020-01-01", "end": None}],
    )
    assert "Staff list" in joined["summary"][0]
    assert joined["table"]["rows"][0][0] == 4
    both = run("ask", question="What is the total amount by team?")
    assert "Staff list" not in both["summary"][0]
