"""The way from one place to another: motorways where there are some (roads.yaml), else the crow's way and a bit more;
by air over water and beyond a day's drive, by ship to islands without an airport. Pure."""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from packs.devices.atlas.places import Place, apart_km, places
from understanding.kit.data import read_data

DETOUR = 1.3
"""Kilometres of road per kilometre of the crow's way."""
NEAR_KM = 40.0
ACCESS_KM = 60.0
LONGEST_DRIVE_KM = 800.0
TO_AIRPORT_KM = 150.0
SHORTEST_KM = 0.5
LOCAL_KMH, COUNTRY_KMH, MOTORWAY_KMH = 32.0, 62.0, 90.0
AIR_KMH, AIR_EXTRA_MINUTES = 800.0, 30.0
SHIP_KMH = 65.0
DOMESTIC = frozenset({"kr", "jeju"})
ISLANDS = frozenset({"ulleung", "dokdo"})
PORT = "pohang"

Kind = Literal["drive", "fly", "sail"]


class Leg(NamedTuple):
    """A part of the way; `road` is a key of roads.yaml, empty off the motorways."""

    kind: Kind
    start: Place
    end: Place
    km: float
    minutes: float
    road: str = ""


def route(origin: Place, destination: Place) -> tuple[Leg, ...]:
    """The quickest way; empty when one is there already."""
    if origin.key == destination.key:
        return ()
    port = places()[PORT]
    if origin.land in ISLANDS:
        if destination.land in ISLANDS:
            return (_sail(origin, destination),)
        return (_sail(origin, port), *route(port, destination))
    if destination.land in ISLANDS:
        return (*route(origin, port), _sail(port, destination))
    if origin.land == destination.land and apart_km(origin, destination) <= LONGEST_DRIVE_KM:
        return _drive(origin, destination)
    return _fly(origin, destination)


def minutes(legs: Sequence[Leg]) -> float:
    return sum(leg.minutes for leg in legs)


def road_name(road: str, language: str) -> str:
    names: Mapping[str, str] = _roads()["names"][road]
    return names.get(language) or names["en"]


def _sail(start: Place, end: Place) -> Leg:
    km = apart_km(start, end)
    return Leg("sail", start, end, km, km / SHIP_KMH * 60)


def _local(start: Place, end: Place) -> Leg:
    crow = apart_km(start, end)
    return Leg("drive", start, end, crow * DETOUR, crow * DETOUR / (LOCAL_KMH if crow <= NEAR_KM else COUNTRY_KMH) * 60)


def _fly(origin: Place, destination: Place) -> tuple[Leg, ...]:
    """Over the pair of airports that is the quickest; a city whose airport is not in the table has one."""
    at_home = {origin.land, destination.land} <= DOMESTIC
    ways: list[tuple[Leg, ...]] = []
    for start in _airports(origin, domestic=at_home):
        for end in _airports(destination, domestic=at_home):
            km = apart_km(start, end)
            flight = Leg("fly", start, end, km, km / AIR_KMH * 60 + AIR_EXTRA_MINUTES)
            ways.append((*_drive(origin, start), flight, *_drive(end, destination)))
    return min(ways, key=minutes)


def _airports(place: Place, *, domestic: bool) -> list[Place]:
    near = [
        one
        for one in places().values()
        if one.kind == "airport" or (one.kind == "domestic" and domestic)
        if one.land == place.land and apart_km(one, place) <= TO_AIRPORT_KM
    ]
    return near or [place]


def _drive(origin: Place, destination: Place) -> tuple[Leg, ...]:
    """Dijkstra over the motorways, the ways to them, and the way past all of them."""
    best: dict[str, float] = {origin.key: 0.0}
    came: dict[str, Leg] = {}
    queue = [(0.0, origin.key)]
    while queue:
        spent, key = heapq.heappop(queue)
        if key == destination.key:
            break
        if spent > best[key]:
            continue
        for leg in _from(places()[key], origin, destination):
            total = spent + leg.minutes
            if total < best.get(leg.end.key, float("inf")):
                best[leg.end.key], came[leg.end.key] = total, leg
                heapq.heappush(queue, (total, leg.end.key))
    legs: list[Leg] = []
    at = destination.key
    while at != origin.key:
        legs.append(came[at])
        at = came[at].start.key
    return _joined(legs[::-1])


def _from(place: Place, origin: Place, destination: Place) -> list[Leg]:
    legs = list(_motorways().get(place.key, ()))
    if place.key == origin.key:
        nodes = (places()[key] for key in _motorways())
        near = (one for one in nodes if one.land == place.land and 0 < apart_km(one, place) <= ACCESS_KM)
        legs += [_local(place, destination), *(_local(place, one) for one in near)]
    elif apart_km(place, destination) <= ACCESS_KM:
        legs.append(_local(place, destination))
    return legs


def _joined(legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """Legs that stay on one road are one leg, and a few steps to a motorway are none."""
    joined: list[Leg] = []
    long = [leg for leg in legs if leg.km >= SHORTEST_KM] or legs
    for leg in long:
        last = joined[-1] if joined else None
        if last and leg.road and last.road == leg.road:
            joined[-1] = last._replace(end=leg.end, km=last.km + leg.km, minutes=last.minutes + leg.minutes)
        else:
            joined.append(leg)
    if joined:
        joined[0] = joined[0]._replace(start=legs[0].start)
        joined[-1] = joined[-1]._replace(end=legs[-1].end)
    return tuple(joined)


@cache
def _roads() -> dict[str, Any]:
    path = Path(__file__).with_name("roads.yaml")
    roads: dict[str, Any] = read_data(path)
    return roads


@cache
def _motorways() -> Mapping[str, Sequence[Leg]]:
    """Place -> the motorways that leave it."""
    leaving: dict[str, list[Leg]] = defaultdict(list)
    for one, other, km, road in _roads()["edges"]:
        for start, end in ((one, other), (other, one)):
            legs = leaving[start]
            legs.append(Leg("drive", places()[start], places()[end], float(km), km / MOTORWAY_KMH * 60, road))
    return dict(leaving)
