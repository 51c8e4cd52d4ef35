"""The report can be opened, its numbers are those of the data, and text from outside stays text."""

import csv
import io
import re

import pytest
from PIL import Image
from pypdf import PdfReader

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.charts.drawing import png
from packs.marketing.charts.rows import Across, bars
from packs.marketing.reporting import fonts
from tests.unit.packs.marketing.context import PACK, FakeContext, texts

DEMO = PACK / "data"
OTHERS = ("report.heading.competitor", "report.heading.inventory")
NEUTRAL, VOLUME = (0xC3, 0xCA, 0xD3), (0xB9, 0xC7, 0xD8)
ALL = ("collector", "preprocessor", "sentiment", "keyword", "trends")


def make(ctx, run, data, *tools, **params):
    ctx.upload(data, "reviews.csv")
    for tool in tools:
        run(tool)
    result = run("report", **params)
    return result, PdfReader(io.BytesIO(ctx.newest("document.pdf")))


def text_of(pdf):
    return "\n".join(page.extract_text() for page in pdf.pages)


@pytest.fixture(scope="module")
def korean(tmp_path_factory):
    """The report of the Korean demo, made once: context, PDF and the rows of the CSV."""
    import importlib

    ctx = FakeContext(tmp_path_factory.mktemp("report"))
    data = (DEMO / "demo_reviews_ko.csv").read_bytes()
    ctx.upload(data, "demo_reviews_ko.csv")
    results = {tool: importlib.import_module(f"packs.marketing.tools.{tool}").run({}, ctx) for tool in (*ALL, "report")}
    pdf = PdfReader(io.BytesIO(ctx.newest("document.pdf")))
    rows = [row for row in csv.reader(io.StringIO(data.decode())) if len(row) == 6][1:]
    return ctx, results, pdf, rows


def test_every_heading_is_there_in_korean(korean):
    _, _, pdf, _ = korean
    page = text_of(pdf)
    for key, heading in texts("ko").items():
        if key.startswith("report.heading.") and key not in OTHERS:
            assert heading in page


def test_the_numbers_are_those_of_the_csv(korean):
    _, results, pdf, rows = korean
    page = text_of(pdf)
    kept = [row for row in rows if row[4].strip() not in ("", "N/A")]
    folded = {(re.sub(r"\W", "", row[4]), row[1]): row for row in reversed(kept)}
    ratings = [int(row[2]) for row in folded.values() if row[2] in "12345"]
    assert results["collector"]["rows_kept"] == len(kept) == 235
    assert f"리뷰 {len(folded)}건을 분석했습니다" in page
    assert f"평점이 있는 리뷰 {len(ratings)}건의 평균은 {sum(ratings) / len(ratings):.2f}점" in page
    months = {row[3][:7]: 0 for row in folded.values() if row[3].startswith("2025-0")}
    for row in folded.values():
        if row[3][:7] in months:
            months[row[3][:7]] += 1
    for month, reviews in months.items():
        assert re.search(rf"{month} {reviews} \d+\.\d%", page), month
    for product in {row[1] for row in folded.values()}:
        number = sum(row[1] == product for row in folded.values())
        assert re.search(rf"{product} {number} ", page), product


def test_the_months_of_the_trend_table_add_up_to_the_dated_reviews(korean):
    _, results, _, _ = korean
    assert sum(point["reviews"] for point in results["trends"]["points"]) == results["trends"]["reviews"]


def test_the_shift_of_the_demo_is_in_the_summary(korean):
    _, results, _, _ = korean
    assert any("2025-05" in sentence and "내렸습니다" in sentence for sentence in results["report"]["summary"])


def test_the_pdf_has_the_charts_that_the_insights_come_with(korean):
    ctx, results, _, _ = korean
    charts = ctx.inputs("chart.png")
    assert {item.attachment.meta["section"] for item in charts} == set(results["report"]["charts"])
    assert all(item.path.read_bytes().startswith(b"\x89PNG") for item in charts)
    assert ctx.pages_with(NEUTRAL) == 2, "sentiment and keywords"
    assert ctx.pages_with(VOLUME) == 1, "the trend"


def test_the_result_counts_pages_as_a_reader_does(korean):
    _, results, pdf, _ = korean
    assert results["report"]["pages"] == len(pdf.pages)


def test_the_pdf_says_when_it_was_made_by_the_requests_clock(korean):
    _, _, pdf, _ = korean
    assert pdf.metadata is not None
    assert str(pdf.metadata.creation_date).startswith("2025-09-15")


def test_progress_only_grows_within_the_report(korean):
    ctx, _, _, _ = korean
    assert all(0 <= fraction <= 1 for fraction, _ in ctx.steps)
    assert all(message for _, message in ctx.steps)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_other_languages_have_their_headings(ctx, run, language):
    if language == "ja" and len(fonts.folders()) < 2:
        pytest.skip("pylopdf-fonts-jp is not installed: the Korean font lacks some Japanese characters")
    ctx.language = language
    _, pdf = make(ctx, run, (DEMO / "demo_reviews_en.csv").read_bytes(), *ALL)
    page = text_of(pdf)
    for key, heading in texts(language).items():
        if key.startswith("report.heading.") and key not in OTHERS:
            assert heading in page


EVIL = [
    '#import "/etc/passwd": * #read("/etc/passwd")',
    "$ sum_(i=0)^n $ *bold* _it_ `raw` = Heading <label> @ref #panic()",
    'quote " backslash \\ } ] ) #{ } // comment /* open',
    "<script>alert(1)</script> {{ value }} {0} %s %(x)s",
]


def test_markup_in_reviews_and_names_stays_text(ctx, run):
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["review", "rating", "product", "date"])
    for n in range(12):
        writer.writerow(
            [f"I love it, great product number {n} {EVIL[n % 4]}", 5, f"#evil[{n % 2}] *x*", f"2024-0{n % 6 + 1}-03"]
        )
    ctx.language = "en"
    _, pdf = make(ctx, run, rows.getvalue().encode(), *ALL, title='Report #panic("x") $x$')
    page = text_of(pdf)
    assert 'Report #panic("x") $x$' in page
    assert "#evil[0] *x*" in page
    assert "root:" not in page
    assert any(evil[:20] in page for evil in EVIL)


@pytest.mark.parametrize("tool", ["sentiment", "keyword", "trends"])
def test_one_insight_is_enough(ctx, run, tool):
    ctx.language = "en"
    result, pdf = make(ctx, run, (DEMO / "demo_reviews_en.csv").read_bytes(), "collector", "preprocessor", tool)
    assert tool.rstrip("s") in "".join(result["sections"])
    assert len(result["charts"]) == 1
    assert "228" in text_of(pdf)


def test_reviews_without_dates_ratings_or_products_make_a_report_too(ctx, run):
    ctx.language = "en"
    result, _ = make(ctx, run, b"text\nI love it\nI hate it\n", "collector", "preprocessor", "sentiment", "keyword")
    assert "trend" not in result["sections"]


def test_insights_of_different_reviews_are_said_to_be_so(ctx, run):
    make(ctx, run, b"text\nI love it\nI hate it\n", "collector", "preprocessor", "sentiment")
    _, pdf = make(ctx, run, b"text\nGood phone\nBad phone\n", "collector", "preprocessor", "keyword")
    assert texts("ko")["report.limit.mixed"] in text_of(pdf).replace("\n", "")


def test_without_any_insight_there_is_nothing_to_report(ctx, run):
    ctx.upload(b"text\nI love it\n")
    run("collector")
    run("preprocessor")
    with pytest.raises(ToolError) as raised:
        run("report")
    assert raised.value.code == Code.NOTHING_TO_REPORT


def test_a_name_with_letters_that_no_drawing_can_hold_is_drawn_without_them():
    chart = bars([{"name": "kettle\ufffe\x01", "value": 1}], Across(0, 1), 300)
    assert Image.open(io.BytesIO(png(chart, "ko"))).size[0] > 50


@pytest.mark.parametrize(("language", "said"), [("ko", "100.0%(40건)"), ("en", "100.0% of 40"), ("ja", "100.0%(40件)")])
@pytest.mark.parametrize("form", [{}, {"form": "one_page"}])
def test_texts_and_ratings_that_give_two_pictures_are_told_of_once(ctx, run, language, said, form):
    """Everybody gives five, and half of them say that it is broken."""
    ctx.language = language
    texts_said = ("배송이 빨라서 너무 좋아요", "고장이 나서 환불하고 후회합니다")
    rows = [f"2025-0{1 + n % 4}-11,5,{texts_said[n % 2]} {n}" for n in range(40)]
    _, pdf = make(ctx, run, "\n".join(["작성일,별점,리뷰", *rows]).encode(), *ALL[:3], **form)
    assert "".join(text_of(pdf).split()).count("".join(said.split())) == 1
