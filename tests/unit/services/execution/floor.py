"""An executor's surroundings in memory: ledger, toolbox, the offline solver."""

from typing import Any

from backbone.ledger.memory import MemoryLedger
from backbone.model.offline import OfflineProvider
from backbone.toolbox.memory import MemoryToolbox
from contracts.model import ModelRole
from services.execution.graph import JobGraph
from services.execution.handlers import ExecutorDependencies
from services.execution.job import JobDependencies
from services.execution.log_stream import LogStream
from services.execution.solver import SOLVER, solve_offline
from services.execution.stopping import Cancellations


def shop(
    runner: Any,
    ledger: MemoryLedger,
    toolbox: MemoryToolbox | None = None,
    live: LogStream | None = None,
    **floor: Any,
) -> ExecutorDependencies:
    """A workshop around a tool runner."""
    provider = OfflineProvider({ModelRole.SOLVER: (SOLVER, solve_offline)})
    parts = JobDependencies(runner, ledger, toolbox or MemoryToolbox(), provider, **floor)
    return ExecutorDependencies(parts, JobGraph(), Cancellations(ledger), live=live or LogStream())
