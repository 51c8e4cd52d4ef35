"""What readers of packs are offered."""

from datetime import UTC, datetime

import pytest

from understanding.kit.counted import count_of, counted
from understanding.port import clause_of


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("ko", "어른 네 명이랑 아이 두 명이요", [(4, "명"), (2, "명")]),
        ("ko", "스물세 개 주문할게요", [(23, "개")]),
        ("ko", "３명 자리 있나요", [(3, "명")]),
        ("ko", "전화번호는 010-1234-5678", []),
        ("en", "a table for five people and two kids", [(1, "table"), (5, "people"), (2, "kids")]),
        ("en", "Twenty-one guests, please", [(21, "guests")]),
        ("en", "there will be six of us", [(6, "of us")]),
        ("ja", "大人三人で予約したい", [(3, "人")]),
        ("ja", "ふたりと、ケーキ五つ", [(2, "り"), (5, "つ")]),
        ("ja", "12名様です", [(12, "名様")]),
    ],
)
def test_things_are_counted_in_words_as_in_figures(language, text, found):
    told = counted(text, language)
    assert [(one.value, one.noun) for one in told] == found
    assert all(text[one.start : one.end].endswith(one.noun) for one in told)


def test_the_count_of_one_kind_is_found_beside_others():
    assert count_of("케이크 한 개랑 다섯 명 자리요", "ko", "명", "분") == 5
    assert count_of("just us", "en") is None


@pytest.mark.parametrize(
    ("language", "text"), [("ko", "두 시간 반"), ("en", "two and a half hours"), ("ja", "二時間半")]
)
def test_a_length_of_time_is_a_span_whatever_it_is_written_with(language, text):
    (span,) = [
        one for one in clause_of(text, datetime(2026, 3, 2, tzinfo=UTC), language).entities if one.type == "span"
    ]
    assert span.value == 150
