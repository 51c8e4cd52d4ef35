"""How far sessions are, asked by many at once: who hears nothing of a session asks now and then whether it missed
something, and a thousand who ask one by one keep the ledger busy with nothing."""

import asyncio
import logging
from collections.abc import Callable
from uuid import UUID

from backbone.ledger.port import Ledger, LedgerUnavailable

log = logging.getLogger(__name__)

TOGETHER = 0.5
"""Seconds for which askers are gathered: then they are one question."""
Told = Callable[[int], None]


class StreamHeads:
    """Answers by a call, so that whoever asks goes on listening meanwhile."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._asked: dict[UUID, list[Told]] = {}
        self._asking: asyncio.Task[None] | None = None

    def ask(self, session_id: UUID, told: Told) -> None:
        """`told` hears the version of the session's last event soon; not at all while the ledger is away."""
        self._asked.setdefault(session_id, []).append(told)
        if self._asking is None:
            self._asking = asyncio.create_task(self._answer(), name="gateway:heads")

    async def _answer(self) -> None:
        await asyncio.sleep(TOGETHER)
        asked, self._asked, self._asking = self._asked, {}, None
        try:
            heads = await self._ledger.heads(list(asked))
        except LedgerUnavailable as error:
            log.warning("how far %d sessions are: %s", len(asked), error)
            return
        for session_id, head in heads.items():
            for told in asked[session_id]:
                told(head)
