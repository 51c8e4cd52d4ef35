"""No pattern of the product takes a text much more time than it is long (ReDoS)."""

import json
import re
import subprocess
import sys

import pytest

from contracts.patterns import bounded
from tests.architecture.sources import ROOT
from understanding.offline.redos import slow_on

pytestmark = pytest.mark.timeout(600)


@pytest.mark.processes
def test_every_pattern_is_linear_on_what_it_looks_for() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.architecture.patterns"]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = [json.loads(line) for line in told.splitlines()]
    assert len(found) > 1000, "files of words, modules and what readers make: all of them are asked"
    assert [
        (where, unit, written) for written, flags, where in found if (unit := slow_on(re.compile(written, flags)))
    ] == []


@pytest.mark.long
@pytest.mark.parametrize(
    "planted",
    [
        r"\s*,", r"\w+@", r"[^\s,]+?(?:님|씨)께", r"(?:\d+,?)+원", r"(?:ab|a|b)*c", r"(?:x|xx)+$", r".*?끝.*?끝",
        r"(?P<who>\S.*?)\s+(?:pays|paid)", r"(?:가나)+다", r"[ぁ-ん]+を", r"\d+(?:\.\d+)*번지", r"(\w+\s?)*\?",
        r"(?:a{1,60}){1,60}b",  # it ends, but nobody lives to see it
        r"a{0,1200}b{0,1200}c", r"(?=.*x)a",  # it ends, or looks, further than the shorter texts
        r"(?>\w+)@",
    ],
)  # fmt: skip
def test_one_that_is_not_is_found(planted: str) -> None:
    # a busy machine may hide once how much longer the longer text took
    assert any(slow_on(re.compile(planted)) for _ in range(4))


@pytest.mark.parametrize(
    "written", [r"\s*,", r"\w+@", r"[^\s,]+?(?:님|씨)께", r"(?:가나)+다", r"[ぁ-ん]+を", r"\d{3,}번지"]
)
def test_bounded_it_is_linear_and_says_the_same_of_a_sentence(written: str) -> None:
    assert slow_on(bounded(written)) is None
    said = "  , a_b@ 이모님께 가나가나다 これを 12345번지"
    assert [m.group() for m in bounded(written).finditer(said)] == [m.group() for m in re.finditer(written, said)]


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        (r"a+b*", r"a{1,60}b{0,60}"),
        (r"\s*?\S++", r"\s{0,40}?\S{1,40}+"),
        (r"[^\]x*]+(?:a|b)*", r"[^\]x*]{1,60}(?:a|b){0,16}"),
        (r"[]*]*\*+.*$", r"[]*]{0,60}\*{1,60}.*$"),
        (r"x{90,}y{2,5}(?P<n>a*)?", r"x{90,90}y{2,5}(?P<n>a{0,60})?"),
    ],
)
def test_every_repetition_gets_an_end_but_that_of_anything(written: str, becomes: str) -> None:
    assert bounded(written).pattern == becomes
