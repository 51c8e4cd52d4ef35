"""Files from people: named safely, looked at while they pass, kept by content. Memory stays flat whatever the size."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from contracts.artifacts import BRAND, DOCUMENT, TABLE
from contracts.errors import Code
from contracts.file_names import safe_name
from services.gateway.domain.refusal import Refused, short

BLOCK = 256 * 1024
_SAMPLE = 4096
_CONTROL_SHARE = 0.02
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1a\x1b")
_ZIP = b"PK\x03\x04"
_ZIP_END, _ZIP_END_LIMIT = b"PK\x05\x06", 22 + 65_535
_NOT_TEXT = {b"%PDF": "a PDF", _ZIP: "a zip archive", b"\x1f\x8b": "a gzip archive", b"\x89PNG": "a PNG image"}


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF, _PDF_WITHIN = b"%PDF-", 1024
"""A PDF may have something before it, and everybody opens it all the same."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file extension stands for. Without a magic number it is text."""

    media_type: str
    type: str
    zipped: bool = False
    magic: bytes = b""

    @property
    def is_table(self) -> bool:
        return self.type == TABLE


KINDS = {
    ".csv": FileKind("text/csv", TABLE),
    ".tsv": FileKind("text/tab-separated-values", TABLE),
    ".json": FileKind("application/json", TABLE),
    ".jsonl": FileKind("application/x-ndjson", TABLE),
    ".ndjson": FileKind("application/x-ndjson", TABLE),
    ".xlsx": FileKind("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", TABLE, zipped=True),
    ".pdf": FileKind("application/pdf", DOCUMENT, magic=_PDF),
    ".docx": FileKind("application/vnd.openxmlformats-officedocument.wordprocessingml.document", DOCUMENT, zipped=True),
    ".hwp": FileKind("application/x-hwp", DOCUMENT, magic=_OLE),
    ".hwpx": FileKind("application/hwp+zip", DOCUMENT, zipped=True),
    ".md": FileKind("text/markdown", DOCUMENT),
    ".txt": FileKind("text/plain", DOCUMENT),
}

SETTINGS = FileKind("application/json", BRAND)
"""A person's own title, colour and logo, which is no table."""


def kind_of(name: str) -> FileKind:
    """By the extension. Raises Refused for one that no pack can read."""
    kind = SETTINGS if name.lower().endswith(".brand.json") else KINDS.get(PurePosixPath(name.lower()).suffix)
    if kind is None:
        known = " ".join(KINDS)
        raise Refused(Code.FILE_TYPE_UNKNOWN, f"{short(name)} is of an unknown type: convert it to one of {known}")
    return kind


def type_as(name: str, stored: str) -> str:
    """The media type under this name. The same bytes are one file, stored with the type of whoever came first, and may
    be a .txt to one and a .csv to another: between types that are looked at in the same way the name decides. No name
    makes a page or a picture of a file that is none."""
    named = KINDS.get(PurePosixPath(name.lower()).suffix)
    alike = {kind.media_type for kind in KINDS.values() if named and _looks(kind) == _looks(named)}
    return named.media_type if named and stored in alike else stored


def _looks(kind: FileKind) -> tuple[bool, bytes]:
    return kind.zipped, kind.magic


def too_large(limit: int) -> Refused:
    """The file is over the limit."""
    return Refused(
        Code.FILE_TOO_LARGE, f"the file is larger than {limit:,} bytes: split it, or leave out columns you do not need"
    )


async def inspected(chunks: AsyncIterator[bytes], name: str, kind: FileKind) -> AsyncIterator[bytes]:
    """Passes the bytes on in blocks, and raises Refused at the first that cannot belong to such a file."""
    first = True
    wide = False
    tail = b""
    async for block in _blocks(chunks):
        if first:
            wide = _check_head(block, name, kind)
            first = False
        if kind.zipped:
            tail = (tail + block)[-_ZIP_END_LIMIT:]
        elif not wide and not kind.magic and b"\0" in block:
            raise _not_text(name, kind, "it holds NUL bytes")
        yield block
    if first:
        raise Refused(Code.FILE_EMPTY, f"{short(name)} is empty (0 bytes): send the file as the request's body")
    if kind.zipped and _ZIP_END not in tail:
        raise Refused(
            Code.FILE_TYPE_UNKNOWN, f"{short(name)} is cut off: it has no end of a zip archive. Upload it again"
        )


async def _blocks(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    block = bytearray()
    async for chunk in chunks:
        block += chunk
        if len(block) >= BLOCK:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)


def _check_head(block: bytes, name: str, kind: FileKind) -> bool:
    """Whether the text is in two-byte units (UTF-16), where NUL bytes are part of letters."""
    if kind.zipped:
        if not block.startswith(_ZIP):
            raise _not_that(name, kind, block)
        return False
    if kind.magic:
        if kind.magic not in block[: _PDF_WITHIN if kind.magic == _PDF else len(kind.magic)]:
            raise _not_that(name, kind, block)
        return False
    for magic, what in _NOT_TEXT.items():
        if block.startswith(magic):
            raise _not_text(name, kind, f"it is {what}")
    sample = block[:_SAMPLE]
    if _is_utf16(sample):
        return True
    if sum(byte in _CONTROLS for byte in sample) > _CONTROL_SHARE * len(sample):
        raise _not_text(name, kind, "it holds control characters")
    return False


def _is_utf16(sample: bytes) -> bool:
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    # delimiters, digits and line ends have their NUL always on the same side
    return min(even, odd) == 0 and max(even, odd) >= 0.05 * len(sample)


def _not_text(name: str, kind: FileKind, why: str) -> Refused:
    mend = "Export the table as CSV, or upload the .xlsx itself" if kind.is_table else "Upload it under its real name"
    return Refused(
        Code.FILE_TYPE_UNKNOWN, f"{short(name)} is not a text {'table' if kind.is_table else 'file'}: {why}. {mend}"
    )


def _not_that(name: str, kind: FileKind, block: bytes) -> Refused:
    """Its first bytes are not those of its extension."""
    suffix = PurePosixPath(name.lower()).suffix
    what = "Excel workbook" if kind.is_table else f"{suffix} document"
    return Refused(
        Code.FILE_TYPE_UNKNOWN,
        f"{short(name)} is no {what}, it begins with {block[:4]!r}: save it as {suffix} and send that",
    )


def content_disposition(name: str, *, inline: bool) -> str:
    """A header value that survives any name: an ASCII stand-in, and the name itself as RFC 5987 has it."""
    safe = safe_name(name)
    plain = "".join(c if c.isascii() and (c.isalnum() or c in " ._-()") else "_" for c in safe)
    return f"{'inline' if inline else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}"
