"""Every durable consumer that the code has: those of the services' handlers, composed but connected to nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from backbone.bus.port import ConsumerSpec
    from backbone.service import Service
    from backbone.settings import Settings

LAYERS = ("cognitive", "planning", "execution", "response")


def composed(settings: "Settings") -> "dict[str, Service]":
    """The layer services by name; the gateway has no handlers."""
    from backbone.artifacts.memory import MemoryArtifacts
    from backbone.ledger.memory import MemoryLedger
    from backbone.ledger.tables import PackTables
    from backbone.service import Backbone
    from backbone.toolbox.memory import MemoryToolbox

    nobody: Any = None  # nothing is asked of the database before a service starts
    stores = (MemoryLedger(), MemoryArtifacts(), MemoryToolbox(), cast("Any", nobody), PackTables(""))
    # all routes: a process of DREAM_EXECUTORS declares its own, the administrator everybody's
    backbone = Backbone(settings.model_copy(update={"executors": ()}), *stores)
    with _quiet():
        return {name: import_module(f"services.{name}.app").service(backbone) for name in LAYERS}


def consumers(settings: "Settings") -> "list[ConsumerSpec]":
    """In the order of their names."""
    from backbone.runner.handlers import consumer_spec

    handlers = [handler for service in composed(settings).values() for handler in service.handlers]
    return sorted((consumer_spec(one, settings.ack_wait_seconds) for one in handlers), key=lambda spec: spec.name)


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
