"""A file that is read again is not parsed again, unless it says something else; nobody sees what others did with it."""

from pathlib import Path

import pytest

from backbone.packs import PackInvalid, read_yaml
from tests.support.remembered import remembered


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
