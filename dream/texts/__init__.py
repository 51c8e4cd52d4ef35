"""What the command says to people, from en.yaml and ko.yaml."""

import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

LANGUAGES = ("en", "ko")


class Texts:
    """The texts of one language: `texts("up.ready", url=...)`."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._entries = _load(self.language)

    def __call__(self, key: str, **values: object) -> str:
        return str(self._entries[key]).format(**values) if values else str(self._entries[key])

    def words(self, key: str) -> list[str]:
        """What a person may type to mean one thing."""
        return [str(word) for word in self._entries[key]]


def chosen(asked: str | None = None, environment: Mapping[str, str] = os.environ) -> Texts:
    """The texts for --language, else for the locale; English unless it is Korean."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return Texts(asked or ("ko" if locale.lower().startswith("ko") else "en"))


@cache
def _load(language: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser, where PyYAML has it
    text = (files("dream.texts") / f"{language}.yaml").read_text(encoding="utf-8")
    entries: dict[str, Any] = yaml.load(text, loader)  # noqa: S506  # both loaders are the safe ones
    return entries
