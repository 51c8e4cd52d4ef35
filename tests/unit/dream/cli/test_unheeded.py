"""What `dream up` says of variables that change nothing."""

from pathlib import Path

import pytest

from dream.cli.up import unheeded
from dream.texts import Texts


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
def test_variables_that_change_nothing_are_told(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DREAM_PROT", "8080")
    monkeypatch.setenv("DREAM_ARTIFACTS_URL", "file:///elsewhere")
    typo, files = unheeded(Path("data"), Texts(language))
    assert "DREAM_PROT" in typo
    assert "DREAM_PORT?" in typo
    assert "DREAM_ARTIFACTS_URL" in files
    assert str(Path("data/artifacts")) in files


def test_nothing_is_told_of_what_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DREAM_PORT", "8080")
    monkeypatch.delenv("DREAM_ARTIFACTS_URL", raising=False)
    assert list(unheeded(Path("data"), Texts("en"))) == []
