"""Composes the cognitive service. Only this service loads the understanding model, in a thread, beside its start."""

import asyncio
from collections.abc import Awaitable, Generator
from datetime import UTC, datetime
from typing import Any

from backbone import packs
from backbone.packs import Catalogue
from backbone.service import Backbone, Service
from services.cognitive.graph import CognitiveGraph
from services.cognitive.handlers import Understanding


def service(backbone: Backbone) -> Service:
    """One work handler; a background task that warms the model."""
    catalogue = packs.load(backbone.settings.packs)
    able = any(pack.intents for pack in catalogue.packs.values())
    graph = _Later(catalogue) if able else None
    commands = {name: command for name, (_, command) in catalogue.commands.items()}
    understanding = Understanding(
        graph, commands, catalogue, backbone.ledger, backbone.settings.decision_deadline_seconds
    )

    async def warm(_: Service) -> None:
        if graph is not None:
            await graph
        await asyncio.Event().wait()  # a background task of a healthy service does not end

    return Service("cognitive", backbone, (understanding.handler(),), relays=("cognitive",), background=(warm,))


class _Later(Awaitable[CognitiveGraph]):
    """The graph, built once in a thread when somebody first waits for it."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._task: asyncio.Task[CognitiveGraph] | None = None

    def __await__(self) -> Generator[Any, None, CognitiveGraph]:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(asyncio.to_thread(_build, self._catalogue))
        # one waiter that gives up must not take the graph from the others
        return asyncio.shield(self._task).__await__()


def _build(catalogue: Catalogue) -> CognitiveGraph:
    from backbone.model.offline.pack import read_pack
    from backbone.model.offline.understand import Understander
    from services.cognitive.clarifier import AmbiguityDetector

    understood = [read_pack(pack.name, pack.folder, pack.texts) for pack in catalogue.packs.values() if pack.intents]
    understander = Understander(understood)
    understander.warm(datetime.now(UTC))
    return CognitiveGraph(understander, AmbiguityDetector(understood))
