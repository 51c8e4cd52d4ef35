"""Labelled reviews as a table, and the report as a Word document."""

import csv
import io
from typing import Any

import pytest
from docx import Document
from openpyxl import load_workbook

from packs.marketing.tools import export, report
from tests.unit.packs.marketing.analysed import analysed

WORDS = {"ko": ("감성", {"긍정", "중립", "부정"}), "en": ("Sentiment", {"Positive", "Neutral", "Negative"}),
         "ja": ("感情", {"ポジティブ", "中立", "ネガティブ"})}  # fmt: skip


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_every_review_stands_in_the_table_with_its_label(tmp_path_factory, language):
    ctx: Any = analysed(language, tmp_path_factory)
    result: Any = export.run({"file": "csv"}, ctx)
    read = list(csv.DictReader(io.StringIO(ctx.newest("document.table").decode("utf-8-sig"))))
    column, labels = WORDS[language]
    assert len(read) == result["rows"] > 100 and list(read[0]) == result["columns"]
    assert len({row[column] for row in read}) == 3
    if language != "ja":
        assert {row[column] for row in read} == labels
    aspects, text = result["columns"][-2:]
    told = [row for row in read if row[aspects]]
    assert told and all(one.lower() in row[text].lower() for row in told for one in row[aspects].split(", "))


def test_a_workbook_has_days_as_days_and_no_formulas(tmp_path_factory):
    ctx: Any = analysed("en", tmp_path_factory)
    export.run({}, ctx)
    sheet = load_workbook(io.BytesIO(ctx.newest("document.table"))).active
    head = [cell.value for cell in sheet[1]]
    assert sheet.cell(2, head.index("Date") + 1).is_date
    assert not any(cell.data_type == "f" for row in sheet.iter_rows() for cell in row)


@pytest.mark.parametrize("form", ["full", "one_page"])
def test_a_report_in_word_says_what_the_pdf_says(tmp_path_factory, form):
    ctx: Any = analysed("ko", tmp_path_factory)
    made: Any = report.run({"file": "docx", "form": form}, ctx)
    document = Document(io.BytesIO(ctx.newest("document.pdf")))
    said = [one.text for one in document.paragraphs]
    assert made["name"].endswith(".docx")
    pdf: Any = report.run({"form": form}, ctx)
    assert all(line in said for line in pdf["summary"])
    assert len(document.inline_shapes) == len(made["charts"]) > 0
    assert (len(document.tables) > 3) == (form == "full")
