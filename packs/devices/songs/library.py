"""The songs there are (songs.yaml), by the titles that people give them, with their notes."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from packs.devices.names import Names
from understanding.kit.data import read_data

_NOTE = re.compile(r"(?:(?P<rest>R)|(?P<name>[A-G])(?P<sharp>#?)(?P<octave>\d))(?::(?P<beats>\d+(?:\.\d+)?))?")
_STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_OCTAVE = 12
_A4, _CONCERT_PITCH = 57, 440.0
"""Half tones from C0 to the A that is tuned by, and its pitch in Hz."""


class Note(NamedTuple):
    """`pitch` in Hz, 0 for a rest."""

    pitch: float
    beats: float


class Song(NamedTuple):
    """`tempo` in beats a minute."""

    key: str
    titles: Mapping[str, str]
    other: tuple[str, ...]
    tempo: float
    notes: tuple[Note, ...]

    def title(self, language: str) -> str:
        return self.titles.get(language) or self.titles["en"]

    @property
    def seconds(self) -> float:
        return sum(note.beats for note in self.notes) * 60 / self.tempo


@cache
def shelf() -> tuple[Song, ...]:
    path = Path(__file__).with_name("songs.yaml")
    read = read_data(path)
    return tuple(
        Song(
            one["song"],
            one["titles"],
            tuple(one["other"]),
            float(one["tempo"]),
            tuple(_note(said) for said in one["notes"].split()),
        )
        for one in read
    )


@cache
def songs() -> Names[Song]:
    """Songs by all their titles."""
    return Names((song, (*song.titles.values(), *song.other)) for song in shelf())


def _note(said: str) -> Note:
    """Raises ValueError for what is no note."""
    match = _NOTE.fullmatch(said)
    if match is None:
        raise ValueError(f"{said!r} is no note: name, octave, and : with the beats")
    beats = float(match["beats"] or 1)
    if match["rest"]:
        return Note(0.0, beats)
    half_tones = _STEPS[match["name"]] + bool(match["sharp"]) + _OCTAVE * int(match["octave"])
    return Note(_CONCERT_PITCH * 2 ** ((half_tones - _A4) / _OCTAVE), beats)
