"""Composes the cognitive service. Only this service starts the reading process, which learns beside its start."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from backbone import packs
from backbone.kept.arrivals import Arrivals
from backbone.kept.postgres import PostgresKept
from backbone.mcp.asking import following
from backbone.mcp.catalogue import live_commands, with_servers
from backbone.memories.postgres import PostgresMemories
from backbone.model.port import ModelProvider
from backbone.model.provider import prompts_of, provider_of, uses_any_model, uses_model
from backbone.model.recent import Recent
from backbone.pack_settings import settings_of
from backbone.packs import Catalogue
from backbone.runner.handlers import AnyHandler
from backbone.service import Backbone, Service
from backbone.settings import Settings
from contracts import subjects
from contracts.errors import Code
from contracts.model import ModelRole
from services.cognitive.columns import Columns
from services.cognitive.flow_turns import FlowTurns
from services.cognitive.flows import flow_desk_handler, load_flows
from services.cognitive.graph import CognitiveGraph
from services.cognitive.handlers import Understanding
from services.cognitive.meanings import Meanings
from services.cognitive.memory import Remembering, offline_summarizer
from services.cognitive.reading_process import ReadingProcess
from services.cognitive.reads import Reads
from understanding.port import PROMPTS, Understander, encoder, interpret, pack_texts, with_model


def service(backbone: Backbone) -> Service:
    """One work handler that understands, one decision handler that leads the packs' flows; a background task that warms
    the model."""
    catalogue = with_servers(packs.load(backbone.settings.packs), backbone.settings.mcp_servers)
    able = any(pack.intents for name, pack in catalogue.packs.items() if name != packs.PLATFORM)
    reads = ReadingProcess(backbone.settings.packs, encoder().name)
    offline = {ModelRole.SUMMARIZER: offline_summarizer(catalogue)}
    provider = provider_of(
        backbone.settings, offline, prompts_of("cognitive", Path(__file__).parent, catalogue, PROMPTS)
    )
    understander = _understander(backbone.settings, provider, catalogue, reads)
    graph = _Later(partial(_build, catalogue, understander)) if able else None
    commands = live_commands(catalogue)
    flows = load_flows(catalogue)
    interpreter = partial(interpret, provider) if uses_model(backbone.settings, ModelRole.INTERPRETER) else None

    def settings(pack: str) -> Mapping[str, str]:
        return settings_of(pack, catalogue.packs, os.environ)

    arrivals = Arrivals(PostgresKept(backbone.pool))
    intents = [one for pack in catalogue.packs.values() for one in pack.intents]
    understanding = Understanding(
        graph,
        commands,
        catalogue,
        backbone.ledger,
        backbone.settings.decision_deadline_seconds,
        timezone=backbone.settings.timezone,
        turns=FlowTurns(flows, backbone.tables.of, interpreter, settings, reads) if flows else None,
        talk=Recent(backbone.ledger),
        columns=Columns.wanted_by(intents, arrivals),
        asks_models=uses_any_model(backbone.settings),
    )
    handlers: list[AnyHandler] = [understanding.handler()]
    if flows:
        handlers.append(flow_desk_handler({name: flow.rules for name, flow in flows.items()}))

    # what was said is remembered, and summed up
    memories = PostgresMemories(backbone.pool)
    meanings = Meanings(reads, memories)
    handlers.append(Remembering(backbone.ledger, memories, provider, catalogue, meanings.at_once).handler())

    warmed = asyncio.Event()

    async def warm(_: Service) -> None:
        try:
            if graph is not None:
                await asyncio.gather(graph, reads.ready())
            warmed.set()
            await asyncio.Event().wait()  # a background task of a healthy service does not end
        finally:
            await reads.close()

    async def ask_about_files(service: Service) -> None:
        arrivals.bus = service.bus
        await asyncio.Event().wait()

    background = (warm, meanings.run, ask_about_files, *following(catalogue))
    cognitive = Service(
        "cognitive", backbone, handlers, relays=("cognitive",), background=background,
        says=(subjects.OFFERS, subjects.arrival()), answers=(subjects.meaning(),),
    )  # fmt: skip

    async def cold() -> str:
        return "" if warmed.is_set() else "the offline model is still learning: messages wait for it"

    cognitive.checks.add("model", Code.NOT_WARM, cold)
    return cognitive


class _Later(Awaitable[CognitiveGraph]):
    """The graph, built once in a thread when somebody first waits for it."""

    def __init__(self, build: Callable[[], CognitiveGraph]) -> None:
        self._build = build
        self._task: asyncio.Task[CognitiveGraph] | None = None

    def __await__(self) -> Generator[Any, None, CognitiveGraph]:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(asyncio.to_thread(self._build))
        # one waiter that gives up must not take the graph from the others
        return asyncio.shield(self._task).__await__()


def _build(catalogue: Catalogue, understander: Understander) -> CognitiveGraph:
    from services.cognitive.clarifier import AmbiguityDetector

    understood = pack_texts(catalogue.packs.values())
    # the platform's pack comes last: it has the questions that every pack may have to ask, unless one has its own
    ordered = sorted(understood, key=lambda one: one.name == packs.PLATFORM)
    return CognitiveGraph(understander, AmbiguityDetector(ordered))


def _understander(settings: Settings, provider: ModelProvider, catalogue: Catalogue, reads: Reads) -> Understander:
    """The reading process, with a model before it where one reads messages."""
    classifies, extracts = (uses_model(settings, role) for role in (ModelRole.CLASSIFIER, ModelRole.EXTRACTOR))
    if not (classifies or extracts):
        return reads
    return with_model(provider, reads, reads, catalogue, classifies=classifies, extracts=extracts)
