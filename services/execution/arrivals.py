"""Files are looked at when they arrive: with a message, or when whoever has stored one says so over the bus."""

import logging

from pydantic import ValidationError

from backbone.runner.handlers import NOTHING, Outcome, Record, Takes, WorkHandler
from backbone.service import Service
from contracts import subjects
from contracts.artifacts import Attachment
from contracts.envelope import Message
from contracts.errors import ErrorInfo
from contracts.gateway import ArtifactUploaded, MessageReceived
from contracts.shape import Event
from services.execution.before import Before

log = logging.getLogger(__name__)

AT_ONCE = 2
"""Messages whose files are looked at; who waits for a tool process comes first."""


def arrivals(before: Before) -> WorkHandler:
    """Its work leaves nothing in the ledger: what is made can be made again."""

    async def handle(message: Message, event: Event, record: Record) -> Outcome:
        match event:
            case MessageReceived():
                files = event.attachments
            case ArtifactUploaded():
                files = (event.attachment,)
            case _:
                files = ()
        for one in files:
            await before.look_at(one)
        return NOTHING

    def give_up(message: Message, event: Event, error: ErrorInfo) -> Outcome:
        return NOTHING  # whoever needs it looks at the file then

    return WorkHandler(
        name="execution-arrivals",
        producer="execution",
        takes=(Takes("gateway", "MessageReceived"), Takes("gateway", "ArtifactUploaded")),
        handle=handle,
        give_up=give_up,
        concurrency=AT_ONCE,
    )


async def answer(service: Service, before: Before) -> None:
    """Says so when a file has been looked at that somebody asks about."""

    async def looked(payload: bytes) -> bytes:
        try:
            await before.look_at(Attachment.model_validate_json(payload))
        except ValidationError:
            log.warning("somebody asked about no file")
        return b"{}"

    await service.bus.on_ask(subjects.arrival(), looked)
