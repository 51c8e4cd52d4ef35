"""Which reader a file needs: its bytes say so, and its name must not say otherwise."""

import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from packs.documents.formats import docx, hwp, hwpx, pdf, plain, zipped
from packs.documents.formats.pages import Page, Unreadable, bounded

SIZE_LIMIT = 50 * 1024 * 1024
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD = 1024
_READERS: dict[str, Callable[[Path], list[Page]]] = {
    "pdf": pdf.read,
    "docx": docx.read,
    "hwpx": hwpx.read,
    "hwp": hwp.read,
    "text": plain.read,
}
_BINARY = frozenset({".pdf", ".docx", ".hwpx", ".hwp"})


def read(path: Path, name: str) -> tuple[str, list[Page]]:
    """The format and the pages. Raises Unreadable."""
    size = path.stat().st_size
    if size == 0:
        raise Unreadable("empty")
    if size > SIZE_LIMIT:
        raise Unreadable("too_large", limit=SIZE_LIMIT // 1024**2, size=size // 1024**2)
    kind = kind_of(path)
    if kind == "text" and PurePosixPath(name.lower()).suffix in _BINARY:
        raise Unreadable("broken")
    return kind, bounded(_READERS[kind](path))


def kind_of(path: Path) -> str:
    """By its first bytes; an archive by what it holds. Raises Unreadable for an archive that is no document."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b"%PDF-" in head:
        return "pdf"
    if head.startswith(OLE):
        return "hwp"
    if not head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "text"
    with zipped.opened(path) as archive:
        return _kind_of_archive(archive)


def _kind_of_archive(archive: zipfile.ZipFile) -> str:
    names = archive.namelist()
    if docx.BODY in names:
        return "docx"
    if hwpx.sections(names):
        return "hwpx"
    raise Unreadable("unknown")
