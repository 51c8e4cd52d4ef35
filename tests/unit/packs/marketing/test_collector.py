"""Tables as people have them become reviews, and every row is accounted for."""

import polars as pl
import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import RAW, read_reviews

KOREAN = (
    "리뷰,평점,작성일,상품\n정말 좋아요,5,2024-01-05,가방\n별로예요,2,2024-02-06,가방\n그냥 그래요,3,2024-03-07,신발\n"
)
JAPANESE = "レビュー,評価,投稿日\nとても使いやすいです,5,2024年1月5日\nすぐに壊れました,1,2024年2月6日\n"


def table(ctx):
    return read_reviews(ctx, RAW).frame


def roles(result):
    return {item["column"]: item["role"] for item in result["files"][0]["mapping"]}


def test_the_mapping_is_shown_with_how_it_was_found(ctx, run):
    ctx.upload(KOREAN.encode())
    mapping = run("collector")["files"][0]["mapping"]
    assert {(item["column"], item["role"], item["found"]) for item in mapping} == {
        ("리뷰", "text", "name"),
        ("평점", "rating", "name"),
        ("작성일", "date", "name"),
        ("상품", "product", "name"),
    }
    assert all(0.9 <= item["confidence"] <= 1 for item in mapping)


def test_developers_are_told_what_the_file_was_taken_for(ctx, run):
    ctx.upload(KOREAN.encode("cp949"))
    run("collector")
    assert (
        ctx.lines[0] == "reviews.csv: csv cp949, 4 columns: text='리뷰', rating='평점', date='작성일', product='상품'"
    )


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("review_id,product,rating,date,text", ["id", "product", "rating", "date", "text"]),
        ("No,상품명,별점,등록일,리뷰내용", ["id", "product", "rating", "date", "text"]),
        ("번호,제품명,평가 점수,작성 일자,한줄평", ["id", "product", "rating", "date", "text"]),
        ("reviewId,itemName,starRating,createdAt,reviewText", ["id", None, "rating", "date", "text"]),
    ],
)
def test_names_in_other_spellings_are_understood(ctx, run, header, expected):
    ctx.upload(
        f"{header}\n1,가방,5,2024-01-05,정말 좋은 가방이에요\n2,신발,1,2024-01-06,밑창이 금방 떨어졌어요\n".encode()
    )
    found = roles(run("collector"))
    assert [found[name] for name in header.split(",") if expected[header.split(",").index(name)]] == [
        role for role in expected if role
    ]


def test_columns_with_strange_names_are_found_by_their_content(ctx, run):
    rows = "\n".join(
        f"{n},{n % 5 + 1},2024-01-{n:02},This is sentence number {n} about the thing" for n in range(1, 25)
    )
    ctx.upload(f"aa,bb,cc,dd\n{rows}\n".encode())
    result = run("collector")
    assert roles(result) == {"aa": None, "bb": "rating", "cc": "date", "dd": "text"}
    assert {item["found"] for item in result["files"][0]["mapping"]} == {"content", None}


def test_a_table_without_a_header_is_read_from_its_first_line(ctx, run):
    ctx.upload("정말 좋아요 추천합니다,5\n배송이 너무 늦어서 화가 났어요,1\n".encode())
    result = run("collector")
    assert result["rows_read"] == 2
    assert result["files"][0]["notes"] == ["no_header"]


def test_a_plain_list_of_sentences_is_a_table(ctx, run):
    ctx.upload("정말 좋아요 추천합니다!\n배송이 너무 늦어서 화가 났어요.\n그냥 그래요.\n".encode())
    assert run("collector")["rows_kept"] == 3


def test_the_person_may_override_the_guess(ctx, run):
    ctx.upload("text,comment,n\n무시할 글,진짜 리뷰입니다,5\n무시할 글 둘,또 다른 리뷰입니다,4\n".encode())
    result = run("collector", mapping={"text": "ignore", "comment": "text", "n": "rating"})
    assert table(ctx)["text"].to_list() == ["진짜 리뷰입니다", "또 다른 리뷰입니다"]
    assert roles(result) == {"text": None, "comment": "text", "n": "rating"}


def test_an_override_for_an_unknown_column_is_refused_with_the_columns(ctx, run):
    ctx.upload(KOREAN.encode())
    with pytest.raises(ToolError) as raised:
        run("collector", mapping={"없는 열": "text"})
    assert raised.value.code == Code.TOOL_ARGUMENTS_INVALID
    assert raised.value.detail["unknown"] == ["없는 열"]
    assert raised.value.detail["columns"] == sorted(["리뷰", "평점", "작성일", "상품"])


def test_every_bad_row_is_counted_with_its_line_and_value(ctx, run):
    ctx.upload(
        b"text,rating,date\n"
        b"good one,5,2024-01-05\n"
        b",4,2024-01-06\n"
        b"too,many,cells,here\n"
        b"few,1\n"
        b'"two\nlines",4,2024-01-08\n'
        b"bad date,3,sometime\n"
        b"bad rating,lots,2024-01-09\n"
        b"huge rating,1e999,2024-01-09\n"
        b"n/a,4,2024-01-10\n"
    )
    result = run("collector")
    assert result["rows_read"] == result["rows_kept"] + result["rows_bad"] == 9
    assert result["bad_by_reason"] == {"ragged": 2, "empty_text": 2}
    assert result["warnings_by_reason"] == {"date_unparsable": 1, "rating_unparsable": 2}
    lines = {(item["reason"], item["line"]) for item in result["examples"]}
    assert lines == {
        ("empty_text", 3),
        ("ragged", 4),
        ("ragged", 5),
        ("date_unparsable", 8),
        ("rating_unparsable", 9),
        ("rating_unparsable", 10),
        ("empty_text", 11),
    }
    assert table(ctx).filter(pl.col("text") == "bad date")["date"].to_list() == [None]


def test_only_the_first_few_bad_rows_are_shown(ctx, run):
    ctx.upload(("text,rating\n" + ",1\n" * 500 + "좋은 상품입니다,5\n").encode())
    result = run("collector")
    assert result["bad_by_reason"] == {"empty_text": 500}
    assert len(result["examples"]) == 5


def test_several_files_become_one_table(ctx, run):
    ctx.upload(KOREAN.encode(), "a.csv")
    ctx.upload(KOREAN.encode("cp949").replace(b"5", b"4"), "b.csv")
    result = run("collector")
    assert result["rows_kept"] == 6
    assert table(ctx)["file"].to_list() == ["a.csv"] * 3 + ["b.csv"] * 3
    assert table(ctx)["row"].to_list() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "picture.csv", Code.TABLE_UNREADABLE),
        (b"%PDF-1.7 something", "paper.pdf", Code.TABLE_UNREADABLE),
        (b"PK\x03\x04 not really a workbook", "reviews.xlsx", Code.TABLE_UNREADABLE),
        (b"{not json at all", "reviews.json", Code.TABLE_UNREADABLE),
        (b"", "reviews.csv", Code.TABLE_EMPTY),
        (b"  \n\n", "reviews.csv", Code.TABLE_EMPTY),
        (b"text,rating\n", "reviews.csv", Code.TABLE_EMPTY),
        (b"text,rating\n,5\n,4\n", "reviews.csv", Code.TABLE_EMPTY),
        (b"[]", "reviews.json", Code.TABLE_EMPTY),
        (b"rating,date\n5,2024-01-05\n4,2024-01-06\n", "reviews.csv", Code.TEXT_COLUMN_MISSING),
    ],
)
def test_what_is_no_table_of_reviews_is_refused_with_its_reason(ctx, run, data, name, code):
    ctx.upload(data, name)
    with pytest.raises(ToolError) as raised:
        run("collector")
    assert raised.value.code == code
    assert not raised.value.retryable
    assert raised.value.message


def test_without_a_text_column_the_columns_found_are_named(ctx, run):
    ctx.upload(b"rating,date\n5,2024-01-05\n")
    with pytest.raises(ToolError) as raised:
        run("collector")
    assert raised.value.detail["columns"] == ["rating", "date"]
    assert "rating, date" in raised.value.message


def test_without_a_file_the_input_is_missing(run):
    with pytest.raises(ToolError) as raised:
        run("collector")
    assert raised.value.code == Code.INPUT_MISSING
