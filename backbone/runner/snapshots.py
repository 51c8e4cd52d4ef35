"""What a decider has folded of a long session, kept beside the ledger: a process that has just started, or has
forgotten the session, folds what came after it (docs/adr/0058)."""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from backbone.ledger.port import Ledger, LedgerUnavailable
from backbone.ledger.snapshots import Snapshot
from backbone.runner.handlers import DecisionHandler

log = logging.getLogger(__name__)

EVERY = 256
"""Events of a session from one snapshot to the next; a session that is shorter than this has none."""


class Snapshots:
    """Those of one handler."""

    def __init__(self, handler: DecisionHandler[Any], ledger: Ledger) -> None:
        self._handler = handler
        self._ledger = ledger

    async def of(self, reached: Mapping[UUID, tuple[int, int]]) -> dict[UUID, tuple[int, Any]]:
        """(version, state) from which on sessions are folded, of those that are not from the beginning. `reached` has
        the oldest and the newest version of the messages that are to be decided. Raises LedgerUnavailable."""
        long = {session: versions for session, versions in reached.items() if versions[1] >= EVERY}
        if not long:
            return {}
        if self._handler.of_open_runs:
            since = await self._ledger.open_since(list(long))
            first = {session: min(oldest, since.get(session, oldest)) for session, (oldest, _) in long.items()}
            return {session: (version - 1, self._handler.initial()) for session, version in first.items()}
        return await self._read(list(long)) if self._handler.is_settled else {}

    async def _read(self, sessions: Sequence[UUID]) -> dict[UUID, tuple[int, Any]]:
        found = {}
        for session, snapshot in (await self._ledger.snapshots(self._handler.name, self._made_by, sessions)).items():
            try:
                found[session] = (snapshot.version, self._adapter.validate_json(snapshot.state))
            except ValidationError as error:
                log.warning(
                    "a snapshot cannot be read: the session is folded from its beginning",
                    extra={"session_id": str(session), "consumer": self._handler.name, "error": str(error)},
                )
        return found

    async def keep(self, session: UUID, version: int, state: Any, *, after: int) -> bool:
        """Now and then, while the state is small. `after`: the version of the newest one, 0 for none. Whether it was
        kept."""
        settled = self._handler.is_settled
        if settled is None or version - after < EVERY or not settled(state):
            return False
        snapshot = Snapshot(version, self._adapter.dump_json(state).decode())
        try:
            await self._ledger.keep_snapshot(self._handler.name, self._made_by, session, snapshot)
        except LedgerUnavailable as error:
            log.info("no snapshot was kept", extra={"session_id": str(session), "error": str(error)})
            return False
        return True

    @property
    def _adapter(self) -> TypeAdapter[Any]:
        return adapter_of(self._handler)

    @property
    def _made_by(self) -> str:
        return _hash_of(".".join(self._handler.evolve.__module__.split(".")[:2]))


@cache
def adapter_of(handler: DecisionHandler[Any]) -> TypeAdapter[Any]:
    """Writes and reads the states of a handler: dataclasses of what JSON has, and of contracts."""
    return TypeAdapter(type(handler.initial()))


@cache
def _hash_of(package: str) -> str:
    """Of all that may have a part in folding: the handler's package and the contracts."""
    digest = hashlib.sha256()
    for name in (package, "contracts"):
        spec = find_spec(name)
        folders = (spec.submodule_search_locations if spec else None) or ()
        for path in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
