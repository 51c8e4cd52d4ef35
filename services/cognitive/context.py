"""What is there when somebody speaks: the files of the session, and the request before."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from backbone.ledger.port import Ledger
from contracts.artifacts import DOCUMENT, Attachment
from contracts.cognitive import CognitiveOutput, Route
from contracts.context import Context, FileSeen, Requested
from contracts.decisions import DecisionAnswered, DecisionKind
from contracts.envelope import Message
from contracts.gateway import ArtifactUploaded, MessageReceived
from contracts.shape import Event
from services.cognitive.columns import Columns
from services.cognitive.domain.answers import read_answer
from understanding.port import find_addresses

FILES = 100
"""Events that brought files, the newest, which later messages may be about when they bring none themselves."""
FIRST = 2
"""Nothing was asked for before this version."""
LOOK_BACK = 6
"""Outputs that are read back for what was asked for last: small talk lies between, and questions back."""
_UNDERSTOOD = frozenset({"CognitiveOutput"})
_SAID = frozenset({"MessageReceived"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Reads them from the session's own stream, as it stood before a message."""

    ledger: Ledger
    columns: Columns | None = None

    async def context(
        self, message: Message, received: MessageReceived, brought: Sequence[Attachment | str]
    ) -> tuple[tuple[Attachment, ...], Context]:
        """The files that count, and all that helps to understand. `brought` are the files of the answers."""
        uploads: dict[str, int] = {}
        files = await self._attachments(message, received, brought, uploads)
        came = (*received.attachments, *brought, *await self._laid_down(message, uploads))
        seen = await self._seen(files, {one if isinstance(one, str) else one.artifact_id for one in came})
        return files, Context(files=seen, last=await self._last(message))

    async def _seen(self, files: Sequence[Attachment], came: Collection[str]) -> tuple[FileSeen, ...]:
        found = []
        for one in files:
            now = one.artifact_id in came
            roles = await self.columns.roles(one, now=now) if self.columns else None
            found.append(FileSeen(name=one.name, type=one.type, now=now, roles=roles))
        return tuple(found)

    async def _last(self, message: Message) -> Requested | None:
        """What the session was asked for before this run: the next sentence may go on about it."""
        if message.version <= FIRST:
            return None
        for one in await self.ledger.latest(message.session_id, _UNDERSTOOD, LOOK_BACK, message.version):
            output = one.event
            if one.run_id == message.run_id or not isinstance(output, CognitiveOutput) or output.route is Route.ANSWER:
                continue
            if output.route is Route.FLOW and output.error is None and not output.tasks:
                return Requested(intent=output.intent.name)  # a yes or a no is about the dialogue, too
            if not output.requires_clarification or output.tasks:  # else nobody knows what it was
                return last_of(output)
        return None

    async def _attachments(
        self,
        message: Message,
        received: MessageReceived,
        brought: Sequence[Attachment | str],
        uploads: dict[str, int],
    ) -> tuple[Attachment, ...]:
        """The message's files, those of the answers, else the newest that the session has of each kind. `uploads` are
        told at which version each file was uploaded."""
        own = {attachment.artifact_id: attachment for attachment in received.attachments}
        own |= {one.artifact_id: one for one in brought if isinstance(one, Attachment)}
        ids = [one for one in brought if isinstance(one, str)]
        if not ids and (own or message.version <= 2 or find_addresses(received.text)):
            # the first message of a session has nothing before it; who names a web address means that one
            return tuple(own.values())
        found = await self._session_files(message.session_id, uploads)
        own |= {one: found[one] for one in ids if one in found}
        return tuple(own.values()) or _newest_of_each_type(found)

    async def _laid_down(self, message: Message, places: Mapping[str, int]) -> frozenset[str]:
        """What was uploaded into the session since somebody spoke in it last: it comes with what is said now."""
        if not places:
            return frozenset()
        own = not isinstance(message.event, MessageReceived)  # the run of an answer has begun with words of its own
        said = await self.ledger.latest(message.session_id, _SAID, 1 + own, message.version)
        since = next((one.version for one in said if one.run_id != message.run_id), 0)
        return frozenset(one for one, version in places.items() if since < version < message.version)

    async def _session_files(self, session_id: UUID, uploads: dict[str, int]) -> dict[str, Attachment]:
        """The files that were brought into the session, the newest last; what else was said in it is not read."""
        files: dict[str, Attachment] = {}
        for message in reversed(await self.ledger.brought(session_id, FILES)):
            for attachment in _brought(message.event):
                files.pop(attachment.artifact_id, None)
                files[attachment.artifact_id] = attachment
                if isinstance(message.event, ArtifactUploaded):
                    uploads[attachment.artifact_id] = message.version
        return files


def last_of(output: CognitiveOutput) -> Requested | None:
    """Its last task."""
    if output.error is not None or not output.tasks:
        return None
    task = output.tasks[-1]
    return Requested(intent=".".join(filter(None, (task.intent, task.subcategory))), slots=task.slots)


def _brought(event: Event) -> Sequence[Attachment]:
    match event:
        case ArtifactUploaded():
            return (event.attachment,)
        case MessageReceived():
            return event.attachments
        case DecisionAnswered(kind=DecisionKind.CLARIFY):
            return [one for one in read_answer(event.answer).files if isinstance(one, Attachment)]
        case _:
            return ()


def _newest_of_each_type(files: Mapping[str, Attachment]) -> tuple[Attachment, ...]:
    """Documents are read side by side: of those all count, each name once."""
    return tuple({(one.type, one.name if one.type == DOCUMENT else ""): one for one in files.values()}.values())
