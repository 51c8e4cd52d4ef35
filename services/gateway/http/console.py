"""GET /console/: the web console, as `make console` has built it. Its files say the same to everybody; what it shows it
asks for by the public protocol."""

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response

from backbone.artifacts.port import UNTYPED
from services.gateway.http.endpoint import Endpoint
from services.gateway.http.parameters import Console

router = APIRouter(route_class=Endpoint)
NOT_BUILT = (
    "The web console has not been built here: run `make console` in a clone of Dream Agent, and load this again.\n"
)
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:;"
        " connect-src 'self'; font-src 'self'; frame-src 'self' blob:; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
}
MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
"""By suffix: those of the machine may be anything."""
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}")
"""Of an asset: no folder, and nothing hidden."""
_BYTES: dict[str, Any] = {"content": {UNTYPED: {"schema": {"type": "string", "format": "binary"}}}}


@router.get("/", status_code=307, response_class=RedirectResponse, response_description="to console/")
@router.head("/", include_in_schema=False)
@router.get("/console", status_code=307, response_class=RedirectResponse, response_description="to console/")
@router.head("/console", include_in_schema=False)
async def leads_to_console() -> Response:
    """The console is a page below."""
    return RedirectResponse("console/", 307)  # relative: a proxy may have us below a path of its own


@router.get(
    "/console/", response_class=HTMLResponse, responses={503: {"description": "the console has not been built"}}
)
@router.head("/console/", include_in_schema=False)
async def index(request: Request, folder: Console) -> Response:
    """The web console."""
    page = folder / "index.html"
    if not page.is_file():
        return PlainTextResponse(NOT_BUILT, 503)
    return _document(request, page, "text/html")


@router.get("/console/icon.svg", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
@router.head("/console/icon.svg", include_in_schema=False)
async def icon(request: Request, folder: Console) -> Response:
    """The icon of the console."""
    return _document(request, _there(folder / "icon.svg"), MEDIA_TYPES[".svg"])


@router.get("/console/assets/{name}", response_class=Response, responses={200: _BYTES})
@router.head("/console/assets/{name}", include_in_schema=False)
async def asset(name: str, request: Request, folder: Console) -> Response:
    """A script, a style, a font or a picture of the console. It never changes: its name has the hash of its content."""
    if not _NAME.fullmatch(name):
        raise HTTPException(404)
    path = _there(folder / "assets" / name)
    headers = {**HEADERS, "cache-control": _FOR_GOOD, "etag": f'"{name}"'}
    if _is_known(request, headers["etag"]):
        return Response(status_code=304, headers=headers)
    return FileResponse(path, headers=headers, media_type=MEDIA_TYPES.get(path.suffix, UNTYPED))


def _there(path: Path) -> Path:
    if not path.is_file():
        raise HTTPException(404)
    return path


def _document(request: Request, path: Path, media_type: str) -> Response:
    """What has one name for all its versions, and less than a page of text."""
    body = path.read_bytes()
    headers = {**HEADERS, "cache-control": _ASK_AGAIN, "etag": f'"{sha256(body).hexdigest()}"'}
    if _is_known(request, headers["etag"]):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def _is_known(request: Request, etag: str) -> bool:
    """Whether whoever asks has this very version; a proxy that compresses makes weak tags of ours."""
    known = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    return etag in known
