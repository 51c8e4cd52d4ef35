"""Reports on competitors and on the stock: their numbers are those of the tools, with and without reviews."""

import csv
import importlib
import io
from dataclasses import replace

import pytest
from pypdf import PdfReader

from packs.marketing.reporting import fonts
from packs.marketing.stock.again import read_stock
from tests.unit.packs.marketing.analysed import analysed
from tests.unit.packs.marketing.context import PACK, texts


def ran(tool, ctx, **params):
    return importlib.import_module(f"packs.marketing.tools.{tool}").run(params, ctx)


def page(ctx):
    pdf = PdfReader(io.BytesIO(ctx.newest("document.pdf")))
    return pdf, " ".join(" ".join(one.extract_text() for one in pdf.pages).split())


def stocked(ctx, language, **params):
    path = PACK / "data" / f"demo_stock_{'ko' if language == 'ko' else 'en'}.csv"
    ctx.language = language
    ctx.upload(path.read_bytes(), path.name)
    return ran("inventory", ctx, **params)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A comparison of the English demo in a report without keywords and trend, made once."""
    whole = analysed("en", tmp_path_factory)
    kept = [item for item in whole.saved if item.attachment.type not in ("insight.keywords", "insight.trend")]
    ctx = replace(whole, saved=kept)
    result = ran("competitor", ctx)
    return ctx, result, ran("report", ctx), *page(ctx)


def test_a_comparison_is_a_section_with_a_row_for_each_brand_and_its_chart(compared):
    ctx, result, report, pdf, text = compared
    assert report["sections"] == ["summary", "sentiment", "competitor", "quotes", "quality", "limits"]
    assert texts("en")["report.title_competitor"] in text
    assert pdf.metadata.title == texts("en")["report.title_competitor"]
    for brand in result["brands"]:
        tally = brand["tally"]
        row = (
            f"{brand['name']} {tally['reviews']} {100 * brand['share_of_voice']:.1f}% "
            f"{100 * tally['positive'] / tally['reviews']:.1f}% "
            f"({100 * brand['positive_low']:.1f}%–{100 * brand['positive_high']:.1f}%) {tally['mean_rating']:.2f} "
            f"{brand['disliked'][0]['term'] if brand['disliked'] else '–'}"
        )
        assert row in text
    assert ctx.pages_with((0x27, 0x54, 0x8A)) and ctx.pages_with((0xC3, 0xCA, 0xD3))
    # what the tools have drawn and saved themselves is not saved again: a second copy would be noise
    assert [item.attachment.name for item in ctx.inputs("chart.png")][-1] == "chart_competitor.png"


def test_who_is_ahead_is_said_once_in_the_summary(compared):
    _, result, report, _, _ = compared
    lead = next(sentence for sentence in result["summary"] if result["lead"]["second"] in sentence)
    assert report["summary"].count(lead) == 1
    assert sum(result["lead"]["first"] in sentence for sentence in report["summary"]) == 1


@pytest.mark.parametrize("language", ["ko", "ja"])
def test_a_report_on_the_stock_alone_needs_no_reviews(ctx, run, language):
    if language == "ja" and len(fonts.folders()) < 2:
        pytest.skip("pylopdf-fonts-jp is not installed: the Korean font lacks some Japanese characters")
    checked = stocked(ctx, language)
    ctx.saved = [item for item in ctx.saved if item.attachment.type == "insight.stock"]
    report = run("report")
    _, text = page(ctx)
    words = texts(language)
    assert report["sections"] == ["summary", "inventory", "quality", "limits"]
    assert (report["reviews"], report["name"]) == (0, "inventory_report_2025-09-15.pdf")
    assert report["summary"] == checked["summary"][: len(report["summary"])]
    for key in ("report.title_inventory", "report.limit.stock", "report.heading.inventory"):
        assert words[key].replace(" ", "") in text.replace(" ", "")
    for key in ("report.limit.sample", "report.method", "report.undated"):
        assert words[key][:20].replace(" ", "") not in text.replace(" ", "")
    for status, number in checked["counts"].items():
        assert f"{words[f'inventory.status.{status}']} {number} {100 * number / checked['items']:.1f}%" in text
    for item in checked["to_order"]:
        assert f"{item['order_quantity']:,}" in text
        assert item["runs_out"] in text
    assert f"{words['report.stock.rows_left_out']} {checked['rows_left_out']}" in text
    assert ctx.pages_with((0x8F, 0xA3, 0xBD)) == 1


def test_reviews_and_stock_stand_in_one_report(tmp_path_factory):
    ctx = analysed("en", tmp_path_factory)
    ctx.saved = [item for item in ctx.saved if item.attachment.type in ("reviews.clean", "insight.keywords")]
    stocked(ctx, "en", service_level=0.98, horizon_days=30)
    report = ran("report", ctx)
    _, text = page(ctx)
    assert report["sections"] == ["summary", "keywords", "inventory", "quality", "limits"]
    assert (report["reviews"], report["name"]) == (228, "review_report_2025-09-15.pdf")
    assert texts("en")["report.title_both"] in text
    assert "demo_reviews_en.csv, demo_stock_en.csv" in text
    assert "a service level of 98%" in text
    assert "In the next 30 days" in text
    assert texts("en")["report.limit.sample"] in text


def test_a_stock_check_read_back_says_and_orders_the_same(ctx, run):
    rows: list[list[object]] = [["sku", "name", "on hand", "daily sales", "lead time"]]
    # slow sellers, a name that a spreadsheet would calculate, and more to order than a page shows
    rows += [[f"S{n}", f"=SUM({n}) #evil", 0 if n < 15 else n % 3, 0.004 * n + 0.003, 60] for n in range(1, 24)]
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    ctx.upload(buffer.getvalue().encode(), "stock.csv")
    ctx.language = "en"
    checked = run("inventory")
    stock = read_stock(ctx)
    assert stock is not None
    assert stock.checked.counts == checked["counts"]
    again = [(line.item.name, line.advice.order, round(line.advice.safety_stock, 2)) for line in stock.checked.to_order]
    assert again == [(one["name"], one["order_quantity"], one["safety_stock"]) for one in checked["to_order"]]
    demand = [line.item.rate.demand for line in stock.checked.to_order]
    assert demand == pytest.approx([one["daily_demand"] for one in checked["to_order"]], abs=1e-4)
    report = run("report")
    assert report["summary"] == checked["summary"][: len(report["summary"])]
    more = texts("en")["report.stock.more"].format(number=checked["orders"] - 15)
    assert checked["orders"] > 15
    assert more in page(ctx)[1]
