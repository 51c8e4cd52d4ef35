"""docs/guarantees.md names the test that shows each promise; every one of them is there."""

import re

from tests.architecture.sources import ROOT

PAGE = (ROOT / "docs/guarantees.md").read_text("utf-8")
NAMED = re.compile(r"`(tests/[a-z0-9_/]+\.py)(?:::(test_\w+))?`")
MAKE = re.compile(r"`make ([a-z-]+)`")


def test_each_test_that_shows_a_promise_is_there() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) > 30
    missing = [
        f"{file}::{test}" if test else file
        for file, test in named
        if not (ROOT / file).exists() or (test and f"def {test}(" not in (ROOT / file).read_text("utf-8"))
    ]
    assert missing == []


def test_each_target_it_names_is_one_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert [target for target in MAKE.findall(PAGE) if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
