"""What the command says to people, from en.yaml, ko.yaml and ja.yaml."""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

_ENDS = " .!~…。！、,"
LANGUAGES = ("en", "ko", "ja")


class Texts:
    """The texts of one language: `texts("up.ready", url=...)`."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._entries = _load(self.language)

    def __call__(self, key: str, **values: object) -> str:
        return str(self._entries[key]).format(**values) if values else str(self._entries[key])

    def meant(self, line: str, wanted: Mapping[str, str]) -> str:
        """Which of `wanted` (what -> the key of its words) somebody means who types this; "" for none. Words count in
        every language: a Korean with an English screen still says yes in Korean."""
        said = line.strip().casefold()
        said = said.rstrip(_ENDS) or said
        return next((what for what, key in wanted.items() for words in _words(key) if said in words), "")


def chosen(asked: str | None = None, environment: Mapping[str, str] = os.environ) -> Texts:
    """The texts for --language, else for the locale; English where there are none."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return Texts(asked or locale[:2].lower())


def _words(key: str) -> Iterator[list[str]]:
    """What a person may type to mean one thing, language by language."""
    for language in LANGUAGES:
        yield [str(word) for word in _load(language)[key]]


@cache
def _load(language: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser, where PyYAML has it
    text = (files("dream.texts") / f"{language}.yaml").read_text(encoding="utf-8")
    entries: dict[str, Any] = yaml.load(text, loader)  # noqa: S506  # both loaders are the safe ones
    return entries
