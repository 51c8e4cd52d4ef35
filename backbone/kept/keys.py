"""By what a call is known again: its tool, as it is now, its arguments, and the bytes of its files."""

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import orjson

from contracts.artifacts import Attachment
from contracts.shape import JsonObject
from contracts.tools import ConfirmPolicy, Effects, Need, Reuse, ToolSpec

_READ_WHOLE = 1024 * 1024
"""Bytes; of larger files of a pack (models, fonts) the size has to do."""


def may_be_kept(spec: ToolSpec, params: JsonObject) -> bool:
    """Whether the tool promises that the same call makes the same, and nothing stands against it."""
    pure = spec.effects is Effects.NONE and spec.confirm_policy is ConfirmPolicy.NEVER and not spec.groups
    return pure and spec.isolated and spec.reuse is not Reuse.NEVER and not any(params.get(one) for one in spec.fresh)


def key_of_call(  # noqa: PLR0913  # what makes a call, one by one
    spec: ToolSpec,
    folder: Path,
    params: JsonObject,
    inputs: Sequence[Attachment],
    *,
    owner: str,
    language: str,
    timezone: str,
    day: str,
    config: Mapping[str, str],
) -> str:
    """`day` is that of the request where the person is: it counts for tools that write it into what they make."""
    files = [(one.artifact_id, one.name, one.type, one.meta) for one in inputs]
    at = day if spec.reuse is Reuse.DAY else ""
    return _hashed(spec, folder, [owner, params, files, language, timezone, at, dict(config)])


def key_of_file(spec: ToolSpec, folder: Path, file: str) -> str:
    """What is made of a file when it arrives depends on its bytes alone, whoever brings it."""
    return _hashed(spec, folder, [file])


def arrival_tools(tools: Mapping[str, ToolSpec], type_: str) -> list[ToolSpec]:
    """Those that look at each file of the type when it arrives."""
    found = [spec for spec in tools.values() if spec.arrival]
    return [spec for spec in found if any(one.type == type_ and one.need is Need.REQUIRED for one in spec.consumes)]


def _hashed(spec: ToolSpec, folder: Path, of: list[object]) -> str:
    told = [spec.tool_key, spec.version, spec.entry, code_of(folder), *of]
    return sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()


@cache
def code_of(folder: Path) -> str:
    """A hash over a pack's folder: with other code or other texts, it is another tool. Blocks for some milliseconds,
    once in a process."""
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            size = path.stat().st_size
            digest.update(f"{path.relative_to(folder)}\0{size}\0".encode())
            if size <= _READ_WHOLE:
                digest.update(path.read_bytes())
    return digest.hexdigest()
