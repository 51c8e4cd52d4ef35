"""Compiled patterns, kept between starts: two thousand of them take two seconds of processor time to compile in each
process, and a tenth of one to take as they were compiled before. Nothing but the pattern, its flags and the version of
Python decides what comes of it. `re` checks such code before it takes it; what it does not take is compiled as ever."""

import _sre  # type: ignore[import-not-found]
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]  # there is no other way to what `re` has compiled
from typing import Any, NamedTuple

import numpy as np

from understanding.offline.learned import Arrays, folder, read_arrays, write_arrays

MOST = 4_000_000
"""Numbers of code that are kept, of this start and of earlier ones, 16 MB; the built-in packs and their libraries
have a million."""
ENDING = ".compiled"
_NAME = f"patterns-{sys.hexversion:x}-{_sre.MAGIC}{ENDING}"
_Key = tuple[str, int]


class _Compiled(NamedTuple):
    flags: int
    groups: int
    named: Mapping[str, int]
    code: list[int]

    def made(self, pattern: str) -> re.Pattern[str]:
        """Raises RuntimeError for code that is none."""
        names: list[str | None] = [None] * (self.groups + 1)
        for name, number in self.named.items():
            names[number] = name
        made: re.Pattern[str] = _sre.compile(
            pattern, self.flags, self.code, self.groups, dict(self.named), tuple(names)
        )
        return made


@contextmanager
def kept_patterns() -> Iterator[None]:
    """Within, `re` compiles only what was never compiled before. For a process with one thread."""
    path = folder() / _NAME
    known = _read(path)
    used: dict[_Key, _Compiled] = {}
    plainly = _compiler.compile

    def compiled(pattern: Any, flags: int = 0) -> re.Pattern[Any]:
        if not isinstance(pattern, str) or flags & re.DEBUG:
            return plainly(pattern, flags)  # type: ignore[no-any-return]
        key = pattern, int(flags)
        with suppress(KeyError, RuntimeError, ValueError, TypeError, OverflowError, IndexError):
            made = known[key].made(pattern)
            used[key] = known[key]
            return made
        used[key] = one = _compile(pattern, flags)
        return one.made(pattern)

    _compiler.compile = compiled
    try:
        yield
    finally:
        _compiler.compile = plainly
    if any(known.get(key) is not one for key, one in used.items()):
        together = known | used
        few = sum(len(one.code) for one in together.values()) <= MOST
        with suppress(OSError):  # a read-only disk, a full one, a home that is not there
            write_arrays(path, _written(together if few else used))


def _compile(pattern: str, flags: int) -> _Compiled:
    """As `re` does. Raises re.error."""
    parsed = _parser.parse(pattern, flags)
    state = parsed.state
    code = [int(one) for one in _compiler._code(parsed, flags)]  # noqa: SLF001  # the same
    return _Compiled(int(flags | state.flags), state.groups - 1, dict(state.groupdict), code)


def _read(path: Path) -> dict[_Key, _Compiled]:
    found = read_arrays(path) or {}
    with suppress(KeyError, ValueError, TypeError):  # somebody else's file: nothing is known
        table = json.loads(found["table"].tobytes())
        codes, ends = found["codes"].tolist(), np.cumsum(found["lengths"]).tolist()
        return {
            (pattern, flags): _Compiled(all_flags, groups, named, codes[start:end])
            for (pattern, flags, all_flags, groups, named), start, end in zip(table, [0, *ends], ends, strict=False)
        }
    return {}


def _written(compiled: Mapping[_Key, _Compiled]) -> Arrays:
    table = [[*key, one.flags, one.groups, one.named] for key, one in compiled.items()]
    return {
        "table": np.frombuffer(json.dumps(table).encode(), dtype=np.uint8),
        "codes": np.array([number for one in compiled.values() for number in one.code], dtype=np.uint32),
        "lengths": np.array([len(one.code) for one in compiled.values()], dtype=np.int64),
    }
