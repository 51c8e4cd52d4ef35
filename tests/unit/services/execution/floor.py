"""An executor's surroundings in memory: ledger, toolbox, the offline solver."""

from typing import Any

from backbone.ledger.memory import MemoryLedger
from backbone.model.offline import OfflineProvider
from backbone.toolbox.memory import MemoryToolbox
from contracts.model import ModelRole
from services.execution.graph import JobGraph
from services.execution.handlers import Workshop
from services.execution.job import Floor
from services.execution.livelines import LiveLines
from services.execution.solver import SOLVER, solve_offline
from services.execution.stopping import Stops


def shop(
    runner: Any,
    ledger: MemoryLedger,
    toolbox: MemoryToolbox | None = None,
    live: LiveLines | None = None,
    **floor: Any,
) -> Workshop:
    """A workshop around a tool runner."""
    provider = OfflineProvider({ModelRole.SOLVER: (SOLVER, solve_offline)})
    parts = Floor(runner, ledger, toolbox or MemoryToolbox(), provider, **floor)
    return Workshop(parts, JobGraph(), Stops(ledger), live=live or LiveLines())
