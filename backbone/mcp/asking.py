"""The other services' side: they ask the executor of a server what it offers, so that one process talks to it."""

import asyncio
import logging

from pydantic import ValidationError

from backbone.bus.port import Bus
from backbone.mcp.catalogue import GrowingCatalogue, wait_for
from backbone.mcp.offers import AWAY
from backbone.packs import Catalogue
from backbone.service import Background, Service
from contracts import subjects
from contracts.asking import Offer

log = logging.getLogger(__name__)

PATIENCE = 1.0
SOON, LATER = 0.5, 15.0
"""Seconds between two questions, while a server has not joined and while nobody waits for it; after an executor was
started anew a server may offer something else."""
HOPE = 60
"""So often a server is asked for soon."""


async def follow(catalogue: GrowingCatalogue, bus: Bus) -> None:
    """Until cancelled: whatever the executors have listed joins the catalogue."""
    asked = 0
    while True:
        await asyncio.gather(*(_ask(catalogue, bus, server) for server in catalogue.servers))
        asked += 1
        waits = asked < HOPE and any(catalogue.offer(server) is None for server in catalogue.servers)
        await wait_for(catalogue.nudged, SOON if waits else LATER)


async def _ask(catalogue: GrowingCatalogue, bus: Bus, server: str) -> None:
    answer = await bus.ask(subjects.offer(server), b"", PATIENCE)
    if answer == AWAY:
        catalogue.say_away(server)
    elif answer:
        try:
            catalogue.join(Offer.model_validate_json(answer))
        except ValidationError as error:
            log.warning("the offer of the server %r cannot be read: %s", server, error)


def following(catalogue: Catalogue) -> tuple[Background, ...]:
    """What a service has to run for the tools of servers to join its catalogue."""
    if not isinstance(catalogue, GrowingCatalogue):
        return ()

    async def run(service: Service) -> None:
        await follow(catalogue, service.bus)

    return (run,)
