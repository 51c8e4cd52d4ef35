"""The parts of a comparison by themselves: whose review it is, intervals, terms."""

import math

import polars as pl
import pytest

from packs.marketing.brands.groups import group
from packs.marketing.brands.intervals import difference, joint, wilson
from packs.marketing.brands.terms import Candidate, log_odds, specific
from packs.marketing.shapes import Polarity, Tally
from packs.marketing.tools.competitor import asked


@pytest.mark.parametrize(
    ("params", "wanted", "own"),
    [
        ({"brand": "Samsung"}, [], "Samsung"),
        ({"brand": ["Samsung", "Apple"]}, ["Samsung", "Apple"], None),
        ({"product": ["iPhone", "Galaxy"], "brand": "Apple"}, ["iPhone", "Galaxy"], None),
        ({"brands": ["A", "B"], "own": "B", "brand": "C"}, ["A", "B"], "B"),
    ],
)
def test_names_in_the_sentence_say_what_to_compare_or_which_is_ours(params, wanted, own):
    assert asked(params) == (wanted, own)


def test_intervals_are_right_as_often_as_they_say():
    """Every possible outcome of two small samples, weighed by how likely it is."""
    covered = 0.0
    for a in range(21):
        for b in range(31):
            likely = math.comb(20, a) * 0.7**a * 0.3 ** (20 - a) * math.comb(30, b) * 0.5**30
            one = Tally(reviews=20, negative=20 - a, neutral=0, positive=a)
            other = Tally(reviews=30, negative=30 - b, neutral=0, positive=b)
            found = difference(one, other, 0.95)
            covered += likely * (found.low <= 0.2 <= found.high)
    assert 0.94 <= covered <= 0.97


@pytest.mark.parametrize(("part", "whole"), [(0, 5), (5, 5), (1, 1), (0, 0)])
def test_a_share_stays_within_its_interval_and_that_within_0_and_1(part, whole):
    low, high = wilson(part, whole)
    assert 0 <= low <= (part / whole if whole else 0.5) <= high <= 1


def test_more_comparisons_ask_for_more_certainty():
    assert [round(joint(number), 4) for number in (1, 3, 10)] == [0.95, 0.9833, 0.995]


def test_a_term_that_all_share_is_nobodys_and_a_rare_one_is_not_clear():
    assert log_odds(10, 20, 40, 80) == pytest.approx(0, abs=1e-9)
    assert log_odds(15, 50, 0, 150) > log_odds(15, 50, 15, 150) > 1.645 > log_odds(2, 50, 3, 150)


def test_a_term_that_is_praised_as_often_is_no_complaint():
    found = [Candidate("소음", "ko", frozenset(range(8))), Candidate("필터", "ko", frozenset(range(10, 18)))]
    bad: Polarity = "negative"
    good: Polarity = "positive"
    polarities = [bad, good] * 5 + [bad] * 8 + [good] * 32
    brand, others = frozenset(range(20)), frozenset(range(20, 50))
    liked, disliked = specific(found, brand, others, polarities, 8)
    assert [term.term for term in disliked] == ["필터"]
    assert liked == ()


def test_names_in_latin_letters_are_words_of_their_own():
    frame = pl.DataFrame({"text": ["LG is fine", "The algae grow", "Kia ok", "Nokia ok"], "product": [None] * 4})
    grouping = group(frame.cast({"product": pl.String}), [], None)
    assert list(grouping.of) == ["LG", None, "Kia", None]
