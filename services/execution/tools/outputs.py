"""What a tool gives back: its result as JSON that the ledger can hold, and the files that it saves."""

import hashlib
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.file_names import safe_name
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolInput

RESULT_LIMIT = 64 * 1024
"""Bytes of a result as JSON; what is larger belongs into a file."""
DEEPEST = 100
"""Levels of lists and objects within each other: what reads events gives up at some 250."""
MESSAGE_LIMIT = 500


_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_BRACKETS = re.compile(rb"[\[\]{}]")


class NotJson(ValueError):
    """A value that is not JSON, or JSON that no ledger can hold; the message says why."""

    code = Code.TOOL_RESULT_INVALID


class TooLarge(NotJson):
    """A result that belongs into a file."""

    code = Code.TOOL_OUTPUT_TOO_LARGE


def encode(value: object) -> bytes:
    """JSON without NaN, lone surrogates and NUL characters. Raises NotJson."""
    try:
        encoded = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJson(f"{type(error).__name__}: {error}"[:300]) from None
    if b"\\u0000" in encoded and _holds_nul(value):
        raise NotJson("it holds a NUL character")
    return encoded


def _depth(encoded: bytes) -> int:
    """At most so many levels: brackets within texts count, too, until they are looked at."""
    opened = encoded.count(b"[") + encoded.count(b"{")
    if opened <= DEEPEST:
        return opened
    depth = deepest = 0
    for bracket in _BRACKETS.findall(_TEXTS.sub(b"", encoded)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _holds_nul(value: object) -> bool:
    match value:
        case str():
            return "\0" in value
        case dict():
            return any(_holds_nul(key) or _holds_nul(member) for key, member in value.items())
        case list() | tuple():
            return any(_holds_nul(member) for member in value)
        case _:
            return False


def encode_result(result: object) -> bytes:
    """A tool's result as JSON. Raises NotJson, also when it is no object or too large."""
    if not isinstance(result, dict):
        raise NotJson(f"it is {type(result).__name__}, not an object")
    encoded = encode(result)
    if _depth(encoded) > DEEPEST:
        raise NotJson(f"its lists and objects lie more than {DEEPEST} levels deep")
    if len(encoded) > RESULT_LIMIT:
        raise TooLarge(f"it has {len(encoded):,} bytes, more than {RESULT_LIMIT:,}: large data belongs into a file")
    return encoded


def plain(text: object, limit: int = MESSAGE_LIMIT) -> str:
    """Any text as one that can be recorded: cut, without NUL characters and lone surrogates."""
    return str(text)[:limit].replace("\0", "").encode(errors="replace").decode()


def bounded(fraction: float) -> float:
    """How far a call has come, within 0..1."""
    return max(0.0, min(1.0, float(fraction)))


@dataclass(slots=True)
class Outputs:
    """Files that a tool saves, copied aside at once: what it does with its own files later changes nothing."""

    saved: list[dict[str, Any]] = field(default_factory=list)

    def save(
        self, folder: Path, data: bytes | Path, name: str, media_type: str, type_: str, meta: JsonObject
    ) -> Attachment:
        path = folder / f"out-{len(self.saved)}"
        if isinstance(data, Path):
            shutil.copyfile(data, path)
        else:
            path.write_bytes(data)
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        size = path.stat().st_size
        name = safe_name(name)
        attachment = Attachment(artifact_id=digest, name=name, media_type=media_type, size=size, type=type_, meta=meta)
        self.saved.append({"attachment": attachment.model_dump(mode="json"), "path": str(path)})
        return attachment


class FilesAndTexts:
    """What a ToolContext answers alike wherever its tool runs: files of the call, and texts of the pack."""

    __slots__ = ()
    texts: Mapping[str, str]
    files: Sequence[ToolInput]
    outputs: Outputs
    workdir: Path

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        return [one for one in self.files if one.attachment.type == type_]

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: JsonValue) -> Attachment:
        return self.outputs.save(self.workdir, data, name, media_type, type_, meta)

    def text(self, key: str, **values: object) -> str:
        template = self.texts.get(key)
        if template is None:
            raise KeyError(f"the pack has no text {key!r} in the person's language")
        return template.format(**values)


def sweep(folder: str | Path) -> None:
    """Removes the private folder of a call."""
    shutil.rmtree(folder, ignore_errors=True)
