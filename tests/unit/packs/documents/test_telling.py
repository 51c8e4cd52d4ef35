"""What is told of what was found: others beside one that only comes near, and which part a point is of."""

from typing import Any

import pytest

from packs.documents.excerpts import excerpts
from packs.documents.telling import compared, told


def say(key: str, **values: object) -> str:
    return f"{key} {values.get('text', '')}".strip()


def found(*, holds: bool, near: str, scores: tuple[float, ...]) -> list[dict[str, Any]]:
    some = [{"document": "a.md", "page": None, "text": f"T{at}", "score": score} for at, score in enumerate(scores)]
    answer = {"holds": holds, "near": near, "missing": [], "passages": some, "computed": None, "reckoned": []}
    return [{"answers": [answer], "unread": []}]


@pytest.mark.parametrize(
    ("holds", "near", "scores", "texts"),
    [
        (True, "near", (0.7, 0.1, 0.1), ["T0"]),
        (True, "near", (0.6, 0.3, 0.1), ["T0", "T1"]),
        (False, "likely", (0.4, 0.2, 0.1, 0.1, 0.1), ["T0", "T1", "T2", "T3", "T4"]),
        (False, "near", (0.9, 0.0009, 0.0009), ["T0"]),
        (False, "likely", (0.99, 0.004, 0.002), ["T0"]),
        (False, "near", (0.9, 0.05, 0.002), ["T0", "T1"]),
        (False, "far", (0.3, 0.3, 0.2), []),
    ],
)
def test_what_may_be_meant_as_well_is_told(holds: bool, near: str, scores: tuple[float, ...], texts: list[str]):
    lines = told(found(holds=holds, near=near, scores=scores), [], say)
    assert [name for name in ("T0", "T1", "T2", "T3", "T4") if name in lines] == texts


@pytest.mark.parametrize(("chance", "first"), [(0.9, "read.worked"), (0.3, "read.lacks")])
def test_what_was_likely_worked_out_is_told_before_the_passages(chance: float, first: str):
    results = found(holds=False, near="near", scores=(0.5,))
    results[0]["answers"][0]["reckoned"] = [
        {"kind": "total", "formula": "7 + 8 = 15", "value": 15.0, "of": ["a", "b"], "chance": chance}
    ]
    assert told(results, [], say).startswith(first)


def test_a_point_of_a_summary_says_which_part_it_is_of():
    text = "Choir committee\nConcert\n- The hall was booked for 600 euros.\nUniforms\n- New scarves come in March."
    points = [one.text for one in excerpts([(None, text)], "", 4)]
    assert "Concert: The hall was booked for 600 euros." in points
    assert "Uniforms: New scarves come in March." in points


def test_each_line_is_compared_once_and_what_only_one_has_is_told():
    lines = compared(
        {
            "north.txt": [(None, "North Catering\nBuffet: 31 euros a head\nDrinks: 9 euros a head\nWaiters: two\nParking at the door")],
            "south.txt": [(None, "Southside Foods\nBuffet: 27 euros a head\nDrinks: 11 euros a head\nGluten-free bread on request")],
        },
        say,
    )  # fmt: skip
    assert [line for line in lines if "Buffet" in line] == [
        "quote Buffet: 31 euros a head",
        "quote Buffet: 27 euros a head",
    ]
    assert len([line for line in lines if "Drinks" in line]) == 2
    alone = lines[lines.index("read.only") :]
    assert any("Waiters" in line or "Parking" in line for line in alone)
    assert any("Gluten-free" in line for line in alone)


def test_passages_of_one_part_are_told_together():
    results = found(holds=False, near="near", scores=(0.4, 0.3, 0.2, 0.1, 0.1))
    for passage, title in zip(
        results[0]["answers"][0]["passages"], ("Fees", "Hours", "Fees", "Hours", "Rules"), strict=True
    ):
        passage["title"] = title
    lines = told(results, [], say).splitlines()
    assert [line for line in lines if "T" in line] == [
        "read.nearest T0",
        "quote T2",
        "read.also T1",
        "quote T3",
        "read.also T4",
    ]


def test_several_figures_that_were_worked_out_stand_below_one_head():
    results = found(holds=False, near="near", scores=(0.5,))
    one = {"kind": "sum", "formula": "1 + 2 = 3", "value": 3, "of": ["a", "b"], "chance": 0.2}
    results[0]["answers"][0]["reckoned"] = [one]
    assert "read.reckoned\n" in told(results, [], say) + "\n"
    results[0]["answers"][0]["reckoned"] = [one, one | {"value": 4}]
    lines = told(results, [], say).splitlines()
    assert [line for line in lines if line.startswith("read.reckoned")] == [
        "read.reckoned.several",
        *["read.reckoned.line"] * 2,
    ]
