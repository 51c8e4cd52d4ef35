"""Large numbers that are said in words: what a pack may ask for that has an amount to find."""

import pytest

from understanding.kit.numbers import spoken_numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ninety thousand for the band", [90_000]),
        ("that makes 2.5k", [2_500]),
        ("three hundred and ten thousand to the roofer", [310_000]),
        ("half a million and not a penny more", [500_000]),
        ("eight grand", [8_000]),
        ("1.2 million, then forty-five thousand", [1_200_000, 45_000]),
    ],
)
def test_numbers_from_a_thousand_on_are_read(text, values):
    found = spoken_numbers(text)
    assert [one.value for one in found] == values
    assert all(text[one.start : one.end] == one.text for one in found)


@pytest.mark.parametrize(
    "text", ["nine cats and two hundred fish", "40k", "40 k", "a few thousand", "85000", "", "million"]
)
def test_small_plain_and_vague_ones_are_left(text):
    assert spoken_numbers(text) == ()
