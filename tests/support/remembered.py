"""What packs' YAML files say is parsed once in a process of tests: it takes a quarter of a second for all packs, which
hundreds of tests load, and five services of each world. What is forked from a process knows what that one has read."""

import pickle
from collections.abc import Callable
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
