"""Group commit: appends to new sessions that wait at the same moment share one transaction.

Only for new streams: an existing one may be locked for a while, and would hold up everybody else's append."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from backbone.ledger.port import Append, Appended, Ledger, LedgerUnavailable

LIMIT = 256
Waiting = tuple[Append, "asyncio.Future[Appended]"]


class GroupCommitter:
    """Appends for one producer and consumer."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self._ledger = ledger
        self._name = name
        self._waiting: list[Waiting] = []
        self._draining: asyncio.Task[None] | None = None

    async def append(self, append: Append) -> Appended:
        """Returns when the append is committed; raises what the ledger raises for it."""
        done: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()
        self._waiting.append((append, done))
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(), name="gateway:committer")
        return await done

    async def close(self) -> None:
        """Returns when nothing waits any more."""
        if self._draining is not None:
            await asyncio.gather(self._draining, return_exceptions=True)

    async def _drain(self) -> None:
        try:
            while self._waiting:
                # whoever becomes ready in this turn of the loop comes along
                await asyncio.sleep(0)
                batch, self._waiting = self._waiting[:LIMIT], self._waiting[LIMIT:]
                await self._commit(batch)
        finally:
            self._draining = None

    async def _commit(self, batch: list[Waiting]) -> None:
        # two requests with one Idempotency-Key at once: the ledger takes a cause once per call
        unique = list({append.cause: append for append, _ in reversed(batch)}.values())
        outcomes = dict(zip((append.cause for append in unique), await self._append(unique), strict=True))
        taken: set[UUID] = set()
        for append, done in batch:
            outcome = outcomes[append.cause]
            if append.cause in taken and isinstance(outcome, Appended):
                outcome = Appended(fresh=False, last_version=None)
            taken.add(append.cause)
            if done.done():
                continue
            if isinstance(outcome, Appended):
                done.set_result(outcome)
            else:
                done.set_exception(outcome)

    async def _append(self, appends: list[Append]) -> Sequence[Appended | Exception]:
        try:
            return await self._ledger.append(self._name, self._name, appends)
        except LedgerUnavailable as error:
            return [error] * len(appends)
        except Exception as error:  # noqa: BLE001  # what one append is refused for must reach its request, and it alone
            if len(appends) == 1:
                return [error]
            return [outcome for one in appends for outcome in await self._append([one])]
