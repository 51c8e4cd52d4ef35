"""Cleaning changes spelling, never meaning; duplicates and languages are counted."""

import pytest

from packs.marketing.artifacts import CLEAN, RAW, read_reviews, save_table
from packs.marketing.cleaning.language import language
from packs.marketing.cleaning.text import clean


def collect(ctx, run, rows, header="text,product"):
    ctx.upload("\n".join([header, *rows]).encode())
    run("collector")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("좋아요ㅋㅋㅋㅋㅋㅋㅋ!!!!!!", "좋아요ㅋㅋㅋ!!!"),
        ("  a \t b\u00a0\u3000c ", "a b c"),
        ("Tom &amp;amp; Jerry &lt;3", "Tom & Jerry <3"),
        ("first<br/>second<p class='x'>third", "first second third"),
        ("zero\u200bwidth\x07bell", "zerowidthbell"),
        ("\u1112\u1161\u11ab글", "한글"),
        ("family 👨‍👩‍👧", "family 👨‍👩‍👧"),
        ("call 1000000", "call 1000000"),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_cleaning_leaves_readable_text(raw, expected):
    assert clean(raw) == expected


LONG = "The handle came loose after a week and nobody answered my mails"


def test_reviews_with_the_same_words_by_different_people_are_all_counted(ctx, run):
    rows = [f"R-{n},2025-0{1 + n % 9}-11,{1 + n % 5},좋아요,A,Canada" for n in range(18)]
    rows += [f"R-{50 + n},2025-03-11,5,{LONG},A,Canada" for n in range(2)]
    collect(ctx, run, rows, "Review ID,Date,Stars,Review,Product,Country")
    result = run("preprocessor")
    assert (result["reviews"], result["duplicates_exact"], result["duplicates_near"]) == (20, 0, 0)
    assert result["repeated"] == 1


@pytest.mark.parametrize(
    "header", ["date,rating,text,product", "no,when,rating,text,product", "who,text,rating,product,date"]
)
def test_a_row_that_is_there_again_is_a_duplicate_to_the_letter_or_nearly(ctx, run, header):
    """An export that was made twice: every cell is the same, in a file of any columns."""
    cells = {"date": "2025-03-11", "when": "2025-03-11", "rating": "5", "product": "A", "no": "7", "who": "Kim"}
    names = header.split(",")
    said = ["Great bag", "Great bag", "great  BAG!!", "Soft bag"]
    collect(ctx, run, [",".join({**cells, "text": text}[name] for name in names) for text in said], header)
    result = run("preprocessor")
    assert (result["duplicates_exact"], result["duplicates_near"]) == (1, 1)
    assert read_reviews(ctx, CLEAN).frame["text"].to_list() == ["Great bag", "Soft bag"]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Review ID", ("7", "8")),
        ("작성일", ("2025-03-11 09:10", "2025-03-11 18:40")),
        ("작성자", ("김**", "박**")),
        ("購入先", ("楽天", "公式サイト")),
        ("별점", ("5", "4")),
        ("Verified Purchase", ("Yes", "No")),
    ],
)
def test_one_cell_that_differs_makes_it_another_review(ctx, run, name, cells):
    rows = [f"{LONG},A,2025-01-02,{cell}" for cell in cells]
    collect(ctx, run, rows, f"text,product,{'등록일' if name != '작성일' else 'shop'},{name}")
    assert run("preprocessor")["reviews"] == 2


def test_overlapping_exports_are_counted_once_whatever_the_order_of_their_columns(ctx, run):
    ctx.upload(f"date,text,product\n2025-03-11,good bag,A\n2025-03-12,{LONG},A\n".encode(), "march.csv")
    ctx.upload(f"product,date,text\nA,2025-03-12,{LONG}\nA,2025-04-01,good bag\n".encode(), "april.csv")
    run("collector")
    result = run("preprocessor")
    assert (result["reviews"], result["duplicates_exact"]) == (3, 1)


def test_where_nothing_else_tells_reviews_apart_only_a_long_text_is_one_person(ctx, run):
    collect(ctx, run, ["좋아요,A", "좋아요,A", "좋아요~,A", f"{LONG},A", f"{LONG}!,A", f"{LONG},B"])
    result = run("preprocessor")
    assert (result["reviews"], result["duplicates_exact"], result["duplicates_near"]) == (5, 0, 1)


def test_reviews_that_were_read_before_rows_had_their_cells_are_told_apart_by_what_is_known(ctx, run):
    collect(
        ctx, run, ["Great bag,A,2025-01-02", "Great bag,A,2025-01-02", "Great bag,A,2025-01-03"], "text,product,date"
    )
    raw = read_reviews(ctx, RAW)
    save_table(ctx, raw.frame.drop("cells"), raw.quality, type_=RAW, name="reviews_raw.parquet")
    assert run("preprocessor")["reviews"] == 2


@pytest.mark.parametrize(
    ("language", "left_out", "unread"),
    [
        ("ko", "중복 2건은 제외했습니다", "읽은 7행 가운데 리뷰를 읽을 수 없는 1행은 제외했습니다"),
        ("en", "every cell as in another row: 2", "no review could be read in them: 1 of 7 rows"),
        ("ja", "重複2件は除きました", "読んだ7行のうち、レビューを読み取れない1行は除きました"),
    ],
)
def test_the_answer_says_how_many_rows_were_left_out(ctx, run, language, left_out, unread):
    ctx.language = language
    rows = ["1,Great bag", "2,Soft bag", "1,Great bag", "2,soft bag!", "3,Great bag", "4, ", "5,Bad zip"]
    collect(ctx, run, rows, "id,text")
    run("preprocessor")
    for tool in ("sentiment", "keyword"):
        said = " ".join(run(tool)["summary"])
        assert left_out in said and unread in said, said


@pytest.mark.parametrize(("language", "said"), [("ko", "10건 중 5건"), ("en", "5 of 10 that"), ("ja", "10件中5件")])
def test_a_file_that_may_hold_reviews_twice_under_other_ids_is_said_to(ctx, run, language, said):
    ctx.language = language
    collect(ctx, run, [f"{n},2025-01-0{1 + n % 5},{LONG} {n % 5}" for n in range(10)], "id,date,text")
    assert run("preprocessor")["reviews"] == 10
    assert any(said in line for line in run("sentiment")["summary"])


def test_emoji_alone_are_not_duplicates_of_each_other(ctx, run):
    collect(ctx, run, ["😀,A", "😡,A", "good bag here,A"])
    assert run("preprocessor")["reviews"] == 3


def test_duplicates_are_kept_on_request(ctx, run):
    collect(ctx, run, [f"{LONG},A", f"{LONG},A"])
    assert run("preprocessor", duplicates="keep")["reviews"] == 2
    assert run("preprocessor")["reviews"] == 1


def test_a_text_of_nothing_but_invisible_characters_is_counted_as_emptied(ctx, run):
    collect(ctx, run, ["\u200b\u200b,A", "Great bag,A"])
    assert run("preprocessor")["emptied"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("배송이 빨라요", "ko"),
        ("ㅋㅋㅋㅋ", "ko"),
        ("iPhone 케이스 좋아요", "ko"),
        ("とても便利です", "ja"),
        ("素晴らしい製品", "ja"),
        ("非常好的产品", "zh"),
        ("great!", "en"),
        ("This is the best phone I have ever owned.", "en"),
        ("Muy buen producto, llegó rápido y funciona perfectamente.", "es"),
        ("Das Produkt ist leider nach zwei Tagen kaputt gegangen", "de"),
        ("😀😀", "und"),
        ("...", "und"),
        ("", "und"),
    ],
)
def test_the_language_is_found_by_script_and_by_words(text, expected):
    assert language(text) == expected


def test_languages_are_counted(ctx, run):
    collect(ctx, run, ["배송이 빨라요,A", "정말 좋아요,A", "It works very well,A", "とても便利です,A"])
    assert run("preprocessor")["languages"] == {"ko": 2, "en": 1, "ja": 1}
