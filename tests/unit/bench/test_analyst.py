"""Figures of `bench analyst` are told when an answer rounds to them as they are written."""

import json
from pathlib import Path

import pytest

from bench import analyst
from bench.dialogue_file import FileUnusable


def _figures(folder: Path, written: str) -> analyst.Step:
    path = folder / "requests.jsonl"
    turn = f'{{"say": "how many", "figures": [{written}]}}'
    path.write_text(f'{{"id": "a", "lang": "en", "files": [], "turns": [{turn}]}}', encoding="utf-8")
    return analyst.read(path)[0].turns[0]


@pytest.mark.parametrize(
    ("written", "told", "is_told"),
    [("29.0", 28.96, True), ("29", 28.96, False), ("29.0", 28.9, False), ("3.33", 3.3331, True), ("412", 412.0, True)],
)
def test_a_figure_is_told_by_what_rounds_to_it(tmp_path: Path, written: str, told: float, is_told: bool) -> None:
    (figure,) = _figures(tmp_path, written).figures
    assert analyst._is_told(figure, told) is is_told


def test_a_line_that_is_no_json_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text(json.dumps({"id": 1})[:-1], encoding="utf-8")
    with pytest.raises(FileUnusable, match=r"broken\.jsonl"):
        analyst.read(tmp_path / "broken.jsonl")
