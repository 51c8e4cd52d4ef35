"""What a question says of which rows are meant is heard or asked about: values, blanks, what counts as one, births."""

import io
import re
from typing import Any

import openpyxl
import pytest

from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

LESSONS = "수업일,수강생,강사,출결,과정,주행(km),메모,출생연도"
LESSON_ROWS = [
    ("2026-06-01", "김하나", "박상철", "이수", "도로", 12, "", 1961),
    ("2026-06-02", "이두리", "박상철", "이수", "도로", "", "늦잠", 1994),
    ("2026-06-03", "박세미", "이은주", "지각", "기능", "", "", 1994),
    ("2026-07-01", "김하나", "이은주", "결석", "기능", "", "늦잠", 1961),
    ("2026-07-02", "최나래", "이은주", "이수", "기능", "", "", 1988),
] * 4
CHOIR = "練習日,お名前,パート,出欠,遅刻(分),連絡"
CHOIR_ROWS = [
    ("2026-06-01", "佐藤", "アルト", "○", "", ""),
    ("2026-06-08", "鈴木", "アルト", "遅", 10, ""),
    ("2026-06-15", "佐藤", "バス", "遅", "", ""),
    ("2026-06-22", "高橋", "バス", "早", "", ""),
    ("2026-06-29", "高橋", "バス", "×", "", "無"),
    ("2026-07-06", "高橋", "バス", "×", "", "有"),
] * 4
SHED = "Job #,Date in,Date out,Owner,Job,Parts,Labour,Mech,Paid (Y/N)"
SHED_ROWS = [
    ("2026-06-01", "2026-06-03", "Bex", "Full service", 5, 40, "Nia", "Y"),
    ("2026-06-02", "", "Jim", "Puncture", 2, 10, "Nia", "N"),
    ("2026-06-05", "2026-06-09", "Lou", "Baby seat", "", 15, "Rob", ""),
    ("2026-06-11", "", "Tom", "Baby seat", "", 12, "", "Y"),
] * 5


TABLES: dict[str, tuple[str, list[tuple[Any, ...]], str]] = {
    "lessons": (LESSONS, LESSON_ROWS, "ko"),
    "choir": (CHOIR, CHOIR_ROWS, "ja"),
    "shed": (SHED, SHED_ROWS, "en"),
}


def _ask(ctx: FakeContext, run: Run, table: str, question: str, *before: str, **more: Any) -> dict[str, Any]:
    heads, rows, ctx.language = TABLES[table]
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(heads.split(","))
    for at, row in enumerate(rows):
        numbered = (f"J{at}", *row) if table == "shed" else row
        sheet.append([None if cell == "" else cell for cell in numbered])
    content = io.BytesIO()
    book.save(content)
    ctx.upload(content.getvalue(), f"{table}_jobs.xlsx")
    asked: dict[str, Any] = {"question": question, **more}
    found: dict[str, Any] = run("ask", **asked, **({"before": [{"question": one} for one in before]} if before else {}))
    return found


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        # a value in a clause beside the question, and cells that are empty
        ("lessons", "이수라고 돼 있는데 주행거리를 안 적은 칸이 있네요. 몇 건이나 되는지 봐주세요", 8),
        ("lessons", "과정이 기능인데 메모 칸이 비어 있는 건 몇 건이에요?", 8),
        ("choir", "遅刻なのに分数が空いてるのは何件?", 4),
        ("choir", "連絡なしの休みは何件ですか", 4),
        ("shed", "Where nobody wrote a mech, how many jobs are there?", 5),
        ("shed", "How many jobs have the Paid column left blank?", 5),
        ("shed", "How many Baby seat jobs have no parts written down?", 10),
        # letters of yes and no, the year of birth
        ("shed", "How many jobs are there on the rows that do say Y?", 10),
        ("lessons", "94년생은 몇 건이야?", 8),
        ("lessons", "1961년에 태어난 분은 몇 건인가요?", 8),
        # what counts as one
        ("lessons", "지각도 이수로 쳐서 강사가 이은주인 건 몇 건이에요?", 8),
        ("choir", "遅刻・早退も来た数に入れて、バスは何件ですか", 8),
        ("choir", "○と遅と早を出席として、アルトは何件?", 8),
        # a word of a value in another sentence is a figure of speech
        ("shed", "The shed's getting full. How many jobs have no date out?", 10),
    ],
)
def test_conditions_are_heard(ctx: FakeContext, run: Run, table: str, question: str, rows: int) -> None:
    result = _ask(ctx, run, table, question)
    assert result["answered"], result["summary"]
    assert result["rows"] == rows, result["summary"]


@pytest.mark.parametrize(
    ("table", "question", "shares"),
    [
        ("lessons", "지각도 이수로 쳐서 강사별 이수율 알려줘", {"박상철": 100.0, "이은주": 66.6667}),
        ("choir", "遅と早も出席に数えて、パート別の出席率を教えて", {"アルト": 100.0, "バス": 50.0}),
    ],
)
def test_a_rate_is_of_all_that_count(
    ctx: FakeContext, run: Run, table: str, question: str, shares: dict[str, float]
) -> None:
    result = _ask(ctx, run, table, question)
    assert {row[0]: row[1] for row in result["table"]["rows"]} == shares


@pytest.mark.parametrize(
    ("table", "question", "word"),
    [
        ("lessons", "강사별로 몇 건씩 듣나요? 안 적은(빈칸) 인원도 같이요.", "안 적은"),
        ("shed", "How many of the jobs say N, and how many say nothing?", "say nothing"),
    ],
)
def test_blanks_of_which_nothing_comes_are_asked_about(
    ctx: FakeContext, run: Run, table: str, question: str, word: str
) -> None:
    result = _ask(ctx, run, table, question)
    assert not result["answered"]
    assert word in " ".join(result["summary"])
    assert "표에서 찾지 못해" not in " ".join(result["summary"])


def test_an_explanation_is_left_aside_and_told(ctx: FakeContext, run: Run) -> None:
    question = "Apart from Full service (which always takes forever), how many jobs are missing a date out?"
    result = _ask(ctx, run, "shed", question)
    assert result["rows"] == 10
    assert "which always takes forever" in " ".join(result["summary"])


def test_a_part_of_a_longer_value_is_no_other_value(ctx: FakeContext, run: Run) -> None:
    """Bakery is a category, and no bread."""
    heads = "Date,Item,Category,Weight (kg)"
    rows = [
        ("2026-06-01", "Bread", "Bakery", 4),
        ("2026-06-02", "Buns", "Bakery", ""),
        ("2026-06-03", "Soup", "Tins", 2),
    ]
    ctx.language = "en"
    ctx.upload("\n".join([heads, *(",".join(map(str, row)) for row in rows * 5)]).encode(), "log.csv")
    assert run("ask", question="How many Bakery entries are there?")["rows"] == 10


@pytest.mark.parametrize(
    ("question", "before", "rows"),
    [
        # what is said now takes the place of what was said before and excludes it
        ("Of those, how many have a date out?", "How many jobs have no date out?", 10),
        ("And of those, how many are Y?", "How many jobs have the Paid column left blank?", 10),
    ],
)
def test_no_row_has_to_be_empty_and_something(
    ctx: FakeContext, run: Run, question: str, before: str, rows: int
) -> None:
    result = _ask(ctx, run, "shed", question, before)
    assert not result["answered"] or result["rows"] == rows, result["summary"]


def test_a_day_that_something_is_looked_at_from_is_an_end(ctx: FakeContext, run: Run) -> None:
    day = {"said": "6월 30일", "start": "2026-06-30", "end": "2026-06-30"}
    result = _ask(ctx, run, "lessons", "6월 30일 기준으로 수업일이 이미 지난 건 몇 건이에요?", periods=[day])
    assert result["rows"] == 12


def test_a_bound_without_a_column_is_of_the_one_bounded_before(ctx: FakeContext, run: Run) -> None:
    rows = [(1, "가", "여", 95, 50), (1, "나", "남", 91, 60), (2, "다", "여", 99, 70), (1, "라", "남", 80, 99)]
    lines = ["반,이름,성별,영어(기말),수학(기말)", *(",".join(map(str, row)) for row in rows)]
    ctx.language = "ko"
    ctx.upload("\n".join(lines).encode(), "grades.csv")
    before = [{"question": "영어 기말 90점 이상 몇명?"}, {"question": "그중 여학생은?"}]
    result = run("ask", question="남녀 상관없이 90점 이상인 1반 애들 이름 다 불러봐", before=before)
    assert "가" in str(result["table"]["rows"])
    assert "나" in str(result["table"]["rows"])
    assert "다" not in str(result["table"]["rows"])
    assert "라" not in str(result["table"]["rows"])


def test_each_share_is_of_what_is_not_left_out(ctx: FakeContext, run: Run) -> None:
    rows = [
        ("朝食付き", "済"),
        ("朝食付き", "済"),
        ("素泊まり", "済"),
        ("朝食付き", "キャンセル"),
        ("素泊まり", "済"),
    ] * 4
    ctx.language = "ja"
    ctx.upload("\n".join(["食事,状態", *(",".join(row) for row in rows)]).encode(), "stays.csv")
    result = run("ask", question="キャンセルは抜いて、素泊まりと朝食付きはそれぞれ何％ですか")
    assert {row[0]: row[1] for row in result["table"]["rows"]} == {"朝食付き": 50.0, "素泊まり": 50.0}


def test_the_same_again_is_asked_of_what_was_not_heard_too(ctx: FakeContext, run: Run) -> None:
    before = "Which champion mech has the most labour on gadgets?"
    result = _ask(ctx, run, "shed", "Same for Puncture, total labour please", before)
    assert not result["answered"], result["summary"]


def test_whose_they_are_is_told(ctx: FakeContext, run: Run) -> None:
    result = _ask(ctx, run, "shed", "Whose jobs are still here, i.e. no date out?")
    assert {"Jim", "Tom"} <= set(re.findall(r"\w+", " ".join(result["summary"]))), result["summary"]
