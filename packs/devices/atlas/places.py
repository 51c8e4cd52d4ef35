"""The table of places (places.csv): what people call them, and where they are."""

import csv
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from packs.devices.names import Names

EARTH_KM = 6371.0
FALLBACK = "en"


class Place(NamedTuple):
    """`land` is what can be reached from it by road; degrees north and east. `kind` is city, station, landmark,
    airport, or domestic (an airport that serves no other country)."""

    key: str
    kind: str
    land: str
    lat: float
    lon: float
    names: Mapping[str, str]
    other: tuple[str, ...] = ()

    def name(self, language: str) -> str:
        return self.names.get(language) or self.names[FALLBACK]


@cache
def places() -> Mapping[str, Place]:
    """Every place by its key."""
    path = Path(__file__).with_name("places.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["key"]: _place(row) for row in csv.DictReader(file)}


def _place(row: Mapping[str, str]) -> Place:
    other = tuple(name for name in row["other"].split("|") if name)
    names = {language: row[language] for language in ("ko", "en", "ja")}
    return Place(row["key"], row["kind"], row["land"], float(row["lat"]), float(row["lon"]), names, other)


@cache
def names() -> Names[Place]:
    """Places by all their names."""
    return Names((place, (*place.names.values(), *place.other)) for place in places().values())


def apart_km(one: Place, other: Place) -> float:
    """Great-circle distance, km."""
    north, south = math.radians(one.lat), math.radians(other.lat)
    east = math.radians(other.lon - one.lon)
    haversine = math.sin((south - north) / 2) ** 2 + math.cos(north) * math.cos(south) * math.sin(east / 2) ** 2
    return 2 * EARTH_KM * math.asin(math.sqrt(min(1.0, haversine)))


def bearing(one: Place, other: Place) -> float:
    """The direction in which one sets out for the other: degrees from north, clockwise."""
    north, south = math.radians(one.lat), math.radians(other.lat)
    east = math.radians(other.lon - one.lon)
    across = math.sin(east) * math.cos(south)
    along = math.cos(north) * math.sin(south) - math.sin(north) * math.cos(south) * math.cos(east)
    return math.degrees(math.atan2(across, along)) % 360
