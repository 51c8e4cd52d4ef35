"""The asserts of a fresh clone, rewritten once for all processes of a run. pytest rewrites a file when it imports it and keeps
the bytecode, but all processes import all files at the same time: each of them would do all the work.

The first process begins to import, and so compiles the libraries for the others; these rewrite from the other end of the
list until they meet what is there. The only place that knows how pytest names and writes what it keeps."""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def rewrite_share(config: pytest.Config) -> None:
    """In a process of a run, before it collects."""
    given = getattr(config, "workerinput", {})
    number = int(given.get("workerid", "gw0").removeprefix("gw"))
    if not number or sys.dont_write_bytecode:
        return
    files = sorted(test_files(Path(arg.partition("::")[0]) for arg in config.args), reverse=True)
    for file in islice(files, number - 1, None, given["workercount"] - 1):
        if not kept(file).exists():
            keep_rewritten(file, config)


def test_files(given: Iterable[Path]) -> Iterator[Path]:
    """What pytest rewrites of the files and folders that it is given."""
    for path in given:
        yield from (path,) if path.is_file() else (*path.rglob("test_*.py"), *path.rglob("conftest.py"))


def kept(file: Path) -> Path:
    """Where pytest looks for what it has rewritten."""
    return rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"


def keep_rewritten(file: Path, config: pytest.Config) -> None:
    """Bytecode that pytest takes for its own."""
    if rewrite.try_makedirs(rewrite.get_cache_dir(file)):
        source, code = rewrite._rewrite_test(file, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, kept(file))
