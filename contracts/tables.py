"""Tables of a pack: its own schema in the ledger's database, reached by statements with parameters, as its own role."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol


class Rows(Protocol):
    """A transaction. Arguments go to $1, $2, …; rows are mappings from column to value."""

    async def fetch(self, sql: str, *args: object) -> Sequence[Mapping[str, Any]]: ...
    async def fetchrow(self, sql: str, *args: object) -> Mapping[str, Any] | None: ...
    async def execute(self, sql: str, *args: object) -> None: ...


class PackDatabase(Protocol):
    """The pack's schema. It may do in it what its migrations grant, and nothing outside it."""

    def transaction(self) -> AbstractAsyncContextManager[Rows]:
        """Commits at the end, rolls back on an exception. Raises DatabaseUnavailable when it cannot be reached."""


class DatabaseUnavailable(Exception):
    """The database cannot be reached just now."""


class RowRefused(Exception):
    """The database refuses the statement: a constraint, a value that does not fit. `constraint` is its name, if any."""

    def __init__(self, message: str, constraint: str | None = None) -> None:
        super().__init__(message)
        self.constraint = constraint
