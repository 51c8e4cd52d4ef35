"""The films there are (films.yaml), by the titles that people give them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from packs.devices.names import Names
from understanding.kit.data import read_data


class Film(NamedTuple):
    """`scene` is what scenes.py paints; `seconds` is the length of one showing."""

    key: str
    titles: Mapping[str, str]
    other: tuple[str, ...]
    seconds: float
    scene: Mapping[str, Any]

    def title(self, language: str) -> str:
        return self.titles.get(language) or self.titles["en"]


@cache
def shelf() -> tuple[Film, ...]:
    path = Path(__file__).with_name("films.yaml")
    read = read_data(path)
    return tuple(
        Film(one["film"], one["titles"], tuple(one["other"]), float(one["seconds"]), one["scene"]) for one in read
    )


@cache
def films() -> Names[Film]:
    """Films by all their titles."""
    return Names((film, (*film.titles.values(), *film.other)) for film in shelf())
