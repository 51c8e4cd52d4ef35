"""Places for calls at work, in turn of persons, and one more that only somebody takes who has none.

So nobody holds all of them, however many long calls they have; and alone they lose none."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

SPARE = 1


class Shares:
    """Whoever has fewest calls at work goes first, and of those who came first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: Counter[str] = Counter()
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()

    @property
    def full(self) -> bool:
        """Whether somebody who comes would have to wait."""
        return bool(self._waiting) or self._held.total() >= self._size

    @asynccontextmanager
    async def place(self, person: str) -> AsyncGenerator[None]:
        """Waits for a place, and has it until the context ends."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((person, turn))
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._let_go(person)  # it was granted in the moment of the cancellation
            else:
                self._waiting = deque(one for one in self._waiting if one[1] is not turn)
            raise
        try:
            yield
        finally:
            self._let_go(person)

    def _let_go(self, person: str) -> None:
        self._held[person] -= 1
        if not self._held[person]:
            del self._held[person]
        self._grant()

    def _grant(self) -> None:
        while self._waiting:
            person, turn = min(self._waiting, key=lambda one: self._held[one[0]])
            if self._held.total() >= (self._size if self._held[person] else self._size + SPARE):
                return
            self._waiting.remove((person, turn))
            if not turn.done():
                self._held[person] += 1
                turn.set_result(None)
