"""The durable consumers, as the services' handlers have them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backbone.bus.port import ConsumerSpec
    from backbone.packs import Catalogue
    from backbone.settings import Settings


def routes(settings: "Settings", catalogue: "Catalogue") -> tuple[str, ...]:
    """Executor routes of the packs, that of MCP servers where there are some, and those that somebody has named."""
    from backbone.bus.rights import DISPATCHER

    servers = {one.executor for one in settings.mcp_servers.values()}
    return tuple(sorted({*catalogue.executors, *settings.executors, *servers} - {DISPATCHER}))


def consumers(settings: "Settings", catalogue: "Catalogue") -> "list[ConsumerSpec]":
    """Those that the services pull from with these packs, in the order of their names. Without one of these there would
    be another that nobody pulls from: what waits there waits for ever, and keeps room from being made."""
    from backbone.bus.port import ConsumerSpec
    from backbone.bus.rights import stations

    unused = set() if catalogue.flows else {"cognitive-flows"}
    if not any(tool.groups for tool in catalogue.tools.values()):
        unused.add("execution-toolbox")
    pulled = {
        name: tuple(filters)
        for station in stations(routes(settings, catalogue))
        for name, filters in station.durables.items()
        if name not in unused
    }
    return [ConsumerSpec(name, pulled[name], settings.ack_wait_seconds) for name in sorted(pulled)]
