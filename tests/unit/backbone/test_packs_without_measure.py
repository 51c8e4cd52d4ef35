"""YAML files of packs that would be without measure when they are read."""

from pathlib import Path

import pytest

from backbone import packs
from backbone.packs import PackInvalid


def _doubled(times: int) -> str:
    """A list of lists, each ten times the one before: a line each."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, times)]
    return "\n".join(lines)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", [_doubled(12), "a: &a [*a]", "a: " + "[" * 2000 + "]" * 2000])
def test_what_aliases_or_nesting_make_of_a_few_lines_leaves_the_pack_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "pack.yaml").write_text("name: odd\nversion: 1\ntitle: {en: Odd}\n")
    (tmp_path / "tools").mkdir()
    indented = "\n  ".join(text.splitlines())
    tool = f"tool_key: odd.one\ndescription: x\nexecutor: data\nentry: a:b\nresult_schema:\n  {indented}\n"
    (tmp_path / "tools" / "one.yaml").write_text(tool)
    with pytest.raises(PackInvalid, match=r"one\.yaml: (its aliases|maximum recursion)"):
        _ = packs.read(tmp_path).tools


def test_aliases_in_measure_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(_doubled(3))
    assert len(packs.read_yaml(tmp_path / "x.yaml")["a2"]) == 10
