"""POST /artifacts, GET /artifacts/{artifact_id} and what is known of it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID, uuid5

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send
from uuid_utils.compat import uuid7

from backbone.artifacts.port import UNTYPED, ArtifactStoreUnavailable, ArtifactTooLarge, ArtifactUnknown
from backbone.ledger.port import Append, Fact
from contracts.access import Principal
from contracts.artifacts import Attachment
from contracts.dataref import MEDIA_TYPE
from contracts.errors import Code
from contracts.file_names import safe_name
from contracts.gateway import ArtifactUploaded
from contracts.profiles import FileProfile
from services.gateway.commands.runs import NAME
from services.gateway.composition import Composition
from services.gateway.domain.refusal import Refused
from services.gateway.http.authentication import own
from services.gateway.http.endpoint import Endpoint
from services.gateway.http.parameters import ArtifactId, Gateway, Key, Who
from services.gateway.http.problems import problems
from services.gateway.http.requests import chunks, is_whole, require_type
from services.gateway.http.uploads import content_disposition, inspected, kind_of, too_large, type_as

router = APIRouter(route_class=Endpoint)
PDF = "application/pdf"
SHOWN_INLINE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "audio/wav", PDF})
"""What a browser may show in its place: nothing that can run a script in our origin."""
OF_A_PAGE = ("origin", "sec-fetch-site")
"""Headers that browsers send and programs do not."""
_FILE = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
"""Beside a sandbox, in which browsers show no PDF."""


@router.post(
    "/artifacts",
    status_code=201,
    responses=problems((1000, 400), (1000, 415), 1004, 1005, 1006, 1009, 3000, 9006, 9008),
    openapi_extra={"requestBody": {"required": True, **_FILE}},
)
async def upload(
    name: Annotated[str, Query(description="file name; its extension says what it is", examples=["reviews.csv"])],
    request: Request,
    gateway: Gateway,
    who: Who,
    session_id: Annotated[UUID | None, Query(description="record the file in this session")] = None,
    idempotency_key: Key = None,
) -> Attachment:
    """Stores the file that is the body: .csv .tsv .json .jsonl .ndjson .xlsx .pdf .docx .hwp .hwpx .md .txt"""
    name = safe_name(name)
    kind = kind_of(name)
    form = request.headers.get("content-type", "").lower().startswith("multipart/")
    if form or any(header in request.headers for header in OF_A_PAGE):
        # text/plain is among the types that any page may send anywhere
        types = {UNTYPED, kind.media_type} - {"text/plain"}
        require_type(request, types, f"send the file itself, no form, as {' or '.join(sorted(types))}")
    if session_id is not None:
        await gateway.history.require(session_id)
        await own(gateway.history, who, session_id)
    key = gateway.keys.cause_of(idempotency_key, f"artifacts/{session_id}")
    limit = gateway.backbone.settings.upload_max_bytes
    declared = request.headers.get("content-length", "")
    if declared and not is_whole(declared, limit):
        raise too_large(limit)
    attachment = await keep_file(gateway, who, name, chunks(request))
    if session_id is not None:
        cause = key or uuid7()
        event_id = uuid5(cause, "uploaded")
        fact = Fact(ArtifactUploaded(attachment=attachment), event_id, None, event_id, None)
        await gateway.backbone.ledger.append(NAME, NAME, [Append(session_id, cause, (fact,))])
    gateway.arrivals.tell(attachment)
    return attachment


@router.get("/artifacts/{artifact_id}/profile", responses=problems(1009, (1010, 404), 1004, 1013, 9006))
async def profile(
    artifact_id: ArtifactId,
    gateway: Gateway,
    who: Who,
    name: Annotated[str, Query(description="its name, for a file that came before anybody looked at files")] = "",
) -> FileProfile:
    """What was found in the file when it arrived: of a table its columns with their kinds, values and periods."""
    await gateway.files.require(who, artifact_id)
    size = await gateway.backbone.artifacts.size(artifact_id)
    kind = kind_of(name) if name else None
    found = await gateway.arrivals.known(artifact_id)
    if not found and kind is not None:
        attachment = Attachment(
            artifact_id=artifact_id, name=safe_name(name), media_type=kind.media_type, size=size, type=kind.type
        )
        found = await gateway.arrivals.asked(attachment)
    if not found:
        raise Refused(Code.PROFILE_UNKNOWN, "nobody has looked at this file yet: say its name, or ask again soon")
    return FileProfile(artifact_id=artifact_id, found=found)


@router.get(
    "/artifacts/{artifact_id}",
    response_class=FileResponse,
    responses=problems(1009, (1010, 404), 9006) | {200: {"description": "the file", **_FILE}},
)
async def download(
    artifact_id: ArtifactId,
    gateway: Gateway,
    who: Who,
    name: Annotated[str | None, Query(description="name to save it as")] = None,
) -> Response:
    """The file. Answers range requests."""
    await gateway.files.require(who, artifact_id)
    store = gateway.backbone.artifacts
    media_type = await store.media_type(artifact_id)
    if media_type == MEDIA_TYPE:
        raise ArtifactUnknown(f"no artifact {artifact_id}")  # an event's data are nobody's file
    media_type = type_as(name or "", media_type)
    headers = {
        "content-disposition": content_disposition(name or artifact_id, inline=media_type in SHOWN_INLINE),
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


async def keep_file(gateway: Composition, who: Principal, name: str, body: AsyncIterator[bytes]) -> Attachment:
    """Stores a file of theirs, looked at while it passes. Raises Refused and LedgerUnavailable."""
    kind, limit = kind_of(name), gateway.backbone.settings.upload_max_bytes
    store = gateway.backbone.artifacts
    try:
        artifact_id, size = await store.put_stream(inspected(body, name, kind), limit, kind.media_type)
        await gateway.files.uploaded(who, artifact_id)
    except ArtifactTooLarge:
        raise too_large(limit) from None
    except ArtifactStoreUnavailable as error:
        raise Refused(Code.ARTIFACT_STORE_UNAVAILABLE, f"{error}: send the file again later") from error
    except OSError as error:
        raise Refused(
            Code.ARTIFACT_STORE_UNAVAILABLE, f"the artifact store took no file ({error.strerror}): try again later"
        ) from error
    return Attachment(artifact_id=artifact_id, name=name, media_type=kind.media_type, size=size, type=kind.type)
