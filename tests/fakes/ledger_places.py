"""Open runs, dead letters and files of the ledger in memory."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from secrets import token_bytes
from typing import TYPE_CHECKING
from uuid import UUID

from backbone.ledger.port import SECRET_BYTES, DeadLetter, KeptLetter, RunPlace
from backbone.ledger.relaying import Resend
from contracts.decisions import DecisionAnswered
from contracts.envelope import Message, Outline
from contracts.gateway import ArtifactUploaded, MessageReceived
from contracts.registry import RUN_ENDS
from contracts.shape import JsonObject

if TYPE_CHECKING:
    from tests.fakes.ledger import Row


class MemoryPlaces:
    """The part of backbone.ledger.port.Ledger that is about runs, dead letters and files."""

    __slots__ = ()

    clock: Callable[[], datetime]
    rows: "list[Row]"
    letters: dict[UUID, KeptLetter]
    secrets: dict[str, bytes]
    resend_requests: dict[UUID, Resend]

    def _check_up(self) -> None:
        raise NotImplementedError("the ledger's")

    def _rows(self, session_id: UUID) -> "list[Row]":
        raise NotImplementedError("the ledger's")

    async def heads(self, session_ids: Sequence[UUID]) -> dict[UUID, int]:
        self._check_up()
        return {one: len(rows) for one in session_ids if (rows := self._rows(one))}

    async def secret(self, name: str) -> bytes:
        self._check_up()
        return self.secrets.setdefault(name, token_bytes(SECRET_BYTES))

    async def keep_dead_letter(self, letter: DeadLetter) -> None:
        self._check_up()
        known = self.letters.get(letter.dead_letter_id)
        if known is None:
            self.letters[letter.dead_letter_id] = KeptLetter(letter, "dead", self.clock())
        elif known.state == "retried":
            self.letters[letter.dead_letter_id] = replace(known, letter=letter, state="dead")

    async def dead_letters(self, limit: int = 100, state: str | None = None) -> list[JsonObject]:
        self._check_up()
        kept = [one for one in reversed(self.letters.values()) if state in (None, one.state)]
        return [_line(one) for one in kept[:limit]]

    async def dead_letter(self, letter_id: UUID) -> KeptLetter | None:
        self._check_up()
        return self.letters.get(letter_id)

    async def settle_letter(self, letter_id: UUID, state: str) -> bool:
        self._check_up()
        known = self.letters.get(letter_id)
        if known is None or known.state != "dead":
            return False
        self.letters[letter_id] = replace(known, state=state)
        return True

    async def ask_resend(self, key: UUID, session_id: UUID, version: int, retry_of: UUID | None = None) -> bool:
        self._check_up()
        message = next((row.message for row in self._rows(session_id) if row.message.version == version), None)
        if message is not None:
            self.resend_requests.setdefault(key, Resend(key, message, retry_of))
        return message is not None

    async def open_runs(self, limit: int = 1000, before: RunPlace | None = None) -> list[RunPlace]:
        self._check_up()
        places = sorted((self._place(row) for row in self.open_rows().values()), key=_order, reverse=True)
        return [one for one in places if before is None or _order(one) < _order(before)][:limit]

    async def open_since(self, session_ids: Sequence[UUID]) -> dict[UUID, int]:
        self._check_up()
        first: dict[UUID, int] = {}
        for row in self.open_rows().values():
            session, version = row.message.session_id, row.message.version
            if session in session_ids:
                first[session] = min(version, first.get(session, version))
        return first

    async def run(self, run_id: UUID) -> RunPlace | None:
        self._check_up()
        begun = (row for row in self.rows if row.message.run_id == run_id and row.message.type == "MessageReceived")
        first = next(begun, None)
        return self._place(first) if first else None

    async def of_trace(self, trace_id: UUID, limit: int) -> list[RunPlace]:
        self._check_up()
        begun = [
            self._place(row)
            for row in reversed(self.rows)
            if row.message.type == "MessageReceived"
            and trace_id.hex in ((row.message.traceparent or "")[3:35], row.message.run_id and row.message.run_id.hex)
        ]
        return begun[:limit]

    async def of_runs(
        self, after: Mapping[UUID, tuple[UUID, int]], types: frozenset[str], outline: Outline | None = None
    ) -> list[Message]:
        self._check_up()
        found = [
            _outlined(row.message, outline) if outline else row.message
            for run_id, (session_id, version) in after.items()
            for row in self._rows(session_id)[version:]
            if row.message.run_id == run_id and row.message.type in types
        ]
        return sorted(found, key=lambda message: (message.session_id, message.version))

    async def brought(self, session_id: UUID, limit: int) -> list[Message]:
        self._check_up()
        return [row.message for row in reversed(self._rows(session_id)) if _brings(row.message)][:limit]

    def open_rows(self) -> "dict[UUID, Row]":
        """Where each run began that has not ended."""
        begun = {row.message.run_id: row for row in self.rows if row.message.type == "MessageReceived"}
        ended = {row.message.run_id for row in self.rows if row.message.type in RUN_ENDS}
        return {run: row for run, row in begun.items() if run is not None and run not in ended}

    def _place(self, row: "Row") -> RunPlace:
        message = row.message
        head = len(self._rows(message.session_id))
        assert message.run_id is not None
        return RunPlace(message.run_id, message.session_id, message.version, message.recorded_at, head)


def _brings(message: Message) -> bool:
    match message.event:
        case ArtifactUploaded():
            return True
        case MessageReceived():
            return bool(message.event.attachments)
        case DecisionAnswered(answer={"attachments": [*files]}):
            return any(isinstance(one, dict) for one in files)
        case _:
            return False


def _outlined(message: Message, outline: Outline) -> Message:
    told = json.loads(message.data) if message.type in outline.read else {}
    data = json.dumps({name: value for name, value in told.items() if name not in outline.but}).encode()
    return replace(message, data=data, route="", correlation_id=message.run_id or message.event_id)


def _order(place: RunPlace) -> tuple[datetime, UUID]:
    return place.since, place.run_id


def _line(kept: KeptLetter) -> JsonObject:
    letter = kept.letter
    return {
        "dead_letter_id": str(letter.dead_letter_id),
        "consumer": letter.consumer,
        "subject": letter.subject,
        "event_id": str(letter.event_id) if letter.event_id else None,
        "code": int(letter.code),
        "reason": letter.reason,
        "deliveries": letter.deliveries,
        "state": kept.state,
        "recorded_at": kept.recorded_at.isoformat(),
    }
