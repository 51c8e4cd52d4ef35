"""A file that is read again is not parsed again, unless it says something else; nobody sees what others did with it. A
class of letters is looked at once."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from backbone.packs import PackInvalid, read_yaml
from tests.support.remembered import once, remembered


def test_a_text_is_parsed_once_and_each_caller_has_data_of_its_own(tmp_path: Path) -> None:
    parsed: list[str] = []

    def read(path: Path) -> object:
        parsed.append(path.name)
        return read_yaml(path)

    again, file = remembered(read), tmp_path / "one.yaml"
    file.write_text("a: [1]", encoding="utf-8")
    again(file)["a"].append(2)
    assert (again(file), parsed) == ({"a": [1]}, ["one.yaml"])
    file.write_text("a: [3]", encoding="utf-8")
    assert again(file) == {"a": [3]}


def test_what_cannot_be_read_is_told_each_time(tmp_path: Path) -> None:
    again, file = remembered(read_yaml), tmp_path / "odd.yaml"
    file.write_text("a: [", encoding="utf-8")
    for path in (file, file, tmp_path / "nowhere.yaml"):
        with pytest.raises(PackInvalid, match=path.name):
            again(path)


def test_a_pattern_whose_classes_are_remembered_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler: Any = re._compiler  # type: ignore[attr-defined]
    looked_at: list[str] = []

    def optimize(charset: list[Any], *folding: Any) -> tuple[list[Any], bool]:
        looked_at.append(str(charset))
        made: tuple[list[Any], bool] = original(charset, *folding)
        return made

    def code(pattern: str, flags: int) -> list[int]:
        made: list[int] = compiler._code(re._parser.parse(pattern, flags), flags | re.UNICODE)  # type: ignore[attr-defined]
        return made

    original = inspect.unwrap(compiler._optimize_charset)
    written = (r"[가-힣a-z]+[^\s가-힣]|[ab]", r"(?-i:[가-힣])x[가-힣]", r"[一-龯ぁ-ん\d][ſk]")
    patterns = [(one, flags) for one in written for flags in (re.IGNORECASE, 0)]
    monkeypatch.setattr(compiler, "_optimize_charset", original)
    expected = [code(*one) for one in patterns]
    monkeypatch.setattr(compiler, "_optimize_charset", once(optimize))
    assert [code(*one) for one in patterns] == expected
    before = len(looked_at)
    assert [code(*one) for one in patterns] == expected
    assert len(looked_at) == before > 0
