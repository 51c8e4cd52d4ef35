"""Composes the execution service: dispatcher, executors, toolbox, timers."""

import asyncio
import logging
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from backbone import packs
from backbone.bus.rights import user_of
from backbone.kept.postgres import PostgresKept
from backbone.mcp.catalogue import with_servers
from backbone.mcp.hosting import host_of
from backbone.memories.asking import AskedMeanings
from backbone.memories.personal import PersonalMemories
from backbone.memories.postgres import PostgresMemories
from backbone.model.provider import prompts_of, provider_of
from backbone.model.recent import recent
from backbone.packs import Catalogue
from backbone.runner.handlers import AnyHandler
from backbone.scratch import sweep_leftovers
from backbone.service import Backbone, Background, Service
from backbone.timers import run_timers
from contracts import subjects
from contracts.errors import Code
from contracts.memory import Memories
from contracts.model import ModelRole
from contracts.tables import PackDatabase
from services.execution.dispatch.lease_queue import expire_waiters, grant_leases
from services.execution.dispatch.reminders import reminders
from services.execution.domain.fold import Rules
from services.execution.execute.at_once import AtOnce
from services.execution.execute.before import Before
from services.execution.execute.cancellations import SAY_STOP, Cancellations
from services.execution.execute.executor import Executor, ExecutorDependencies, executor
from services.execution.execute.job import JobDependencies
from services.execution.execute.solver import SOLVER, solve_offline
from services.execution.graph import JobGraph
from services.execution.handlers import dispatcher
from services.execution.tools.faults import ToolFault
from services.execution.tools.resources import Owner, Resources
from services.execution.tools.tool_runner import ToolRunner
from services.execution.tools.toolpool import ToolPool
from services.execution.tools.workers import Sandbox

log = logging.getLogger(__name__)

DISPATCHER_ROUTE = "dispatcher"


def service(backbone: Backbone) -> Service:
    """All routes, or those that DREAM_EXECUTORS names: `dispatcher` is the process manager, the rest are executors."""
    settings = backbone.settings
    catalogue = with_servers(packs.load(settings.packs), settings.mcp_servers)
    wanted = settings.executors or (DISPATCHER_ROUTE, *catalogue.executors)
    patience = timedelta(seconds=settings.decision_deadline_seconds)
    sandbox = Sandbox.of(settings.tool_sandbox, settings.tool_folders)
    if lacking := sandbox.lacking():
        log.warning("tools in worker processes are not confined here: %s", lacking)
    pool = ToolPool(settings.tool_processes, sandbox=sandbox)
    prompts = prompts_of("execution", Path(__file__).parent, catalogue)
    provider = provider_of(settings, {ModelRole.SOLVER: (SOLVER, solve_offline)}, prompts)
    meanings = AskedMeanings()
    servers = host_of(catalogue, wanted)
    runner = ToolRunner(catalogue, backbone.artifacts, pool, _resources(backbone, catalogue, meanings), servers.tool)
    before = Before(runner, PostgresKept(backbone.pool))
    jobs = JobDependencies(
        runner,
        backbone.ledger,
        backbone.toolbox,
        provider,
        settings.lease_seconds,
        talk=recent(settings, backbone.ledger, ModelRole.SOLVER),
        expect=catalogue.expect,
        before=before,
    )
    shared = ExecutorDependencies(jobs, JobGraph(), Cancellations(backbone.ledger), patience)
    rules = Rules(catalogue.say, settings.session_concurrency, settings.run_budget, settings.session_budget, patience)
    decides = dispatcher(rules, AtOnce({route: Executor(route, shared) for route in wanted}))
    handlers: list[AnyHandler] = [
        decides if route == DISPATCHER_ROUTE else executor(route, shared, settings.executor_concurrency, decides)
        for route in wanted
    ]

    async def retire(_: Service) -> None:
        await asyncio.to_thread(sweep_leftovers)  # of executors that were killed
        await pool.retire_idle()

    async def hear_stops(service: Service) -> None:
        meanings.bus = service.bus
        service.backbone.handover.by_bus(SAY_STOP)
        await shared.cancellations.follow(service.bus)
        await shared.cancellations.watch()

    async def show_lines(service: Service) -> None:
        await shared.live.run(service.bus)

    async def host_servers(service: Service) -> None:
        await servers.run(service.bus)

    async def hear_of_files(service: Service) -> None:
        await before.answer(service.bus)
        await asyncio.Event().wait()  # a background task of a healthy service does not end

    if DISPATCHER_ROUTE in wanted:
        handlers.append(reminders())
    background: list[Background] = [retire, run_timers, hear_stops, show_lines, host_servers, hear_of_files]
    if DISPATCHER_ROUTE in wanted and any(tool.groups for tool in catalogue.tools.values()):
        handlers.append(expire_waiters(backbone.toolbox))
        background.append(grant_leases)
    return Service(
        "execution", backbone, handlers, relays=("execution", "timers"), background=background,
        says=(subjects.LIVE, subjects.meaning()), hears=SAY_STOP, answers=(subjects.OFFERS, subjects.arrival()),
        user=user_of("execution", settings.executors),
    )  # fmt: skip


def _resources(backbone: Backbone, catalogue: Catalogue, meanings: AskedMeanings) -> Resources:
    """Tables for the packs whose manifest asks for them; a statement of any other never reaches the database. And each
    person's memory, which is searched by meaning while the cognitive service answers."""
    store = PostgresMemories(backbone.pool)

    def memories(owner: Owner) -> Memories:
        return PersonalMemories(
            store, meanings, owner.user, owner.language, owner.run_id, owner.key, owner.now, meanings.many, session_of
        )

    async def session_of(run_id: UUID) -> UUID | None:
        place = await backbone.ledger.run(run_id)
        return place.session_id if place else None

    def tables(pack: str) -> PackDatabase:
        if not catalogue.packs[pack].manifest.database:
            raise ToolFault(Code.TOOL_FAILED, f"the pack {pack!r} has no tables: its manifest lacks database: true")
        return backbone.tables.of(pack)

    zone = backbone.settings.timezone
    return Resources(tables, memories, timezone=zone, meanings=meanings.many, packs=catalogue.packs)
