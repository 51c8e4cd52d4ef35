"""Data files of our own: YAML."""

from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser, where PyYAML has it: seven times faster


_ANY = "any"


def read_data(path: Path) -> Any:
    """What a file that is shipped says. A mapping of nothing but `any` is one pattern, written as a list of its
    alternatives. Raises yaml.YAMLError with the place of a fault; nothing is run."""
    return _joined(yaml.load(path.read_text(encoding="utf-8"), _LOADER))  # noqa: S506  # a safe loader


def _joined(said: Any) -> Any:
    if isinstance(said, dict):
        return "|".join(said[_ANY]) if said.keys() == {_ANY} else {name: _joined(one) for name, one in said.items()}
    return [_joined(one) for one in said] if isinstance(said, list) else said
