"""Files as people have them are read: encodings, delimiters, workbooks, JSON, dates, ratings."""

import io
import json
import time
import tracemalloc
import zipfile
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from packs.marketing.artifacts import RAW, read_reviews
from packs.marketing.tables.columns import guess_columns
from packs.marketing.tables.raw import Unreadable
from packs.marketing.tables.read import read_table
from tests.unit.packs.marketing.context import texts

KOREAN = (
    "리뷰,평점,작성일,상품\n정말 좋아요,5,2024-01-05,가방\n별로예요,2,2024-02-06,가방\n그냥 그래요,3,2024-03-07,신발\n"
)
JAPANESE = "レビュー,評価,投稿日\nとても使いやすいです,5,2024年1月5日\nすぐに壊れました,1,2024年2月6日\n"


def table(ctx):
    return read_reviews(ctx, RAW).frame


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        (KOREAN, "utf-8", "utf-8"),
        (KOREAN, "utf-8-sig", "utf-8-sig"),
        (KOREAN, "cp949", "cp949"),
        (KOREAN, "utf-16", "utf-16"),
        (KOREAN, "utf-16-le", "utf-16-le"),
        (KOREAN, "utf-16-be", "utf-16-be"),
        (JAPANESE, "cp932", "cp932"),
        ("review,rating\nTrès bon café,5\nMédiocre,2\nIt is a plain text with few accents,4\n", "cp1252", "cp1252"),
    ],
)
def test_the_encoding_is_guessed_and_shown(ctx, run, text, encoding, found):
    ctx.upload(text.encode(encoding))
    result = run("collector")
    assert result["files"][0]["encoding"] == found
    assert table(ctx)["text"].to_list() == [line.split(",")[0] for line in text.splitlines()[1:]]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_guessed(ctx, run, delimiter):
    ctx.upload(KOREAN.replace(",", delimiter).encode())
    result = run("collector")
    assert result["files"][0]["delimiter"] == delimiter
    assert result["rows_kept"] == 3


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read(ctx, run, line_end):
    ctx.upload(KOREAN.replace("\n", line_end).encode())
    assert run("collector")["rows_kept"] == 3


def test_an_unclosed_quote_does_not_swallow_the_file(ctx, run):
    rows = "".join(f"리뷰 {n}번입니다\t{n % 5 + 1}\n" for n in range(300))
    ctx.upload(('text\trating\n"따옴표로 시작\t5\n' + rows).encode())
    result = run("collector")
    assert result["rows_read"] == 301
    assert result["files"][0]["notes"] == ["quotes_ignored"]


def test_formulas_stay_text_and_are_no_ratings(ctx, run):
    ctx.upload(b"text,rating\n=1+1 is the review,=2+3\n@SUM(A1) again,4\n+good stuff,5\n")
    run("collector")
    assert table(ctx)["text"].to_list() == ["=1+1 is the review", "@SUM(A1) again", "+good stuff"]
    assert table(ctx)["rating"].to_list() == [None, 4.0, 5.0]


@pytest.mark.parametrize(
    ("ratings", "low", "high"),
    [
        (["1", "5", "3"], 1, 5),
        (["10", "1", "7"], 1, 10),
        (["-3.2", "4", "0"], -4, 4),
        (["0", "5", "4"], 0, 5),
        (["85", "100", "40"], 0, 100),
        (["★★★★☆", "★☆☆☆☆", "★★★★★"], 1, 5),
        (["4점", "5점", "１점"], 1, 5),
        (["4,5", "3,0", "1,5"], 1, 5),
        (["4/5", "5 stars", "1"], 1, 5),
    ],
)
def test_the_rating_scale_is_detected(ctx, run, ratings, low, high):
    lines = "".join(f"review number {n} is here;{value}\n" for n, value in enumerate(ratings))
    ctx.upload(f"text;rating\n{lines}".encode())
    assert run("collector")["rating_scale"] == {"low": low, "high": high}


def test_a_typing_error_does_not_change_the_scale(ctx, run):
    lines = "".join(f"review number {n} is here,{n % 5 + 1}\n" for n in range(50))
    ctx.upload(f"text,rating\n{lines}a typo,55\n".encode())
    result = run("collector")
    assert result["rating_scale"] == {"low": 1, "high": 5}
    assert result["warnings_by_reason"] == {"rating_out_of_scale": 1}


@pytest.mark.parametrize(
    "written",
    ["2024-03-07", "2024/3/7", "2024.03.07", "2024. 3. 7.", "2024년 3월 7일", "20240307", "24.03.07", "2024-03-07T23:59:00Z",
     "Mar 7, 2024", "7 March 2024", "March 7th, 2024", "03/07/2024", "1709769600", "1709769600000", "45358"],
)  # fmt: skip
def test_dates_are_read_as_people_write_them(ctx, run, written):
    ctx.upload(f"text;date\nthis is a review;{written}\n".encode())
    run("collector")
    assert table(ctx)["date"].to_list() == [date(2024, 3, 7)]


def test_the_order_of_day_and_month_comes_from_the_whole_column(ctx, run):
    ctx.upload(b"text,date\nfirst review here,03/07/2024\nsecond review here,25/12/2024\n")
    result = run("collector")
    assert table(ctx)["date"].to_list() == [date(2024, 7, 3), date(2024, 12, 25)]
    assert result["warnings_by_reason"] == {}


def test_an_undecidable_date_order_is_assumed_and_said(ctx, run):
    ctx.upload(b"text,date\nfirst review here,03/07/2024\n")
    assert run("collector")["warnings_by_reason"] == {"date_order_assumed": 1}


def test_a_workbook_is_read_with_its_dates_and_its_own_line_numbers(ctx, run):
    book = Workbook()
    sheet = book.active
    sheet.append(["3분기 고객 리뷰"])
    sheet.append([])
    sheet.append(["리뷰 내용", "별점", "작성일"])
    sheet.append(["아주 좋아요", 5, date(2024, 1, 5)])
    sheet.append([None, 4, date(2024, 1, 6)])
    sheet.append(["늦게 왔어요", 2.5, datetime(2024, 1, 7, 13, 5)])  # noqa: DTZ001  # Excel knows no zones
    buffer = io.BytesIO()
    book.save(buffer)
    ctx.upload(buffer.getvalue(), "리뷰.xlsx")
    result = run("collector")
    assert result["files"][0]["format"] == "xlsx"
    assert table(ctx).select("line", "text", "rating", "date").rows() == [
        (4, "아주 좋아요", 5.0, date(2024, 1, 5)),
        (6, "늦게 왔어요", 2.5, date(2024, 1, 7)),
    ]
    assert result["examples"][0]["line"] == 5


REVIEWS = [
    {"text": "정말 좋아요", "rating": 5, "product": {"name": "가방"}},
    {"text": None, "rating": 1},
    {"text": "별로", "rating": 2},
]


@pytest.mark.parametrize(
    ("content", "format_"),
    [
        (json.dumps(REVIEWS), "json"),
        (json.dumps({"page": 1, "reviews": REVIEWS}, ensure_ascii=False), "json"),
        ("\n".join(json.dumps(row, ensure_ascii=False) for row in REVIEWS), "jsonl"),
    ],
)
def test_json_in_its_usual_forms_is_read(ctx, run, content, format_):
    ctx.upload(content.encode(), "reviews.json")
    result = run("collector")
    assert result["files"][0]["format"] == format_
    assert result["rows_read"] == 3
    assert result["bad_by_reason"] == {"empty_text": 1}
    assert table(ctx)["product"].to_list() == ["가방", None]


def test_a_broken_line_of_json_lines_is_one_bad_row(ctx, run):
    ctx.upload(b'{"text": "good review"}\n{"text": "cut\n{"text": "another one"}\n', "reviews.jsonl")
    result = run("collector")
    assert result["bad_by_reason"] == {"json_invalid": 1}
    assert result["examples"][0]["line"] == 2


@given(st.one_of(st.binary(max_size=400), st.text(max_size=400).map(str.encode)), st.sampled_from(["a.csv", "a.json"]))
def test_any_bytes_are_a_table_or_are_said_to_be_none(data, name):
    try:
        found = read_table(data, name)
    except Unreadable as error:
        found, key = None, f"collector.unreadable.{error.reason}"
    else:
        key = ""
    assert (found is None) == (key in texts("ko"))
    if found is not None:
        assert all(len(record.cells) == len(found.columns) for record in found.records)
        guess_columns(found.columns, [record.cells for record in found.records])


def test_a_cover_sheet_and_titles_are_no_table() -> None:
    book = Workbook()
    book.active["B2"] = "분기 실적"
    sheet = book.create_sheet("자료")
    for row in (["2025년 접수 내역"], [], ["접수일", "창구", "건수"], ["2025-01-02", "가", 3], ["2025-01-03", "나", 4]):
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    table = read_table(stream.getvalue(), "book.xlsx")
    assert table.columns == ("접수일", "창구", "건수") and len(table.records) == 2
    titled = read_table("접수 내역\n\n접수일,창구,건수\n2025-01-02,가,3\n2025-01-03,나,4\n".encode(), "titled.csv")
    assert titled.columns == ("접수일", "창구", "건수") and len(titled.records) == 2


def test_rows_of_nested_json_are_found_however_deep() -> None:
    whole = {"ok": True, "result": {"page": 1, "list": [{"shop": {"name": {"ko": "가"}}, "score": n} for n in (1, 5)]}}
    table = read_table(json.dumps(whole).encode(), "nested.json")
    assert table.columns == ("shop.name.ko", "score") and [one.cells[1] for one in table.records] == ["1", "5"]


def test_what_would_not_fit_is_refused_before_it_is_opened() -> None:
    book = Workbook()
    book.active["A1"], book.active["XFD1048576"] = "x", "y"
    sparse = io.BytesIO()
    book.save(sparse)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/worksheets/sheet1.xml", b"<c/>" * (5 << 20))
    styled = io.BytesIO()
    with zipfile.ZipFile(styled, "w", zipfile.ZIP_DEFLATED) as parts:  # as other programs write it
        parts.writestr(
            "xl/worksheets/Data.xml", b"<x:row><x:c s='12' t='inlineStr' r='XFD1048576'><x:v>1</x:v></x:c></x:row>"
        )
    wide = (",".join(f"c{n}" for n in range(200_000)) + "\n1\n").encode()
    began = time.process_time()
    refusals = (
        (sparse.getvalue(), "columns"),
        (styled.getvalue(), "columns"),
        (bomb.getvalue(), "too_large"),
        (wide, "columns"),
    )
    for data, reason in refusals:
        with pytest.raises(Unreadable) as refused:
            read_table(data, "file")
        assert refused.value.reason == reason
    assert time.process_time() - began < 1


def test_a_large_table_is_in_memory_about_once(tmp_path: Path) -> None:
    """Peak of reading, in sizes of the file: 4.1 row by row, 8.3 with lists of all lines and cells."""
    days = [f"2024-0{month}-{day}" for month in range(1, 10) for day in range(10, 29)]
    lines = [
        f"R{at:05d},성수점,{at % 5 + 1},{days[at % len(days)]},직원이 친절하고 커피가 맛있어요 {at}"
        for at in range(4_000)
    ]
    path = tmp_path / "reviews.csv"
    path.write_bytes("\r\n".join(["번호,지점,별점,작성일,내용", *lines]).encode())
    tracemalloc.start()
    try:
        read = read_table(path.read_bytes(), path.name)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(read.records) == len(lines)
    assert read.records[-1].cells[1] is read.records[0].cells[1]
    assert peak < 7 * path.stat().st_size
