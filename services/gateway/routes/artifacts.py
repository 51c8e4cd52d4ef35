"""POST /artifacts and GET /artifacts/{artifact_id}."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send
from uuid_utils.compat import uuid7

from backbone.artifacts.port import UNTYPED, ArtifactStoreUnavailable, ArtifactTooLarge, ArtifactUnknown
from backbone.ledger.port import Append, Fact
from contracts.artifacts import Attachment
from contracts.dataref import MEDIA_TYPE
from contracts.errors import Code
from contracts.gateway import ArtifactUploaded
from services.gateway.domain.refusal import Refused
from services.gateway.intake import chunks, require_type, uuid_of
from services.gateway.parts import Parts
from services.gateway.problems import malformed_id
from services.gateway.routes.answers import model_answer
from services.gateway.runs import NAME
from services.gateway.uploads import content_disposition, inspected, kind_of, safe_name, too_large

PDF = "application/pdf"
SHOWN_INLINE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "audio/wav", PDF})
"""What a browser may show in its place: nothing that can run a script in our origin."""
OF_A_PAGE = ("origin", "sec-fetch-site")
"""Headers that browsers send and programs do not."""
DIGEST_LENGTH = 64
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
"""Beside a sandbox, in which browsers show no PDF."""


@dataclass(frozen=True, slots=True)
class ArtifactRoutes:
    """Files, in and out."""

    parts: Parts

    async def upload(self, request: Request) -> Response:
        given = request.query_params.get("name")
        if not given:
            raise Refused(Code.INVALID_REQUEST, "the query parameter name is missing: POST /artifacts?name=reviews.csv")
        name = safe_name(given)
        kind = kind_of(name)
        form = request.headers.get("content-type", "").lower().startswith("multipart/")
        if form or any(header in request.headers for header in OF_A_PAGE):
            # text/plain is among the types that any page may send anywhere
            types = {UNTYPED, kind.media_type} - {"text/plain"}
            require_type(request, types, f"send the file itself, no form, as {' or '.join(sorted(types))}")
        session = request.query_params.get("session_id")
        session_id = uuid_of(session, "session_id") if session is not None else None
        if session_id is not None:
            await self.parts.history.require(session_id)
        key = self.parts.keys.cause_of(request, f"artifacts/{session_id}")
        limit = self.parts.backbone.settings.upload_max_bytes
        declared = request.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            raise too_large(limit)
        try:
            store = self.parts.backbone.artifacts
            body = inspected(chunks(request), name, kind)
            artifact_id, size = await store.put_stream(body, limit, kind.media_type)
        except ArtifactTooLarge:
            raise too_large(limit) from None
        except ArtifactStoreUnavailable as error:
            raise Refused(Code.ARTIFACT_STORE_UNAVAILABLE, f"{error}: send the file again later") from error
        except OSError as error:
            raise Refused(
                Code.ARTIFACT_STORE_UNAVAILABLE, f"the artifact store took no file ({error.strerror}): try again later"
            ) from error
        attachment = Attachment(
            artifact_id=artifact_id, name=name, media_type=kind.media_type, size=size, type=kind.type
        )
        if session_id is not None:
            await self._record(session_id, attachment, key)
        return model_answer(attachment, 201)

    async def _record(self, session_id: UUID, attachment: Attachment, key: UUID | None) -> None:
        cause = key or uuid7()
        event_id = uuid5(cause, "uploaded")
        fact = Fact(ArtifactUploaded(attachment=attachment), event_id, None, event_id, None)
        await self.parts.backbone.ledger.append(NAME, NAME, [Append(session_id, cause, (fact,))])

    async def download(self, request: Request) -> Response:
        artifact_id = request.path_params["artifact_id"]
        if len(artifact_id) != DIGEST_LENGTH or not set(artifact_id) <= set("0123456789abcdef"):
            raise malformed_id("artifact_id", artifact_id)
        store = self.parts.backbone.artifacts
        media_type = await store.media_type(artifact_id)
        if media_type == MEDIA_TYPE:
            raise ArtifactUnknown(f"no artifact {artifact_id}")  # an event's data are nobody's file
        name = request.query_params.get("name") or artifact_id
        headers = {
            "content-disposition": content_disposition(name, inline=media_type in SHOWN_INLINE),
            "content-security-policy": f"{'' if media_type == PDF else 'sandbox; '}{_POLICY}",
            # the id is the content's: it can never change
            "cache-control": "private, max-age=31536000, immutable",
            "etag": f'"{artifact_id}"',
        }
        held = AsyncExitStack()
        (path,) = await held.enter_async_context(store.held([artifact_id]))
        return _HeldFile(path, held, headers=headers, media_type=media_type)


class _HeldFile(FileResponse):
    """A file that stays for as long as it is being sent."""

    def __init__(self, path: Path, held: AsyncExitStack, **more: Any) -> None:
        super().__init__(path, **more)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._held:
            await super().__call__(scope, receive, send)
