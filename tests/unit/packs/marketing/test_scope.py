"""The period and the products of a request: what is within is kept, what is not is counted and said."""

import io
from datetime import date

import polars as pl
import pytest
from pypdf import PdfReader

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import CLEAN, REPORT, about, read_reviews
from packs.marketing.cleaning.scope import Scope, narrow
from packs.marketing.reporting.sentences import told
from packs.marketing.shapes import Keywords
from tests.unit.packs.marketing.context import texts as texts_of

ROWS = (
    "좋은 이어폰,2024-03-31,갤럭시 버즈2",
    "소리가 맑아요,2024-04-01,갤럭시버즈 프로",
    "배터리가 짧아요,2024-06-30,Galaxy Buds Live",
    "화면이 커요,2024-05-05,LG 그램",
    "향이 좋아요,2024-05-06,Bulgari 향수",
    "언제 샀는지 몰라요,,갤럭시 버즈2",
    "이름 없는 물건,2024-05-07,",
    "늦게 왔어요,2024-07-01,갤럭시 버즈2",
)


@pytest.fixture
def collected(ctx, run):
    def collect(*rows: str, header: str = "text,date,product") -> None:
        ctx.upload("\n".join([header, *rows]).encode())
        run("collector")

    return collect


def texts(ctx) -> list[str]:
    return read_reviews(ctx, CLEAN).frame["text"].to_list()


def adds_up(result):
    left_out = ("emptied", "duplicates_exact", "duplicates_near", "out_of_period", "undated", "other_products")
    return result["rows_in"] == result["reviews"] + sum(result[name] for name in left_out)


def test_both_ends_of_a_period_are_in_it_and_undated_reviews_are_not(ctx, run, collected):
    collected(*ROWS)
    result = run("preprocessor", date_from="2024-04-01", date_to="2024-06-30")
    assert texts(ctx) == ["소리가 맑아요", "배터리가 짧아요", "화면이 커요", "향이 좋아요", "이름 없는 물건"]
    assert (result["out_of_period"], result["undated"], result["other_products"]) == (2, 1, 0)
    assert adds_up(result)
    quality = read_reviews(ctx, CLEAN).quality
    assert (quality.period_from, quality.period_to) == (date(2024, 4, 1), date(2024, 6, 30))
    assert (quality.out_of_period, quality.undated) == (2, 1)


@pytest.mark.parametrize(
    ("params", "kept"),
    [
        ({"date_from": "2024-06-30"}, 2),
        ({"date_to": "2024-04-01"}, 2),
        ({}, 8),
        ({"date_from": "2024-03-31", "date_to": "2024-03-31"}, 1),
    ],
)
def test_an_end_of_the_period_may_be_open(run, collected, params, kept):
    collected(*ROWS)
    result = run("preprocessor", **params)
    assert result["reviews"] == kept and adds_up(result)


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["갤럭시 버즈"], 4),
        (["galaxy buds", "갤럭시 버즈"], 5),
        (["ＧＡＬＡＸＹ　ＢＵＤＳ"], 1),
        (["LG"], 1),
        (["버즈 프로"], 1),
        (["향수", "그램"], 2),
    ],
)
def test_a_product_is_found_in_other_spellings_and_not_inside_another_word(run, collected, names, kept):
    collected(*ROWS)
    result = run("preprocessor", products=names)
    assert (result["reviews"], result["other_products"]) == (kept, 8 - kept)
    assert adds_up(result) and not result["products_unknown"]


def test_period_and_product_narrow_together(ctx, run, collected):
    collected(*ROWS)
    result = run("preprocessor", date_from="2024-04-01", date_to="2024-06-30", products=["갤럭시 버즈"])
    assert texts(ctx) == ["소리가 맑아요"]
    assert (result["out_of_period"], result["undated"], result["other_products"]) == (2, 1, 4)


def test_reviews_that_name_no_product_are_all_kept_and_it_is_said(ctx, run, collected):
    collected("아주 좋아요,2024-05-05", "별로예요,2024-05-06", header="text,date")
    assert run("preprocessor", products=["갤럭시"])["products_unknown"]
    assert any("갤럭시" in sentence and "0건" in sentence for sentence in run("sentiment")["summary"])


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_a_period_without_reviews_is_told_with_the_period_that_the_data_have(ctx, run, collected, language):
    ctx.language = language
    collected(*ROWS)
    with pytest.raises(ToolError) as raised:
        run("preprocessor", date_from="2025-04-01", date_to="2025-06-30")
    assert (raised.value.code, raised.value.retryable) == (Code.TABLE_EMPTY, False)
    for day in ("2025-04-01", "2025-06-30", "2024-03-31", "2024-07-01"):
        assert day in raised.value.message
    assert raised.value.detail["data_from"] == "2024-03-31"


def test_a_product_without_reviews_is_told_with_the_products_that_there_are(run, collected):
    collected(*ROWS)
    with pytest.raises(ToolError) as raised:
        run("preprocessor", products=["아이폰"])
    assert raised.value.code == Code.TABLE_EMPTY
    assert raised.value.detail["known"] == [
        "갤럭시 버즈2",
        "Bulgari 향수",
        "Galaxy Buds Live",
        "LG 그램",
        "갤럭시버즈 프로",
    ]
    with pytest.raises(ToolError) as raised:
        run("preprocessor", products=["아이폰"], date_from="2024-07-01")
    assert raised.value.detail["known"] == ["갤럭시 버즈2"], "those of the period asked for"
    assert "2024-07-01" in raised.value.message


def test_a_period_of_reviews_without_dates_cannot_be_picked_out(run, collected):
    collected("아주 좋아요,가방", "별로예요,가방", header="text,product")
    with pytest.raises(ToolError) as raised:
        run("preprocessor", date_from="2024-01-01")
    assert raised.value.code == Code.DATE_COLUMN_MISSING
    assert "2024-01-01" in raised.value.message


@pytest.mark.parametrize("params", [{"date_from": "2024-05-01", "date_to": "2024-04-01"}, {"date_to": "2024-02-30"}])
def test_a_period_that_is_none_is_refused(run, collected, params):
    collected(*ROWS)
    with pytest.raises(ToolError) as raised:
        run("preprocessor", **params)
    assert raised.value.code == Code.TOOL_ARGUMENTS_INVALID
    assert all(value in raised.value.message for value in params.values())


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_the_summary_names_the_period_and_what_was_left_out(ctx, run, collected, language):
    ctx.language = language
    collected(*ROWS)
    run("preprocessor", date_from="2024-04-01", date_to="2024-06-30", products=["갤럭시 버즈", "LG"])
    reviews = read_reviews(ctx, CLEAN)
    said = told(ctx, Keywords(about=about(reviews), keywords=(), available=2, read=2, skipped_languages=()))
    assert "2024-04-01" in said[0] and "2024-06-30" in said[0] and "3" in said[0]
    assert "갤럭시 버즈, LG" in said[1]


def test_the_report_of_a_period_says_so_and_counts_what_is_left_out(ctx, run, collected):
    collected(*ROWS)
    run("preprocessor", date_from="2024-04-01")
    run("sentiment")
    assert "2024-04-01" in run("report")["summary"][0]
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(ctx.newest(REPORT))).pages)
    for row in ("out_of_period", "undated"):
        assert f"{texts_of('ko')[f'report.quality.{row}']} 1" in " ".join(text.split())


def test_nothing_is_lost_or_counted_twice_by_narrowing():
    frame = pl.DataFrame(
        {"date": [None, date(2024, 1, 1), date(2024, 2, 1), None], "product": ["a", "b", None, None]},
        schema={"date": pl.Date(), "product": pl.String()},
    )
    for scope in (
        Scope(),
        Scope(date(2024, 1, 1)),
        Scope(None, date(2024, 1, 15)),
        Scope(date(2023, 1, 1), None, ("b",)),
    ):
        found = narrow(frame, scope)
        assert found.frame.height + found.out_of_period + found.undated + found.other_products == 4
