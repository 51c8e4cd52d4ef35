"""Whose files are whose, where keys are asked for: a person has those that they uploaded, and those that they were
shown in a session of theirs. An id is the SHA-256 of the bytes: it is no secret, and whoever guesses it has no file."""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable

from backbone.access.store import AccessStore
from backbone.artifacts.port import ArtifactStore, ArtifactUnknown
from backbone.ledger.port import LedgerUnavailable
from contracts.access import Principal
from contracts.artifacts import Attachment
from contracts.envelope import Message
from contracts.errors import Code
from services.gateway.domain.access import EVERYBODY
from services.gateway.domain.files import NAMED, files_in, files_of_frame
from services.gateway.domain.refusal import Refused, short
from services.gateway.views.protocol import frame

log = logging.getLogger(__name__)

KNOWN = 20_000
Send = Callable[[str], Awaitable[None]]


class Files:
    """Where no keys are asked for, and for operators, every file is there; nothing is looked up or kept for them."""

    def __init__(self, store: ArtifactStore, access: AccessStore) -> None:
        self._store = store
        self._access = access
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()

    async def uploaded(self, who: Principal, artifact_id: str) -> None:
        """It is theirs, whoever else has the same. Raises LedgerUnavailable."""
        if who is not EVERYBODY:
            await self._keep(who.user, [artifact_id])

    async def require(self, who: Principal, artifact_id: str) -> None:
        """Raises ArtifactUnknown for a file that is not theirs, as the store does for one that nobody has;
        LedgerUnavailable."""
        if not await self._has(who, [artifact_id]):
            raise ArtifactUnknown(f"no artifact {artifact_id}")

    async def check(self, who: Principal, attachments: Collection[Attachment]) -> None:
        """Every file must be theirs and in the store, as large as it says. Raises Refused, LedgerUnavailable."""
        has = await self._has(who, [attachment.artifact_id for attachment in attachments])
        for attachment in attachments:
            size = await self._size(attachment.artifact_id) if attachment.artifact_id in has else None
            if size is None:
                raise Refused(
                    Code.ARTIFACT_UNKNOWN,
                    f"attachment {short(attachment.name)} ({attachment.artifact_id}) is not stored: upload it first",
                )
            if size != attachment.size:
                raise Refused(
                    Code.ARTIFACT_UNKNOWN,
                    f"attachment {short(attachment.name)} has {size:,} bytes, not {attachment.size:,}:"
                    " send it as POST /artifacts returned it",
                )

    def showing(self, who: Principal, send: Send) -> Send:
        """`send`, for the frames of a session of theirs: what is shown is theirs before it is shown."""
        if who.operates:
            return send

        async def shown(text: str) -> None:
            await self.shown(who, files_of_frame(text))
            await send(text)

        return shown

    async def show(self, who: Principal, value: object) -> None:
        """The same for an answer that is a contract."""
        if not who.operates:
            await self.shown(who, files_in(value))

    async def shown_events(self, who: Principal, messages: Iterable[Message]) -> None:
        """The same for events that are shown together."""
        if not who.operates:
            named = (frame(one).decode() for one in messages if NAMED.encode() in (one.data or one.body))
            await self.shown(who, {found for text in named for found in files_of_frame(text)})

    async def shown(self, who: Principal, artifact_ids: Iterable[str]) -> None:
        """They are theirs from now on. Without the database they are shown all the same, and are to be had when they
        are shown again."""
        if who.operates:
            return
        try:
            await self._keep(who.user, artifact_ids)
        except LedgerUnavailable as error:
            log.warning("files were shown to somebody who cannot have them yet: %s", error)

    async def _has(self, who: Principal, artifact_ids: Collection[str]) -> set[str]:
        if who.operates:
            return set(artifact_ids)
        asked = [one for one in artifact_ids if (who.user, one) not in self._known]
        found = await self._access.files_of(who.user, asked) if asked else set()
        self._remember(who.user, found)
        return found | (set(artifact_ids) - set(asked))

    async def _keep(self, user: str, artifact_ids: Iterable[str]) -> None:
        fresh = {one for one in artifact_ids if (user, one) not in self._known}
        if fresh:
            await self._access.keep_files(user, fresh)
            self._remember(user, fresh)

    def _remember(self, user: str, artifact_ids: Iterable[str]) -> None:
        self._known.update(dict.fromkeys((user, one) for one in artifact_ids))
        while len(self._known) > KNOWN:
            self._known.popitem(last=False)

    async def _size(self, artifact_id: str) -> int | None:
        try:
            return await self._store.size(artifact_id)
        except ArtifactUnknown:
            return None
