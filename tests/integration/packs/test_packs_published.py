"""What `dream pack new` makes is published whole: the wheel that its pyproject.toml builds has every file of the pack."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from dream.packs import template
from dream.texts import Texts

UV = Path(sys.executable).parent / "uv"
READ = (
    "sentences.jsonl",
    "follows.jsonl",
    "beside.jsonl",
    "stand_ins.yaml",
    "flows/coin.turns.jsonl",
    "prompts/finder.yaml",
    "agents/finder.yaml",
    "texts_more/en.yaml",
    "data/rates.csv",
    "migrations/0007_more.sql",
    "brand/logo.png",
)
"""What a pack may have beside what the template makes: files that the product or a pack's own code reads."""
NOT_OF_IT = ("tests/test_it.py", ".env", "dist/old.whl", "__pycache__/x.cpython-311.pyc", "tools/__pycache__/y.pyc")


@pytest.mark.parametrize("flow", [False, True], ids=["plain", "flow"])
def test_the_wheel_has_every_file_of_the_pack_and_nothing_else(flow: bool, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    template.new("shop", folder, Texts("en"), flow=flow)
    for name in (*READ, *NOT_OF_IT):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    wanted = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    } - {*NOT_OF_IT, "pyproject.toml"}  # fmt: skip
    assert ("migrations/0001_bookings.sql" in wanted, "dialogues.jsonl" in wanted) == (flow, flow)
    out = tmp_path / "out"
    built = subprocess.run(
        [UV, "build", "--wheel", "--quiet", "--python", sys.executable, "--out-dir", out, folder],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        there = {name for name in packed.namelist() if ".dist-info/" not in name}
    assert there == {f"packs/shop/{name}" for name in wanted}
