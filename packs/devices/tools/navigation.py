"""devices.navigation: the way to a place, as sentences and as a map on the monitor (NavTool of source design 000)."""

import asyncio
from collections.abc import Sequence

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.devices import pace
from packs.devices.atlas.places import Place, bearing, places
from packs.devices.atlas.routes import Leg, minutes, road_name, route
from packs.devices.finding import meant, place_of

SHOWN_SECONDS = 3.0
START = "seoul"
"""Where people are who have not said where, and whose operator has set no HOME."""
NAME = "map.png"


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError for a place that is not in the table, and for the place where one is."""
    pace.check(context)
    origin = _origin(str(params.get("origin") or ""), context)
    destination = place_of(str(params["destination"]), context)
    start, end = origin.name(context.language), destination.name(context.language)
    legs = await asyncio.to_thread(route, origin, destination)
    if not legs:
        raise ToolError(Code.TOOL_FAILED, context.text("navigation.error.there", place=end), place=destination.key)
    picture = await asyncio.to_thread(_map, legs, context.language)
    context.save(picture, name=NAME, media_type="image/png", type_="image.map", origin=start, destination=end)
    seconds = float(str(params.get("seconds", SHOWN_SECONDS)))
    await pace.hold(seconds, context, lambda _: context.text("progress.navigation", origin=start, destination=end))
    return _told(origin, destination, legs, context)


def _map(legs: Sequence[Leg], language: str) -> bytes:
    from packs.devices.atlas.drawing import draw  # in the thread: Pillow takes its time to load

    return draw(legs, language)


def _origin(said: str, context: ToolContext) -> Place:
    """What was said, or where the person is at home."""
    if said and meant(said) != "here":
        return place_of(said, context)
    home = context.config.get("HOME")
    return place_of(home, context) if home else places()[START]


def _told(origin: Place, destination: Place, legs: Sequence[Leg], context: ToolContext) -> JsonObject:
    language, km = context.language, sum(leg.km for leg in legs)
    sentence = context.text(
        "navigation.found",
        origin=origin.name(language),
        destination=destination.name(language),
        km=_km(km),
        time=_time(minutes(legs), context),
    )
    sentences = [
        context.text("navigation.step", number=number, step=_step(leg, context)) for number, leg in enumerate(legs, 1)
    ]
    return {
        "origin": origin.name(language),
        "destination": destination.name(language),
        "distance_km": round(km, 1),
        "minutes": round(minutes(legs)),
        "steps": [
            {
                "kind": leg.kind,
                "start": leg.start.name(language),
                "end": leg.end.name(language),
                "km": round(leg.km, 1),
                "minutes": round(leg.minutes),
                "road": road_name(leg.road, language) if leg.road else "",
                "sentence": _step(leg, context),
            }
            for leg in legs
        ],
        "summary": [sentence, *sentences, context.text("navigation.rough")],
    }


def _step(leg: Leg, context: ToolContext) -> str:
    key = "road" if leg.road else leg.kind
    winds = context.text("navigation.winds").split("|")
    return context.text(
        f"navigation.step_{key}",
        start=leg.start.name(context.language),
        end=leg.end.name(context.language),
        km=_km(leg.km),
        time=_time(leg.minutes, context),
        road=road_name(leg.road, context.language) if leg.road else "",
        wind=winds[round(bearing(leg.start, leg.end) / (360 / len(winds))) % len(winds)],
    )


def _km(km: float) -> str:
    return f"{km:.1f}" if km < 10 else f"{km:,.0f}"  # below it the tenths matter


def _time(spent: float, context: ToolContext) -> str:
    hours, rest = divmod(max(1, round(spent)), 60)
    if not hours:
        return context.text("time.minutes", minutes=rest)
    return context.text("time.hours" if not rest else "time.hours_minutes", hours=hours, minutes=rest)
