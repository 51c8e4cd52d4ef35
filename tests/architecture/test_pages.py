"""One concept a file, and a file is read in one sitting."""

from tests.architecture.sources import PACKAGES, ROOT, files

LONGEST = 400
LONGER: dict[str, str] = {}
"""File -> why it is one thing in spite of its length."""


def test_no_page_is_too_long() -> None:
    lines = {str(path): len((ROOT / path).read_text().splitlines()) for path in files(*PACKAGES, "tests")}
    too_long = {path: count for path, count in lines.items() if count > LONGEST and path not in LONGER}
    assert too_long == {}, "split it, or say in LONGER why it is one thing"


def test_the_exceptions_are_still_needed() -> None:
    assert [path for path in LONGER if len((ROOT / path).read_text().splitlines()) <= LONGEST] == []
