"""Many sockets that hear nothing ask one question of the ledger."""

import asyncio
from functools import partial
from typing import cast
from uuid import UUID, uuid4

from backbone.ledger.port import Ledger
from services.gateway.views.history import StreamHeads
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact
from tests.fakes.ledger import MemoryLedger


class Counted(MemoryLedger):
    """Counts the questions."""

    asked: list[int]

    async def heads(self, session_ids: object) -> dict[UUID, int]:
        known = [UUID(str(one)) for one in cast("list[UUID]", session_ids)]
        self.asked.append(len(known))
        return await super().heads(known)


def _hear(told: list[tuple[UUID, int]], session: UUID, head: int) -> None:
    told.append((session, head))


async def test_a_hundred_who_ask_within_a_moment_share_one_question() -> None:
    ledger = Counted()
    ledger.asked = []
    known = [uuid4() for _ in range(50)]
    for number, session in enumerate(known, 1):
        await ledger.append(PRODUCER, CONSUMER, [append(session, *(fact() for _ in range(number)))])
    heads = StreamHeads(cast("Ledger", ledger))
    told: list[tuple[UUID, int]] = []
    for session in (*known, *known, uuid4()):
        heads.ask(session, partial(_hear, told, session))
    async with asyncio.timeout(10):
        while len(told) < 100:
            await asyncio.sleep(0.01)
    assert ledger.asked == [51]
    assert sorted(head for _, head in told) == sorted([*range(1, 51)] * 2)


async def test_who_asks_while_the_ledger_is_away_asks_again() -> None:
    ledger = Counted()
    ledger.asked = []
    session = uuid4()
    await ledger.append(PRODUCER, CONSUMER, [append(session)])
    heads = StreamHeads(cast("Ledger", ledger))
    told: list[int] = []
    ledger.up = False
    heads.ask(session, told.append)
    async with asyncio.timeout(10):
        while not ledger.asked:
            await asyncio.sleep(0.01)
        ledger.up = True
        heads.ask(session, told.append)
        while not told:
            await asyncio.sleep(0.01)
    assert told == [1]
