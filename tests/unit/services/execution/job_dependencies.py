"""An executor's surroundings in memory: ledger, toolbox, the offline solver."""

from typing import Any

from backbone.model.offline import OfflineProvider
from contracts.model import ModelRole
from services.execution.execute.cancellations import Cancellations
from services.execution.execute.executor import ExecutorDependencies
from services.execution.execute.job import JobDependencies
from services.execution.execute.log_stream import LogStream
from services.execution.execute.solver import SOLVER, solve_offline
from services.execution.graph import JobGraph
from tests.fakes.ledger import MemoryLedger
from tests.fakes.toolbox import MemoryToolbox


def shop(
    runner: Any,
    ledger: MemoryLedger,
    toolbox: MemoryToolbox | None = None,
    live: LogStream | None = None,
    **more: Any,
) -> ExecutorDependencies:
    """What executors share, around a tool runner."""
    provider = OfflineProvider({ModelRole.SOLVER: (SOLVER, solve_offline)})
    parts = JobDependencies(runner, ledger, toolbox or MemoryToolbox(), provider, **more)
    return ExecutorDependencies(parts, JobGraph(), Cancellations(ledger), live=live or LogStream())
