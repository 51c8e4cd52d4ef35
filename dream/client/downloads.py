"""Files of an answer, put into a folder: never outside of it, never over another file."""

import asyncio
import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from dream.client.gateway_client import Attachment, Client

LONGEST = 200
"""Bytes of a name, with room for -2 below the usual limit of 255."""
_UNSAFE = re.compile(r'[<>:"|?*\x00-\x1f\x7f]')
_RESERVED = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)


def safe_name(name: str) -> str:
    """The last part of a name, without what leads out of a folder or that a file system refuses."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    # marks that turn the direction of writing can hide what a file's ending is
    visible = "".join(letter for letter in last if unicodedata.category(letter) not in ("Cc", "Cf", "Cs"))
    clean = _UNSAFE.sub("_", visible).strip(" .")
    if not clean:
        return "attachment"
    if _RESERVED.match(clean):
        clean = f"_{clean}"
    stem, suffix = Path(clean).stem, Path(clean).suffix
    room = LONGEST - len(suffix.encode())
    if room < 1:
        return clean.encode()[:LONGEST].decode(errors="ignore")
    return stem.encode()[:room].decode(errors="ignore") + suffix


def free_path(folder: Path, name: str) -> Path:
    """`name` in the folder, with -2, -3, … before its ending when it is taken."""
    stem, suffix = Path(name).stem, Path(name).suffix
    path, number = folder / name, 1
    while os.path.lexists(path):
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path


async def fetch(client: Client, attachments: Sequence[Attachment], out: Path) -> list[Attachment]:
    """Downloads all; returns the attachments, each with its absolute local `path`."""
    fetched = []
    for attachment in attachments:
        path = await asyncio.to_thread(_place, out, str(attachment["name"]))
        await client.download(attachment, path)
        fetched.append({**attachment, "path": str(path)})
    return fetched


def _place(out: Path, name: str) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    return free_path(out.resolve(), safe_name(name))


def folder_of(run: str) -> str:
    """The folder's name for a run: its id, which must be one."""
    return str(UUID(run))


def main_document(response: dict[str, Any] | None, fetched: Sequence[Attachment]) -> Attachment | None:
    """The PDF the answer names as its primary artifact, else the first PDF."""
    primary = ((response or {}).get("ui_hint") or {}).get("primary_artifact")
    documents = [one for one in fetched if one["media_type"] == "application/pdf"]
    return next((one for one in documents if one["artifact_id"] == primary), documents[0] if documents else None)
