"""What packs' YAML files say is parsed once in a process of tests: it takes a quarter of a second for all packs, which
hundreds of tests load, and five services of each world. What is forked from a process knows what that one has read. So it
is with classes of letters in patterns."""

import pickle
import re
from collections.abc import Callable, Hashable
from functools import wraps
from pathlib import Path
from typing import Any

from backbone import packs


def remember_packs() -> None:
    """From now on, in this process and in those that are forked from it."""
    packs.read_yaml = remembered(packs.read_yaml)  # type: ignore[assignment]  # it is called by position


def remembered(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    """The same function; a file whose text was read before is not parsed again. Each caller has data of its own."""
    known: dict[str, bytes] = {}

    def read_again(path: Path) -> Any:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return read(path)  # which tells it as it does
        if text not in known:
            known[text] = pickle.dumps(read(path))
        return pickle.loads(known[text])

    return read_again


def remember_classes() -> None:
    """From now on `re` works out once what it makes of a class of letters. It looks at each letter of a range for that,
    11,172 times for the syllables of Korean, which stand thousands of times in the patterns that questions about tables
    are read by: a quarter of the time of their tests."""
    compiler: Any = re._compiler  # type: ignore[attr-defined]  # there is no other way to it
    compiler._optimize_charset = once(compiler._optimize_charset)


def once(optimize: Callable[..., tuple[list[Any], bool]]) -> Callable[..., tuple[list[Any], bool]]:
    """The same function of a class, of whether letters have cases, and of how they are folded."""
    known: dict[Hashable, tuple[list[Any], bool]] = {}

    @wraps(optimize)
    def optimize_once(charset: list[Any], *folding: Any) -> tuple[list[Any], bool]:
        key = (*charset, *map(id, folding))
        if key not in known:
            known[key] = optimize(charset, *folding)
        made, has_cases = known[key]
        return list(made), has_cases

    return optimize_once
