"""What a file may be called, whoever brings or makes it: clients write files under the names that they are told."""

import re
import unicodedata
from pathlib import PurePosixPath

NAME_LIMIT = 200
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories that nobody sees in a name: controls, direction marks, private use, line separators."""


def safe_name(given: str) -> str:
    """The name without folders and without characters that steer terminals, headers or the direction of text."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", given))[-1]
    kept = "".join(c for c in last if unicodedata.category(c) not in _UNSEEN).strip().strip(".")
    path = PurePosixPath(kept or "file")
    suffix = path.suffix[:20]
    return path.name[: len(path.name) - len(path.suffix)][: NAME_LIMIT - len(suffix)] + suffix
