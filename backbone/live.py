"""Live words on their way to whoever watches (contracts.live): on core NATS, bounded, never in the ledger."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID

from backbone.bus.port import Bus
from backbone.model.port import OnChunk
from contracts import subjects
from contracts.live import Chunk, LogLine
from contracts.model import ModelRole
from contracts.tools import LINE_LIMIT

WAITING = 2000
"""Words of a process that wait for the connection at most."""


class Live:
    """The live words of a process. Without a bus they are dropped."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[tuple[UUID, LogLine | Chunk]] | None = None

    async def run(self, bus: Bus) -> None:
        """Publishes, in the order in which they were said, until cancelled."""
        waiting = self._waiting = asyncio.Queue(WAITING)
        try:
            while True:
                session_id, word = await waiting.get()
                await bus.signal(subjects.live(session_id), word.model_dump_json().encode())
        finally:
            self._waiting = None

    def publish(self, session_id: UUID, word: LogLine | Chunk) -> None:
        """Drops what cannot wait: nobody is held up by those who look on."""
        if self._waiting is not None and not self._waiting.full():
            self._waiting.put_nowait((session_id, word))

    def listener(self, session_id: UUID, run_id: UUID, role: ModelRole, todo_id: str | None = None) -> OnChunk:
        """Shows the pieces of one model's answer as it is written; an empty piece begins it anew."""
        index = 0

        def on_chunk(piece: str) -> None:
            nonlocal index
            if not piece:
                index = 0
                return
            for start in range(0, len(piece), LINE_LIMIT):
                text = piece[start : start + LINE_LIMIT]
                chunk = Chunk(run_id=run_id, role=role, todo_id=todo_id, index=index, text=text, at=datetime.now(UTC))
                index += 1
                self.publish(session_id, chunk)

        return on_chunk
