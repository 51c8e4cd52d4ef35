"""`dream up` says where the web console is, or that it has yet to be built."""

from pathlib import Path

import pytest

from dream.cli.up import console
from dream.texts import Texts
from services import gateway

URL = "http://127.0.0.1:8765"


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
def test_the_console_is_told_where_it_is_and_how_it_is_built_where_not(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "CONSOLE", tmp_path)
    missing = console(URL, Texts(language))
    assert "make console" in missing
    assert URL not in missing
    (tmp_path / "index.html").touch()
    assert f"{URL}/console/" in console(URL, Texts(language))
