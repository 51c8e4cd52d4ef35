"""A forecast from Open-Meteo, or from whatever the operator has set in its place (setting URL)."""

import json
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from packs.devices.atlas.places import Place

if TYPE_CHECKING:
    import httpx

URL = "https://api.open-meteo.com/v1/forecast"
SECONDS = 6.0
LARGEST = 64 * 1024
"""Bytes of an answer that is about one day."""
_FIELDS = ("temperature_2m_min", "temperature_2m_max", "precipitation_probability_max")
_OK = 200


class Unknown(Exception):
    """There is no forecast. `reason` ends the key of the text that says why; `value` is for it."""

    def __init__(self, reason: str, value: str = "") -> None:
        super().__init__(f"{reason}: {value}")
        self.reason = reason
        self.value = value


class Forecast(NamedTuple):
    """Of a day: °C, and the chance of rain or snow in %, if it is known."""

    low: float
    high: float
    rain: int | None


async def ask(place: Place, day: date, url: str) -> Forecast:
    """Raises Unknown."""
    import httpx  # only those who have set ONLINE need it

    query = {
        "latitude": f"{place.lat:.4f}",
        "longitude": f"{place.lon:.4f}",
        "daily": ",".join(_FIELDS),
        "timezone": "auto",
        "start_date": day.isoformat(),
        "end_date": day.isoformat(),
    }
    try:
        async with (
            httpx.AsyncClient(timeout=SECONDS) as client,
            client.stream("GET", url or URL, params=query) as answer,
        ):
            status, data = answer.status_code, await _read(answer)
    except httpx.TimeoutException as late:
        raise Unknown("late", f"{SECONDS:.0f}") from late
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unknown("unreachable", type(error).__name__) from error
    if status != _OK:
        raise Unknown("refused", str(status))
    return _forecast(data, day)


async def _read(answer: "httpx.Response") -> bytes:
    data = b""
    async for piece in answer.aiter_bytes():
        data += piece
        if len(data) > LARGEST:
            raise Unknown("unreadable", f"{LARGEST} B")
    return data


def _forecast(data: bytes, day: date) -> Forecast:
    try:
        daily: Mapping[str, Any] = json.loads(data)["daily"]
        at = list(daily["time"]).index(day.isoformat())
        low, high, rain = (daily[name][at] for name in _FIELDS)
        return Forecast(float(low), float(high), None if rain is None else round(float(rain)))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Unknown("unreadable", type(error).__name__) from error
