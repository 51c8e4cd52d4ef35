"""Events that nobody has to act upon go to no stream: whoever shows a session is told that the ledger has them
(docs/adr/0076)."""

from collections.abc import Sequence
from uuid import UUID

from contracts import subjects
from contracts.envelope import Message
from contracts.live import Recorded


def divided(messages: Sequence[Message]) -> tuple[Sequence[Message], dict[UUID, int]]:
    """Those that are to be stored, and of each session that has others the last version among these."""
    stored: list[Message] = []
    settled: dict[UUID, int] = {}
    for message in messages:
        if subjects.is_settled(message.route):
            settled[message.session_id] = max(message.version, settled.get(message.session_id, 0))
        else:
            stored.append(message)
    return stored, settled


def told(version: int) -> bytes:
    """The word for it, as it travels."""
    return Recorded(version=version).model_dump_json().encode()
