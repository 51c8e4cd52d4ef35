"""What the weather usually is: climate normals per month of some cities (climates.csv), rounded, of 1991-2020."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from packs.devices.atlas.places import Place, apart_km, places

NEAR_KM = 70.0
"""A city's normals hold around it so far."""


class Normal(NamedTuple):
    """Mean temperature in °C, and days of a month with rain or snow (1 mm or about that)."""

    mean: float
    rain_days: int


@cache
def table() -> Mapping[str, tuple[Normal, ...]]:
    """Place -> January to December."""
    path = Path(__file__).with_name("climates.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["city"]: tuple(Normal(float(row[f"t{month}"]), int(row[f"r{month}"])) for month in range(1, 13))
            for row in csv.DictReader(file)
        }


def nearest(place: Place) -> Place | None:
    """The city whose normals hold at a place."""
    city = min((places()[key] for key in table()), key=lambda one: apart_km(one, place))
    return city if apart_km(city, place) <= NEAR_KM else None


def normal(city: Place, month: int) -> Normal:
    return table()[city.key][month - 1]
