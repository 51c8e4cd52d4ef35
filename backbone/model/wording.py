"""The sentences that every model is told beside its prompt, from wording.yaml."""

from functools import lru_cache
from pathlib import Path

import yaml

PATH = Path(__file__).with_name("wording.yaml")


@lru_cache(maxsize=1)
def _sentences() -> dict[str, str]:
    found: dict[str, str] = yaml.safe_load(PATH.read_text(encoding="utf-8"))
    return found


def wording(key: str, **values: str) -> str:
    """A sentence with its placeholders filled."""
    text = _sentences()[key]
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
