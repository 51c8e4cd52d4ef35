"""A ledger of our own stays small: `dream up` has `dream admin prune` run once a day, in a process beside the
services."""

import asyncio
import logging
import sys

from dream.local import child
from dream.local.data_dir import DataDir

log = logging.getLogger(__name__)

FIRST, EVERY = 600.0, 24 * 3600.0
"""Seconds until the first time, and between two: who has just started wants to work."""
_COMMAND = (sys.executable, "-c", "from dream.cli.app import main; main()", "admin", "prune", "--json")


async def tidy(place: DataDir, first: float = FIRST, every: float = EVERY) -> None:
    """Until cancelled; what it let go of, or why it could not, is in `logs/prune.log` of the data folder."""
    await asyncio.sleep(first)
    while True:
        try:
            await _pruned(place)
        except OSError as error:  # a full disk, say
            log.warning("the ledger could not be made smaller: %s", error)
        await asyncio.sleep(every)


async def _pruned(place: DataDir) -> None:
    log_file = place.log_file.with_name("prune.log")
    log_file.parent.mkdir(exist_ok=True)
    with log_file.open("ab") as output:
        command = [*_COMMAND, "--data-dir", str(place.folder)]
        pruning = child.start(command, record=place.record_of("prune"), output=output)
        try:
            code = await asyncio.to_thread(pruning.process.wait)
        finally:
            pruning.stop()
    if code:
        log.warning("the ledger could not be made smaller (exit %d): see %s", code, log_file)
