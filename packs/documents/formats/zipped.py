"""Archives from people: looked at before anything in them is unpacked."""

import zipfile
from pathlib import Path, PurePosixPath

from packs.documents.formats.pages import Unreadable

UNPACKED_LIMIT = 200 * 1024 * 1024
MEMBERS = 5000
RATIO, RATIO_FROM = 200, 1024 * 1024
_ENCRYPTED = 0x1


def opened(path: Path) -> zipfile.ZipFile:
    """Raises Unreadable for an archive that is broken, encrypted, a bomb, or names files outside of itself.

    A member never gives more than the size it states: what it states is therefore what has to be bounded."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable("broken") from error
    try:
        _check(archive.infolist())
    except Unreadable:
        archive.close()
        raise
    return archive


def _check(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MEMBERS or sum(one.file_size for one in members) > UNPACKED_LIMIT:
        raise Unreadable("bomb")
    for one in members:
        _check_member(one)


def _check_member(member: zipfile.ZipInfo) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise Unreadable("encrypted")
    name = PurePosixPath(member.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or (name.parts and name.parts[0].endswith(":")):
        raise Unreadable("unsafe")
    if member.file_size > RATIO_FROM and member.file_size > RATIO * max(member.compress_size, 1):
        raise Unreadable("bomb")


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of one member. Raises Unreadable."""
    try:
        return archive.read(name)
    except (KeyError, zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise Unreadable("broken") from error


def refuse_entities(xml: bytes) -> None:
    """Office documents declare no document type. One that does wants entities expanded, which nobody needs."""
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml or b"<\0!\0D\0O\0C" in xml or b"\0<\0!\0D\0O\0C" in xml:
        raise Unreadable("unsafe")
