"""The data files of this pack."""

from pathlib import Path
from typing import Any

from understanding.kit.data import read_data


def load(name: str) -> Any:
    """What one of them says."""
    return read_data(Path(__file__).with_name(name))
