"""What is read of many sessions in one moment is one statement: a statement costs more than most of what it finds."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple


class Read(NamedTuple):
    """A statement for one session, and the same for many. That for many takes an array for each of the `varying`
    parameters, which come first, and says with each row, as n, whose it is, counting from 1."""

    one: str
    many: str
    varying: int


class GatheredReads:
    """`fetch` runs a statement with its parameters."""

    def __init__(self, fetch: Callable[..., Awaitable[Sequence[Any]]]) -> None:
        self._fetch = fetch
        self._asked: dict[tuple[Any, ...], list[tuple[tuple[Any, ...], asyncio.Future[list[Any]]]]] = {}
        self._reading: set[asyncio.Task[None]] = set()

    async def rows(self, read: Read, *parameters: Any) -> list[Any]:
        """The rows of the statement. Parameters that do not vary are what those who share a statement have in common.
        Raises what `fetch` raises."""
        varying, common = parameters[: read.varying], parameters[read.varying :]
        found: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        asked = self._asked.setdefault((read, *common), [])
        asked.append((varying, found))
        if len(asked) == 1:
            # it begins when those who are about to ask in this turn of the loop have asked
            reading = asyncio.create_task(self._read(read, common))
            self._reading.add(reading)
            reading.add_done_callback(self._reading.discard)
        return await found

    async def _read(self, read: Read, common: tuple[Any, ...]) -> None:
        asked = self._asked.pop((read, *common))
        rows: list[list[Any]] = [[] for _ in asked]
        try:
            if len(asked) == 1:
                rows[0].extend(await self._fetch(read.one, *asked[0][0], *common))
            else:
                columns = zip(*(varying for varying, _ in asked), strict=True)
                for row in await self._fetch(read.many, *(list(column) for column in columns), *common):
                    rows[row["n"] - 1].append(row)
        except BaseException as error:
            for _, found in asked:
                if not found.done():
                    found.set_exception(error) if isinstance(error, Exception) else found.cancel()
            if not isinstance(error, Exception):
                raise
        else:
            for (_, found), its in zip(asked, rows, strict=True):
                if not found.done():  # who asked may have been stopped
                    found.set_result(its)
