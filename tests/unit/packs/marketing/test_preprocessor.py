"""Cleaning changes spelling, never meaning; duplicates and languages are counted."""

import pytest

from packs.marketing.artifacts import CLEAN, read_reviews
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


def test_exact_and_near_duplicates_of_the_same_product_are_removed_and_counted(ctx, run):
    collect(ctx, run, ["Great bag,A", "Great bag,A", "great  BAG!!,A", "Great bag,B", "좋아요,A", "좋아요~,A"])
    result = run("preprocessor")
    assert result["duplicates_exact"] == 1
    assert result["duplicates_near"] == 2
    assert read_reviews(ctx, CLEAN).frame["text"].to_list() == ["Great bag", "Great bag", "좋아요"]


def test_emoji_alone_are_not_duplicates_of_each_other(ctx, run):
    collect(ctx, run, ["😀,A", "😡,A", "good bag here,A"])
    assert run("preprocessor")["reviews"] == 3


def test_duplicates_are_kept_on_request(ctx, run):
    collect(ctx, run, ["Great bag,A", "Great bag,A"])
    assert run("preprocessor", duplicates="keep")["reviews"] == 2


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
