"""Imports what a pack names, in a process of its own (`python -m dream.packs.import_probe ENTRY...`), and tells how.

A line begins before an import and ends after it, so that a pack that ends the process is found out, too."""

import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

SECONDS = 60.0
"""A pack's imports may load models; longer than this is a fault of its own."""


def failures(entries: Sequence[str], parent: Path) -> dict[str, str]:
    """Entry -> why it cannot be imported, of those that cannot. `parent` is the folder that the pack lies in."""
    found: dict[str, str] = {}
    rest = list(dict.fromkeys(entries))
    while rest:
        told, why = _run(rest, parent)
        found |= {entry: problem for entry, problem in told.items() if problem}
        rest = rest[len(told) :]
        if rest:
            # it came no further than this one
            found[rest.pop(0)] = why
    return found


def _run(entries: Sequence[str], parent: Path) -> tuple[dict[str, str], str]:
    path = os.pathsep.join(filter(None, (str(parent), os.environ.get("DREAM_PACK_PATH", ""))))
    command = [sys.executable, "-m", "dream.packs.import_probe", *entries]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=SECONDS, check=False, env={**os.environ, "DREAM_PACK_PATH": path}
        )
        out, why = done.stdout, f"the import ended the process with {done.returncode}: {_last(done.stderr)}"
    except subprocess.TimeoutExpired as error:
        out, why = error.stdout or b"", f"the import took more than {SECONDS:g} s"
    told = [json.loads(line) for line in out.decode(errors="replace").splitlines()]
    return {one["entry"]: one["why"] for one in told}, why


def _last(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "-"


def _why(entry: str) -> str:
    """Empty when it can be imported and called."""
    module, _, function = entry.partition(":")
    try:
        found: object = importlib.import_module(module)
        for part in filter(None, function.split(".")):
            found = getattr(found, part)
    except Exception as error:  # noqa: BLE001  # whatever a stranger's module raises is the finding
        return _told(error)
    return "" if callable(found) or not function else f"{type(found).__name__} is not a function"


def _told(error: Exception) -> str:
    """The error, and the line that it is from."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error}"
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith("<frozen")]
    last = frames[-1] if frames else None
    here = last is None or Path(last.filename) in (Path(__file__), Path(importlib.__file__))
    return repr(error) if here or last is None else f"{error!r} ({last.filename}, line {last.lineno})"


def main(entries: Sequence[str]) -> None:
    """One line of JSON for each."""
    out = sys.stdout
    for entry in entries:
        with contextlib.redirect_stdout(io.StringIO()):
            why = _why(entry)
        print(json.dumps({"entry": entry, "why": why}), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
