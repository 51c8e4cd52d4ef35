"""The console goes with the product: wheel and sdist have what has been built, although git ignores it."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from services.gateway import CONSOLE

ROOT = Path(__file__).parents[3]
UV = Path(sys.executable).parent / "uv"
BUILT = {f"{CONSOLE.relative_to(ROOT).as_posix()}/{name}" for name in ("index.html", "icon.svg", "assets/index-1.js")}
BESIDE = "console/node_modules/react/index.js"


def test_wheel_and_sdist_have_the_console_that_was_built(tmp_path: Path) -> None:
    clone, out = tmp_path / "clone", tmp_path / "out"
    for name in (*BUILT, BESIDE, "services/gateway/__init__.py"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text("", encoding="utf-8")
    for name in ("pyproject.toml", ".gitignore", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone / name)
    built = subprocess.run(
        [UV, "build", "--quiet", "--python", sys.executable, "--out-dir", out, clone],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as packed:
        assert {name for name in packed.namelist() if "console" in name} == BUILT
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {name for name in names if "console" in name} == BUILT
