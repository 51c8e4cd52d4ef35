"""Numbers in signs are read where they count something."""

import pytest

from packs.documents.numerals import in_figures, words_in_figures
from packs.documents.ranges import ranged, within


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("屋根は七十二万円", "屋根は72万円"),
        ("令和九年三月十四日の午後", "令和9年3月14日の午後"),
        ("四千三百二十枚、二〇二七年", "4320枚、2027年"),
        ("一番よい三角", "一番よい三角"),
        ("第三者の一部", "第三者の一部"),
    ],
)
def test_in_figures(text: str, figures: str):
    assert in_figures(text) == figures


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("우리 아버지가 예순이 넘으셨다", "우리 아버지가 60살이 넘으셨다"),
        ("a seven-year-old and two aunts", "a 7-year-old and 2 aunts"),
        ("마흔 명이 왔다", "40명이 왔다"),
        ("one quarter on signing, 4분의 3은 나중에", "25% on signing, 75%은 나중에"),
        ("사흘 전에 취소하면", "3일 전에 취소하면"),
    ],
)
def test_words_in_figures(text: str, figures: str):
    assert words_in_figures(text) == figures


@pytest.mark.parametrize(
    ("asked", "name", "lies"),
    [
        ("a seven-year-old, one way", "Child 5-15", True),
        ("a woman of 40 years", "Child 5-15", False),
        ("우리 아버지가 예순이 넘으셨는데 얼마야?", "만 60세 이상", True),
        ("예순인데 얼마야?", "65세 이상", False),
        ("7 bags", "Child 5-15", False),
    ],
)
def test_ages_lie_in_a_range_in_whatever_words(asked: str, name: str, lies: bool):
    assert within(asked, name) is lies


@pytest.mark.parametrize(
    ("asked", "name", "lies"),
    [
        ("3월 5일에 못 가면", "3월 1일 ~ 3월 7일", 1.0),
        ("3월 9일에 못 가면", "3월 1일 ~ 3월 7일", -1.0),
        ("on 2 January", "20 December to 6 January", 1.0),
        ("닷새 전에 취소하면", "3일 전까지", 1.0),
        ("2일 전에 취소하면", "3일 전까지", -1.0),
        ("cancelling 45 days before", "60 to 30 days before arrival", 1.0),
    ],
)
def test_days_and_lengths_of_time_before_one_lie_in_a_range(asked: str, name: str, lies: float):
    assert ranged(asked, name) == lies
