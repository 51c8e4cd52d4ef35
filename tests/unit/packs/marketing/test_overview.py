"""A table without texts is told of by its figures: counted again here with plain code, and shown in a report."""

import csv
import html
import io
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from docx import Document
from pptx import Presentation

from packs.marketing.overview.shape import Overview
from packs.marketing.tools import dashboard, overview, report, sales_material
from tests.unit.packs.marketing.context import FakeContext, Witness

HEADS = {
    "en": ("ticket", "sold on", "branch", "unit price", "quantity", "total", "paid by", "waited (min)"),
    "ko": ("전표번호", "판매일", "매장", "단가", "수량", "총액", "결제수단", "대기(분)"),
    "ja": ("伝票番号", "販売日", "店舗", "単価", "数量", "合計金額", "支払方法", "待ち時間"),
}
BRANCHES = ("Hyde", "Elm", "Kirk", "Quay")


def sales(rows: int = 480) -> list[tuple[str, str, str, float, int, float, str, str]]:
    """From 3 January to the end of June; April falls, every eleventh waiting time is not known."""
    found = []
    for at in range(rows):
        month, day = at % 6 + 1, at * 7 % 28 + 1
        price, number = 4.5 + at % 9, (at * 5 % 7 + 1) // (2 if month == 4 else 1) + 1
        waited = "" if at % 11 == 0 else str(at % 13)
        found.append((f"T{at:05}", f"2026-{month:02}-{day:02}", BRANCHES[at * at % 10 % 4], price, number,
                      round(price * number, 2), ("card", "cash")[at % 3 == 0], waited))  # fmt: skip
    # the last day of the table is that of its last month
    return [*found, ("T99999", "2026-06-30", "Elm", 5.0, 1, 5.0, "card", "4")]


def written(language: str, rows: list[tuple[str, str, str, float, int, float, str, str]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([HEADS[language], *rows])
    return buffer.getvalue().encode()


def told(folder: Path, language: str, data: bytes | None = None) -> tuple[Any, Overview, list[str]]:
    ctx: Any = Witness(folder, language=language)
    ctx.upload(data or written(language, sales()), "till.csv")
    result = overview.run({}, ctx)
    found = Overview.model_validate_json(ctx.newest("insight.table"))
    summary = result["summary"]
    assert isinstance(summary, list)
    return ctx, found, [str(line) for line in summary]


@pytest.mark.parametrize("language", HEADS)
def test_what_adds_up_is_added_up_and_a_price_of_one_piece_is_not(language: str, tmp_path: Path) -> None:
    _, found, summary = told(tmp_path, language)
    rows, facts = sales(), dict(found.facts)
    total = f"{sum(row[5] for row in rows):,.2f}".removesuffix(".00")
    assert [name for name, figure in facts.items() if figure == total and HEADS[language][5] in name]
    assert f"{len(rows):,}" in facts.values()
    assert any(f"{sum(row[4] for row in rows):,}" in line for line in summary)
    prices = f"{sum(row[3] for row in rows):,.2f}".removesuffix(".00")
    assert not any(prices in line for line in summary), "what pieces cost does not add up"
    assert found.rows == len(rows)
    assert (str(found.date_from), str(found.date_to)) == ("2026-01-01", "2026-06-30")


@pytest.mark.parametrize("language", HEADS)
def test_the_group_with_the_most_is_told_and_its_share(language: str, tmp_path: Path) -> None:
    ctx, _, _ = told(tmp_path, language)
    rows, heads = sales(), HEADS[language]
    said = {str(values["by"]): values for key, values in ctx.said if key == "overview.most"}
    for at in (2, 6):
        sums: dict[str, float] = defaultdict(float)
        for row in rows:
            sums[str(row[at])] += row[5]
        best = max(sums, key=lambda one: sums[one])
        values = said[heads[at]]
        assert (values["name"], values["share"]) == (best, f"{100 * sums[best] / sum(sums.values()):.1f} %")
        assert str(values["value"]) == f"{sums[best]:,.2f}".removesuffix(".00")
        assert heads[5] in str(values["what"])


def test_of_two_that_have_as_much_neither_has_the_most(tmp_path: Path) -> None:
    rows = [(f"T{at}", f"2026-0{at % 3 + 1}-1{at % 9}", BRANCHES[at % 2], 2.0 + at // 2, 3, 6.0 + 3 * (at // 2), "card", "1")
            for at in range(80)]  # fmt: skip
    ctx, _, _ = told(tmp_path, "en", written("en", rows))
    assert not [values for key, values in ctx.said if key == "overview.most" and values["by"] == "branch"]


@pytest.mark.parametrize("language", HEADS)
def test_only_whole_months_are_compared(language: str, tmp_path: Path) -> None:
    ctx, _, _ = told(tmp_path, language, written(language, [row for row in sales() if row[1] < "2026-06-20"]))
    (change,) = [values for key, values in ctx.said if key.startswith("ask.change")]
    assert (change["first"], change["last"]) == ("2026-04", "2026-05"), "June is cut off on its 19th"


def test_empty_cells_are_counted(tmp_path: Path) -> None:
    _, found, _ = told(tmp_path, "en")
    columns = {row[0]: row for row in found.parts[-1].rows}
    missing = sum(not row[7] for row in sales())
    assert columns["waited (min)"][2:] == (f"{len(sales()) - missing:,}", str(missing))


@pytest.mark.parametrize("language", HEADS)
def test_the_report_has_every_chapter_with_its_figures(language: str, tmp_path: Path) -> None:
    ctx, found, summary = told(tmp_path, language)
    result = report.run({}, ctx)
    assert result["sections"] == ["summary", "table"]
    assert result["charts"]
    pages = [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(ctx.newest("document.pdf"))]
    text = re.sub(r"\s", "", "".join(pages))
    for line in [*summary, *(part.heading for part in found.parts)]:
        assert re.sub(r"\s", "", line) in text, line
    for part in found.parts:
        assert re.sub(r"\s", "", "".join(part.rows[0])) in text, part.heading
    evidence = result["evidence"]
    assert isinstance(evidence, list)
    assert len(evidence) >= len(summary) - 1


@pytest.mark.parametrize(("form", "file"), [("one_page", "pdf"), ("full", "docx"), ("one_page", "docx")])
def test_the_report_on_one_page_and_in_word(form: str, file: str, tmp_path: Path) -> None:
    ctx, found, summary = told(tmp_path, "ko")
    result = report.run({"form": form, "file": file}, ctx)
    data = ctx.newest("document.pdf")
    if file == "pdf":
        assert result["pages"] == 1
        return
    document = Document(io.BytesIO(data))
    said = [paragraph.text for paragraph in document.paragraphs]
    assert set(summary) <= set(said)
    assert (found.parts[-1].heading in said) is (form == "full")
    assert document.inline_shapes


@pytest.mark.parametrize("language", HEADS)
def test_the_dashboard_has_the_figures_and_a_chart_for_each_group(language: str, tmp_path: Path) -> None:
    ctx, found, summary = told(tmp_path, language)
    result = dashboard.run({}, ctx)
    assert result["sections"] == ["table"]
    page = ctx.newest("document.dashboard").decode()
    text = html.unescape(page)
    assert all(line in text for line in summary)
    assert all(name in text and figure in text for name, figure in found.facts)
    drawn = [part for part in found.parts if part.chart]
    assert page.count("<figure>") == len(drawn) >= 3
    assert ctx.newest("image.dashboard").startswith(b"\x89PNG")


def test_a_table_of_one_column_is_told_of(tmp_path: Path) -> None:
    ctx: Any = FakeContext(tmp_path, language="en")
    ctx.upload(b"score\n" + b"\n".join(b"%d" % (at % 90) for at in range(200)), "one.csv")
    overview.run({}, ctx)
    assert report.run({}, ctx)["sections"] == ["summary", "table"]


@pytest.mark.parametrize("language", HEADS)
def test_slides_of_a_table_hold_its_figures_in_charts_that_can_be_opened(language: str, tmp_path: Path) -> None:
    ctx, found, _ = told(tmp_path, language)
    made = sales_material.run({}, ctx)
    deck = Presentation(io.BytesIO(ctx.newest("document.slides")))
    assert made["slides"] == len(deck.slides) == 1 + 1 + sum(part.chart is not None for part in found.parts)
    texts = [shape.text_frame.text for slide in deck.slides for shape in slide.shapes if shape.has_text_frame]
    assert all(any(value in text for text in texts) for _, value in found.facts)
    totals: dict[str, float] = defaultdict(float)
    for _, _, branch, _, _, total, _, _ in sales():
        totals[branch] += total
    charts = [shape.chart for slide in deck.slides for shape in slide.shapes if shape.has_chart]
    drawn = [dict(zip(one.plots[0].categories, one.series[0].values, strict=True)) for one in charts]
    assert {name: round(value, 2) for name, value in totals.items()} in [
        {str(name): round(value, 2) for name, value in one.items()} for one in drawn
    ]
