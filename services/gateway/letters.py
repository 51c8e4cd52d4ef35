"""Dead letters with verbs: a retry is published again, a discarded one is done with; each once."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from backbone.bus.port import Bus, BusUnavailable
from backbone.ledger.port import DeadLetter, KeptLetter, Ledger
from backbone.runner.intake import RETRY_OF
from contracts.errors import Code
from contracts.registry import RUN_ENDS
from services.gateway.domain.refusal import Refused

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Letters:
    """`name` is our own as a handler: our inbox is about commands, not about what we see on the bus."""

    ledger: Ledger
    name: str
    bus: Bus | None = None

    def start(self, bus: Bus) -> None:
        self.bus = bus

    async def require(self, letter_id: UUID) -> KeptLetter:
        """The letter. Raises Refused when there is none."""
        kept = await self.ledger.dead_letter(letter_id)
        if kept is None:
            raise Refused(Code.DEAD_LETTER_UNKNOWN, f"no dead letter {letter_id}: GET /dead-letters lists them")
        return kept

    async def retry(self, letter_id: UUID) -> KeptLetter:
        """Publishes the message again, and then says so: in between a crash costs a second copy, which inboxes know.
        Should it fail again, that is a dead letter of its own."""
        kept = await self._dead(letter_id)
        letter = kept.letter
        if why := await self._in_vain(letter):
            raise Refused(Code.DEAD_LETTER_CLOSED, f"a retry would change nothing: {why}. Discard the letter")
        if self.bus is None:
            raise BusUnavailable("the gateway has no connection to the bus yet")
        await self.bus.resend(letter.subject, {**letter.headers, RETRY_OF: str(letter_id)}, letter.body)
        return await self._settle(kept, "retried")

    async def discard(self, letter_id: UUID) -> KeptLetter:
        return await self._settle(await self._dead(letter_id), "discarded")

    async def _dead(self, letter_id: UUID) -> KeptLetter:
        kept = await self.require(letter_id)
        if kept.state != "dead":
            raise _closed(letter_id, kept.state)
        return kept

    async def _settle(self, kept: KeptLetter, state: str) -> KeptLetter:
        letter_id = kept.letter.dead_letter_id
        if not await self.ledger.settle_letter(letter_id, state):
            raise _closed(letter_id, (await self.require(letter_id)).state)
        log.info("dead letter settled", extra={"letter": str(letter_id), "state": state})
        return replace(kept, state=state)

    async def _in_vain(self, letter: DeadLetter) -> str:
        """Why handling the message again would make nothing happen; empty when it may."""
        known = letter.event_id is not None and letter.consumer != self.name
        if known and await self.ledger.handled(letter.consumer, [_id(letter.event_id)]):
            return (
                f"{letter.consumer} has answered this message with a failure when it gave it up,"
                " and its run has gone on from there"
            )
        session_id, run_id = _uuid(letter.headers, "ce-subject"), _uuid(letter.headers, "ce-runid")
        if session_id and run_id and await self.ledger.find(session_id, RUN_ENDS, run_id):
            return f"its run {run_id} has ended"
        return ""


def _id(event_id: UUID | None) -> UUID:
    assert event_id is not None
    return event_id


def _closed(letter_id: UUID, state: str) -> Refused:
    return Refused(Code.DEAD_LETTER_CLOSED, f"dead letter {letter_id} is {state} already: it is settled once")


def _uuid(headers: Mapping[str, str], name: str) -> UUID | None:
    try:
        return UUID(headers.get(name, ""))
    except ValueError:
        return None
