"""Composes the execution service: dispatcher, executors, timers."""

from backbone import packs
from backbone.runner.handlers import AnyHandler
from backbone.service import Backbone, Service
from backbone.timers import run_timers
from services.execution.executors import ToolRunner
from services.execution.handlers import DISPATCHER, executor
from services.execution.toolpool import ToolPool

DISPATCHER_ROUTE = "dispatcher"


def service(backbone: Backbone) -> Service:
    """All routes, or those that DREAM_EXECUTORS names: `dispatcher` is the process manager, the rest are executors."""
    settings = backbone.settings
    catalogue = packs.load(settings.packs)
    wanted = settings.executors or (DISPATCHER_ROUTE, *catalogue.executors)
    pool = ToolPool(settings.tool_processes)
    runner = ToolRunner(catalogue, backbone.artifacts, pool)
    handlers: list[AnyHandler] = [
        DISPATCHER if route == DISPATCHER_ROUTE else executor(route, runner, settings.executor_concurrency)
        for route in wanted
    ]

    async def retire(_: Service) -> None:
        await pool.retire_idle()

    return Service("execution", backbone, handlers, relays=("execution", "timers"), background=(retire, run_timers))
