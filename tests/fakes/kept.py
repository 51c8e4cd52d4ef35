"""Kept results in memory, for tests and for whoever runs without a database."""

from collections.abc import Sequence
from datetime import UTC, datetime

from backbone.kept.port import MOST_BYTES, MOST_ROWS, Kept, size_of


class MemoryKept:
    """See backbone.kept.port.KeptResults. What was used longest ago stands first."""

    def __init__(self, *, most_rows: int = MOST_ROWS, most_bytes: int = MOST_BYTES) -> None:
        self._rows: dict[str, Kept] = {}
        self._most = most_rows, most_bytes

    async def find(self, keys: Sequence[str], *, used: bool = True) -> dict[str, Kept]:
        found = {key: self._rows[key] for key in keys if key in self._rows}
        if used:
            for key in found:
                self._rows[key] = self._rows.pop(key)
        return found

    async def of_file(self, file: str) -> list[Kept]:
        newest = {one.tool: one for one in self._rows.values() if not one.owner and file in one.files}
        return [newest[tool] for tool in sorted(newest)]

    async def keep(self, one: Kept) -> None:
        self._rows.pop(one.key, None)
        self._rows[one.key] = one.model_copy(update={"made_at": datetime.now(UTC)})
        left_rows, left_bytes = self._most
        for key, other in reversed(list(self._rows.items())):
            if other.owner == one.owner:
                left_rows, left_bytes = left_rows - 1, left_bytes - size_of(other)
                if left_rows < 0 or left_bytes < 0:
                    del self._rows[key]

    async def forget(self, key: str) -> None:
        self._rows.pop(key, None)
