"""What is there when somebody speaks: the files of the session, and the request before."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import UUID

import yaml

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
SHORTEST = 4
"""Letters of a file's name that is told without its ending."""
_FILE_NAME = re.compile(r"\w\.[A-Za-z]{2,5}(?![A-Za-z])|\w[_-]\w|[^\W\d]\d")
"""What may be the name of a file."""
_WORDS = Path(__file__).with_name("files.yaml")
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
        own = {one.artifact_id: one for one in (*received.attachments, *brought) if isinstance(one, Attachment)}
        ids = [one for one in brought if isinstance(one, str)]
        if not ids and self._has_nothing_before(message, received, own):
            files, laid = tuple(own.values()), frozenset[str]()
        else:
            uploads: dict[str, int] = {}
            found = await self._session_files(message.session_id, uploads)
            laid = await self._laid_down(message, uploads)
            own |= {one: found[one] for one in ids if one in found}
            files = meant(received.text, own, {one: found[one] for one in found if one in laid}, found)
        came = {*own, *laid, *ids}
        seen = await self._seen(files, came)
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

    @staticmethod
    def _has_nothing_before(message: Message, received: MessageReceived, own: Mapping[str, Attachment]) -> bool:
        """Whether no file but those that came with it counts: the first message of a session has nothing before it; who
        names a web address means that one."""
        if message.version <= FIRST:
            return True
        if own:
            return not (_speaks_of_files(received.text) or _FILE_NAME.search(received.text))
        return bool(find_addresses(received.text))

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


def meant(
    text: str, own: Mapping[str, Attachment], laid: Mapping[str, Attachment], found: Mapping[str, Attachment]
) -> tuple[Attachment, ...]:
    """The files that a sentence is about, the newest last. Of each type those that it names, and its `own`, which came
    with it; else those that were `laid` down since the last one, and else the newest that the session has (`found`).
    Who speaks of several, or of an earlier one, means the older ones, too. Documents are read side by side: of those
    all count, each name once."""
    several = _speaks_of_files(text)
    files: dict[str, Attachment] = {}
    for type_ in dict.fromkeys(one.type for one in (*found.values(), *own.values())):
        ours, new, there = ({key: one for key, one in some.items() if one.type == type_} for some in (own, laid, found))
        told = {key: one for key, one in there.items() if is_named(text, one.name)}
        told = {**{key: one for key, one in told.items() if key not in ours}, **ours}
        if several or not (told or new or own):
            told = {**{key: one for key, one in _newest(there).items() if key not in told}, **told}
        files |= told or ({} if own else _newest(new))
    return tuple(files.values())


def is_named(text: str, name: str) -> bool:
    """Whether the text has the name of a file: as a whole, or without its ending where no other word is like it."""
    said, whole = (unicodedata.normalize("NFKC", one).casefold() for one in (text, name))
    stem = whole.rpartition(".")[0]
    no_word = re.search(r"[\d_-]", stem) and re.search(r"[^\W\d_]", stem) and len(stem) >= SHORTEST
    names = [whole, stem] if no_word else [whole]
    return any(re.search(rf"(?<![\w.-]){re.escape(one)}(?![a-z0-9_-]|\.\w)", said) for one in names)


def _speaks_of_files(text: str) -> bool:
    return _several().search(unicodedata.normalize("NFKC", text).casefold()) is not None


@cache
def _several() -> re.Pattern[str]:
    return re.compile("|".join(yaml.safe_load(_WORDS.read_text(encoding="utf-8")).values()))


def _newest(files: Mapping[str, Attachment]) -> dict[str, Attachment]:
    by_name = {(one.type, one.name if one.type == DOCUMENT else ""): key for key, one in files.items()}
    return {key: files[key] for key in by_name.values()}
