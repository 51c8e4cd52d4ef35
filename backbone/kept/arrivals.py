"""What is known of files: looked up, and asked for where nobody has looked at one yet."""

import asyncio

from backbone.bus.port import Bus
from backbone.kept.port import KeptResults
from contracts import subjects
from contracts.artifacts import Attachment
from contracts.profiles import Looked

PATIENCE = 4.5
"""Seconds, at most; a file that takes longer is known when somebody asks again."""
MOST_TOLD = 64
"""Files that executors hear of at once; the next one is looked at when somebody needs it."""


class Arrivals:
    """Whoever looks at files answers over the bus. It has no bus until its service has one."""

    def __init__(self, kept: KeptResults) -> None:
        self.kept = kept
        self._told: set[asyncio.Task[object]] = set()
        self.bus: Bus | None = None

    async def known(self, artifact_id: str) -> tuple[Looked, ...]:
        """By tool."""
        found = await self.kept.of_file(artifact_id)
        return tuple(Looked(tool=one.tool, result=one.made.result, error=one.made.error) for one in found)

    async def asked(self, attachment: Attachment, patience: float = PATIENCE) -> tuple[Looked, ...]:
        """What is known after an executor has been asked to look; nothing if that takes too long."""
        await self._ask(attachment, patience)
        return await self.known(attachment.artifact_id)

    def tell(self, attachment: Attachment) -> None:
        """Nobody waits for it."""
        if self.bus is not None and len(self._told) < MOST_TOLD:
            task: asyncio.Task[object] = asyncio.create_task(self._ask(attachment))
            self._told.add(task)
            task.add_done_callback(self._told.discard)

    async def _ask(self, attachment: Attachment, patience: float = PATIENCE) -> None:
        if self.bus is not None:
            await self.bus.ask(subjects.arrival(), attachment.model_dump_json().encode(), patience)
