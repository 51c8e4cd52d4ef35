"""docs/runbook.md has each procedure, each names the tests that do it, and its table of contents leads to all of it."""

import re

import pytest

from tests.architecture.sources import ROOT
from tests.architecture.test_guarantees import MAKE, NAMED

PAGE = (ROOT / "docs/runbook.md").read_text("utf-8")
PROCEDURES = (
    "Install", "Upgrade", "Roll back", "Scale", "Back up", "Restore", "Rebuild the bus", "Keep it small", "Rotate keys",
    "Erase a person",
)  # fmt: skip
SECTIONS = dict(re.findall(r"^### (.+)\n((?:(?!^#).*\n)*)", PAGE, re.MULTILINE))
CONTENTS = PAGE.partition("\n## ")[0]


def anchor(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_each_procedure_names_the_tests_that_do_it(procedure: str) -> None:
    named = NAMED.findall(SECTIONS[procedure])
    assert named
    missing = [
        (file, test)
        for file, test in named
        if not (ROOT / file).exists() or (test and f"def {test}(" not in (ROOT / file).read_text("utf-8"))
    ]
    assert missing == []
    assert f"](#{anchor(procedure)})" in CONTENTS


def test_each_chapter_is_in_the_table_of_contents() -> None:
    chapters = set(re.findall(r"^## (.+)$", PAGE, re.MULTILINE)) - {"Procedures"}
    assert {chapter for chapter in chapters if f"](#{anchor(chapter)})" not in CONTENTS} == set()


def test_each_link_within_the_page_leads_somewhere() -> None:
    there = {anchor(heading) for heading in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)}
    assert {link for link in re.findall(r"\]\(#([^)]+)\)", PAGE) if link not in there} == set()


def test_each_target_it_names_is_one_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE)
    assert set(MAKE.findall(PAGE)) <= set(targets)
