"""Who takes whose events: the edges between services, for the AsyncAPI document and for traces."""

from collections.abc import Mapping
from functools import cache

from backbone.bus.rights import ROUTE, stations


@cache
def taken_by() -> Mapping[str, frozenset[str]]:
    """Event -> services with a handler for it, as stations.json has them. The gateway sees all."""
    pairs = {
        (filter_.split(".")[4], station.service)
        for station in stations((ROUTE,))
        for filters in station.durables.values()
        for filter_ in filters
    }
    return {event: frozenset(service for one, service in pairs if one == event) for event, _ in pairs}


def service_of(producer: str) -> str:
    """The service that publishes for a producer: timers are relayed by execution."""
    return "execution" if producer == "timers" else producer


@cache
def crosses(producer: str, type_: str, to: str = "") -> bool:
    """Whether an event goes to another service than the one that publishes it; to `to`, if given."""
    here = service_of(producer)
    return to != here and any(taker != here and to in ("", taker) for taker in taken_by().get(type_, ()))
