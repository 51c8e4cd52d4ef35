"""Small pages: a file is read in one sitting."""

from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGES, ROOT, files

LONGEST = 300
LONGER: dict[str, str] = {}
"""File -> why it is one thing in spite of its length."""


@pytest.mark.parametrize("path", files(*PACKAGES, "tests"), ids=str)
def test_no_page_is_too_long(path: Path) -> None:
    lines = len((ROOT / path).read_text().splitlines())
    assert lines <= LONGEST or str(path) in LONGER, f"{lines} lines: split it, or say in LONGER why it is one thing"


def test_the_exceptions_are_still_needed() -> None:
    assert [path for path in LONGER if len((ROOT / path).read_text().splitlines()) <= LONGEST] == []
