"""Dead letters with verbs: a retry is published again, a discarded one is done with; each once."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID, uuid5

from backbone.ledger.port import DeadLetter, KeptLetter, Ledger
from contracts.errors import Code
from contracts.registry import RUN_ENDS
from services.gateway.domain.refusal import Refused

log = logging.getLogger(__name__)


@dataclass(slots=True)
class DeadLetters:
    """`name` is our own as a handler: our inbox is about commands, not about what we see on the bus."""

    ledger: Ledger
    name: str

    async def require(self, letter_id: UUID) -> KeptLetter:
        """The letter. Raises Refused when there is none."""
        kept = await self.ledger.dead_letter(letter_id)
        if kept is None:
            raise Refused(Code.DEAD_LETTER_UNKNOWN, f"no dead letter {letter_id}: GET /dead-letters lists them")
        return kept

    async def retry(self, letter_id: UUID) -> KeptLetter:
        """Asks for the event to be published again, by the relay of its producer, and then says so: in between a crash
        costs a second copy, which inboxes know. Should it fail again, that is a dead letter of its own."""
        kept = await self._dead(letter_id)
        letter = kept.letter
        if why := await self._in_vain(letter):
            raise Refused(Code.DEAD_LETTER_CLOSED, f"a retry would change nothing: {why}. Discard the letter")
        session_id, version = await self._place(letter)
        await self.ledger.ask_resend(uuid5(letter_id, "retry"), session_id, version, letter_id)
        return await self._settle(kept, "retried")

    async def _place(self, letter: DeadLetter) -> tuple[UUID, int]:
        """Where the ledger has the letter's event. Raises Refused when it has none: a handler believes nothing else."""
        session_id, version = _uuid(letter.headers, "ce-subject"), letter.headers.get("ce-streamversion", "")
        if session_id and version.isdecimal() and len(version) < 10:
            for message in await self.ledger.at({(session_id, int(version))}):
                if message.event_id == letter.event_id:
                    return session_id, message.version
        why = "the ledger has no such event, and handlers believe nothing else"
        raise Refused(Code.DEAD_LETTER_CLOSED, f"a retry would change nothing: {why}. Discard the letter")

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
        event_id = None if letter.consumer == self.name else letter.event_id
        if event_id and await self.ledger.handled(letter.consumer, [event_id]):
            return (
                f"{letter.consumer} has answered this message with a failure when it gave it up,"
                " and its run has gone on from there"
            )
        session_id, run_id = _uuid(letter.headers, "ce-subject"), _uuid(letter.headers, "ce-runid")
        if session_id and run_id and await self.ledger.find(session_id, RUN_ENDS, run_id):
            return f"its run {run_id} has ended"
        return ""


def _closed(letter_id: UUID, state: str) -> Refused:
    return Refused(Code.DEAD_LETTER_CLOSED, f"dead letter {letter_id} is {state} already: it is settled once")


def _uuid(headers: Mapping[str, str], name: str) -> UUID | None:
    try:
        return UUID(headers.get(name, ""))
    except ValueError:
        return None
