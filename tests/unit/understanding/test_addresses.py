"""Web addresses in a sentence are found whole, and what stands inside them is read as nothing else."""

import pytest

from contracts.cognitive import CognitiveInput, Period
from understanding.grammar.addresses import find_addresses, without_addresses
from understanding.offline.counts import find_top


@pytest.fixture
def understand(understander, now):
    return lambda text, *answers: understander.understand(CognitiveInput(text=text, answers=answers), now)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://shop.example/reviews.csv를 분석해줘", ["https://shop.example/reviews.csv"]),
        ("HTTPS://Shop.example/A?b=1&c=%20#d 에서", ["https://Shop.example/A?b=1&c=%20#d"]),
        ("See https://shop.example/feed.xml.", ["https://shop.example/feed.xml"]),
        ("(https://a.example/x_(y)), https://b.example/", ["https://a.example/x_(y)", "https://b.example/"]),
        ("「https://a.example/」のレビュー", ["https://a.example/"]),
        ("http://127.0.0.1:8080/a and http://[::1]/b", ["http://127.0.0.1:8080/a", "http://[::1]/b"]),
        ("ftp://a.example file:///etc/passwd shop.example http:// https://", []),
        ("https://a.example/" + "x" * 3000, []),
    ],
)
def test_an_address_ends_where_the_sentence_goes_on(text, found):
    assert [one.value for one in find_addresses(text)] == found
    for one in find_addresses(text):
        assert text[one.start : one.end] == one.text
    blanked = without_addresses(text)
    assert len(blanked) == len(text)
    assert not any(one in blanked for one in found)


def test_what_stands_inside_an_address_is_no_name_no_date_and_no_request(understand):
    understood = understand("https://shop.example/2024/05/galaxy-keyword-trend-report.pdf 이 리뷰들 감성 분석해줘")
    assert understood.plan_hint.goals == ("insight.sentiment",)
    assert (understood.plan_hint.period, understood.plan_hint.filters) == (None, {})
    assert [one.type for one in understood.entities] == ["url"]


def test_around_an_address_names_and_dates_are_read(understand):
    understood = understand("갤럭시 버즈 지난 분기 리뷰 https://shop.example/r.csv 감성 분석해줘")
    assert understood.plan_hint.filters == {"product": "Galaxy Buds"}
    assert understood.plan_hint.period == Period(start="2026-04-01", end="2026-06-30")
    for one in understood.entities:
        assert understood.text[one.start : one.end] == one.text


def test_an_address_does_not_decide_the_language(understand):
    assert understand("https://shop.example/a/long/english/path/to/customer/reviews.csv 분석").language == "ko"
    assert understand("https://shop.example/reviews.csv レビューの感情を分析して").language == "ja"


def test_an_answer_may_bring_an_address(understand):
    understood = understand("이 리뷰들 감성 분석해줘", "https://shop.example/r.csv")
    assert understood.plan_hint.goals == ("insight.sentiment",)
    assert [one.value for one in understood.entities if one.type == "url"] == ["https://shop.example/r.csv"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("상위 20개 키워드 뽑아줘", 20),
        ("키워드 50개만 알려줘", 50),
        ("show me the top 15 keywords", 15),
        ("上位30個のキーワードを出して", 30),
        ("리뷰 100개 감성 분석해줘", None),
        ("키워드 분석해줘", None),
        ("top 3 products", None),
    ],
)
def test_how_many_keywords_are_wanted(understand, text, number):
    found = find_top(text)
    assert (found.value if found else None) == number
    assert understand(text).plan_hint.filters.get("top") == (number if understand(text).plan_hint.goals else None)
