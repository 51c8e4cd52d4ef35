"""pytest takes what was rewritten ahead for its own; a version of pytest that keeps it in another way is told here."""

from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests.support import rewritten


def test_pytest_reads_what_was_rewritten_ahead(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    file = tmp_path / "test_that.py"
    file.write_text("def that(one, other):\n    assert one == other\n")
    rewritten.keep_rewritten(file, request.config)
    code = rewrite._read_pyc(file, rewritten.kept(file))
    assert code is not None, "pytest would rewrite it again"
    made: dict[str, object] = {}
    exec(code, made)
    with pytest.raises(AssertionError, match="1 == 2"):
        made["that"](1, 2)  # type: ignore[operator]


def test_every_file_that_pytest_rewrites_is_in_the_share_of_a_process(tmp_path: Path) -> None:
    for name in ("test_a.py", "conftest.py", "support.py"):
        (tmp_path / name).touch()
    assert {path.name for path in rewritten.test_files([tmp_path])} == {"test_a.py", "conftest.py"}
