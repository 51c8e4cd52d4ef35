"""The services, composed but connected to nothing: what they are, before anybody starts them."""

import logging
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from backbone.ledger.tables import PackTables
from backbone.service import Backbone, Service
from backbone.settings import Settings
from dream.local.stack import GATEWAY, LAYERS


def composed(settings: Settings, names: Sequence[str] = LAYERS) -> dict[str, Service]:
    """Services by name; of the gateway, which has no handlers, what connects it to the bus."""
    nobody: Any = None  # nothing is asked of any store before a service starts
    # all routes: a process of DREAM_EXECUTORS declares its own, the administrator everybody's
    settings = settings.model_copy(update={"executors": ()})
    backbone = Backbone(settings, nobody, nobody, nobody, nobody, PackTables(""))
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # what services say of themselves then is for their own log
    try:
        made = {name: import_module(f"services.{name}.app").service(backbone) for name in names}
    finally:
        logging.disable(before)
    return {name: one.shell if name == GATEWAY else one for name, one in made.items()}
