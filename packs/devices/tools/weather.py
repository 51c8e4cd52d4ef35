"""devices.weather: what is usual (WeatherTool of source design 000, which needs no lock)."""

from datetime import date
from zoneinfo import ZoneInfo

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.devices.atlas.places import Place
from packs.devices.climate import normals
from packs.devices.finding import meant, place_of


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError for a place or a day that there is not, and for a place far from all cities of the table."""
    said = str(params["place"])
    place = place_of(context.config.get("HOME") or said if meant(said) == "here" else said, context)
    day, why = _day(str(params.get("date") or ""), context), ""
    if isinstance(month := params.get("month"), int):
        day = _next(month, day)
        why = context.text("weather.no_forecast", month=_month(day, context))
    usual = _usual(place, day, why, context)
    return {"place": place.name(context.language), "date": day.isoformat(), "source": "normal", **usual}


def _day(said: str, context: ToolContext) -> date:
    if not said:
        return context.now.astimezone(ZoneInfo(context.timezone)).date()
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise ToolError(Code.TOOL_FAILED, context.text("weather.error.date", value=said), value=said) from None


def _next(month: int, today: date) -> date:
    """The first day of the next month of that number; today in this one."""
    return today if month == today.month else date(today.year + (month < today.month), month, 1)


def _usual(place: Place, day: date, why: str, context: ToolContext) -> JsonObject:
    name, city = place.name(context.language), normals.nearest(place)
    if city is None:
        message = context.text("weather.error.far", place=name)
        raise ToolError(Code.TOOL_FAILED, " ".join(filter(None, (why, message))), place=place.key)
    normal = normals.normal(city, day.month)
    context.log(f"climate normals of {city.key}, month {day.month}")
    near = [context.text("weather.near", place=name, city=city.name(context.language))] if city.key != place.key else []
    sentence = context.text(
        "weather.normal",
        place=city.name(context.language),
        month=_month(day, context),
        mean=_degrees(normal.mean),
        rain_days=normal.rain_days,
    )
    summary = [*filter(None, (why,)), *near, sentence, context.text("weather.not_a_forecast")]
    return {
        "normals_of": city.name(context.language),
        "mean": normal.mean,
        "rain_days": normal.rain_days,
        "summary": [*summary],
    }


def _month(day: date, context: ToolContext) -> str:
    return context.text("weather.months").split("|")[day.month - 1]


def _degrees(value: float) -> str:
    """With a real minus sign; there is no zero below zero."""
    return f"{round(value, 1) + 0.0:g}".replace("-", "\N{MINUS SIGN}")
