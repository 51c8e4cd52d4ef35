"""A ledger and a bus with something to say on them, and loops that run for the length of a test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from backbone.bus.port import Bus
from backbone.ledger.port import Ledger
from contracts.envelope import Message, to_headers
from contracts.shape import Event
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.fakes.bus import MemoryBus
from tests.fakes.ledger import MemoryLedger


@dataclass(frozen=True, slots=True)
class Rig:
    """Both adapters of a test, in memory or real. `put` stores anything on the bus, as a stranger could."""

    ledger: Ledger
    bus: Bus
    put: Callable[[str, Mapping[str, str], bytes], Awaitable[None]]

    @classmethod
    def in_memory(cls) -> "Rig":
        bus = MemoryBus()
        return cls(MemoryLedger(), bus, bus.put)

    async def say(self, text: str = "", *, session: UUID | None = None, run: UUID | None = None) -> Message:
        """A person gives feedback: it is recorded, and published."""
        return await self.tell(note(text), session=session, run=run)

    async def tell(self, event: Event, *, session: UUID | None = None, run: UUID | None = None) -> Message:
        """The gateway records an event and publishes it, as its relay would."""
        session = session or uuid4()
        said = fact(event, run_id=run)
        await self.ledger.append(PRODUCER, "test", [append(session, said)])
        # not simply the last: whoever listens may have answered something already
        message = next(one for one in await self.ledger.read(session) if one.event_id == said.event_id)
        await self.bus.publish([message])
        return message

    async def repeat(self, message: Message, subject: str) -> None:
        """The same message again, past the store's dedupe: a store that was rebuilt does that."""
        await self.put(subject, to_headers(message), message.body)

    async def recorded(self, session: UUID, type_: str) -> list[Any]:
        """The events of one type in a session."""
        return [message.event for message in await self.ledger.read(session) if message.type == type_]

    async def codes(self) -> list[int]:
        """The codes of all dead letters, oldest first."""
        return [int(str(letter["code"])) for letter in reversed(await self.ledger.dead_letters())]


@asynccontextmanager
async def running(*loops: Coroutine[Any, Any, None]) -> AsyncIterator[list["asyncio.Task[None]"]]:
    """Runs endless loops beside the test, and cancels them. An error that ended one of them is raised."""
    tasks = [asyncio.create_task(loop) for loop in loops]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ends:
        if isinstance(end, BaseException) and not isinstance(end, asyncio.CancelledError):
            raise end


async def until(condition: Callable[[], bool] | Callable[[], Awaitable[object]], timeout: float = 20.0) -> None:
    """Waits until a condition holds."""
    async with asyncio.timeout(timeout):
        while True:
            answer: object = condition()
            if isinstance(answer, Awaitable):
                answer = await answer
            if answer:
                return
            await asyncio.sleep(0.01)
