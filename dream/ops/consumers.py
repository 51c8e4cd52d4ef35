"""The durable consumers, as the services' handlers have them; and the services, composed but connected to nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backbone.bus.port import ConsumerSpec
    from backbone.packs import Catalogue
    from backbone.service import Service
    from backbone.settings import Settings

LAYERS = ("cognitive", "planning", "execution", "response")


GATEWAY = "gateway"


def composed(settings: "Settings", names: Sequence[str] = LAYERS) -> "dict[str, Service]":
    """Services by name; of the gateway, which has no handlers, what connects it to the bus."""
    from backbone.ledger.tables import PackTables
    from backbone.service import Backbone

    nobody: Any = None  # nothing is asked of any store before a service starts
    stores = (nobody, nobody, nobody, nobody, PackTables(""))
    # all routes: a process of DREAM_EXECUTORS declares its own, the administrator everybody's
    backbone = Backbone(settings.model_copy(update={"executors": ()}), *stores)
    with _quiet():
        made = {name: import_module(f"services.{name}.app").service(backbone) for name in names}
    return {name: one.shell if name == GATEWAY else one for name, one in made.items()}


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


@contextmanager
def _quiet() -> Iterator[None]:
    """What services say of themselves when they are composed is for their own log."""
    import logging

    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
