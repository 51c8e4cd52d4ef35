"""Runs one todo: check the arguments, lay out the inputs, run the tool, keep its files, check the result."""

import asyncio
import importlib
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
from jsonschema import Draft202012Validator

from backbone.artifacts.port import ArtifactStore, ArtifactUnknown
from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.execution import TodoDispatched
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ConfirmPolicy, ToolError, ToolInput, ToolSpec
from services.execution.toolhost import sweep
from services.execution.toolpool import ToolPool

log = logging.getLogger(__name__)

Progress = Callable[[float, str], Awaitable[None]]
RESULT_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Done:
    """What a tool made."""

    result: JsonObject
    attachments: tuple[Attachment, ...]


@dataclass(eq=False)
class ToolRunner:
    """Runs tools of the catalogue, CPU ones in processes and I/O ones on the event loop."""

    catalogue: Catalogue
    artifacts: ArtifactStore
    pool: ToolPool

    async def run(self, run_id: UUID, dispatched: TodoDispatched, progress: Progress) -> Done:
        """Raises ToolError with the code and sentence of whatever went wrong."""
        spec = self.catalogue.tools.get(dispatched.todo.tool)
        if spec is None:
            raise ToolError(Code.TOOL_UNKNOWN, f"no tool {dispatched.todo.tool!r} in the loaded packs", tool=dispatched.todo.tool)
        if spec.confirm_policy is ConfirmPolicy.ALWAYS:
            raise ToolError(Code.APPROVAL_MISSING, f"{spec.tool_key} needs a recorded approval of exactly these arguments")
        _check(spec, "params_schema", dispatched.todo.params, Code.TOOL_ARGUMENTS_INVALID)
        done = await (self._isolated if spec.isolated else self._inline)(run_id, spec, dispatched, progress)
        _check(spec, "result_schema", done.result, Code.TOOL_RESULT_INVALID)
        if len(orjson.dumps(done.result)) > RESULT_LIMIT:
            raise ToolError(Code.TOOL_RESULT_INVALID, f"the result of {spec.tool_key} is over {RESULT_LIMIT} bytes: files go to artifacts")
        return done

    async def _isolated(self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, progress: Progress) -> Done:
        request = {
            "entry": spec.entry,
            "params": dispatched.todo.params,
            "language": dispatched.language,
            "now": dispatched.requested_at.isoformat(),
            "idempotency_key": idempotency_key(run_id, dispatched),
            "texts": self._texts(spec.pack, dispatched.language),
            "inputs": [one.model_dump(mode="json") for one in await self._lay_out(dispatched.inputs)],
        }
        answer = await self.pool.call(request, dispatched.todo.timeout_seconds, progress)
        try:
            return Done(answer["done"], tuple([await self._keep(one) for one in answer["saved"]]))
        finally:
            await asyncio.to_thread(sweep, answer["workdir"])

    async def _inline(self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, progress: Progress) -> Done:
        files = await self._lay_out(dispatched.inputs) if dispatched.inputs else []
        context = InlineContext(self, run_id, dispatched, spec.pack, progress, files)
        try:
            async with asyncio.timeout(dispatched.todo.timeout_seconds):
                result = await _callable(spec.entry)(dispatched.todo.params, context)
            attachments = tuple([await self._keep(one) for one in context.saved])
        except TimeoutError:
            raise ToolError(
                Code.TOOL_TIMEOUT, f"{spec.tool_key} did not end within {dispatched.todo.timeout_seconds:g} s", retryable=True
            ) from None
        except ToolError:
            raise
        except Exception as error:
            log.exception("tool %s failed", spec.tool_key)
            raise ToolError(Code.TOOL_FAILED, f"{type(error).__name__}: {error}"[:500]) from error
        finally:
            context.close()
        return Done(result, attachments)

    @lru_cache(maxsize=64)  # noqa: B019  # one runner lives as long as its process
    def _texts(self, pack: str, language: str) -> dict[str, str]:
        texts = self.catalogue.packs[pack].texts
        return texts.get("en", {}) | texts.get(language, {})

    async def _lay_out(self, attachments: Sequence[Attachment]) -> list[ToolInput]:
        try:
            return [ToolInput(attachment=a, path=await self.artifacts.path(a.artifact_id)) for a in attachments]
        except ArtifactUnknown as error:
            raise ToolError(Code.ARTIFACT_UNKNOWN, f"an input is not in the artifact store: {error}") from error

    async def _keep(self, saved: dict[str, Any]) -> Attachment:
        attachment = Attachment.model_validate(saved["attachment"])
        digest, _ = await self.artifacts.put(Path(saved["path"]))
        if digest != attachment.artifact_id:
            raise ToolError(Code.TOOL_RESULT_INVALID, f"{attachment.name} changed after it was saved")
        return attachment


@dataclass
class InlineContext:
    """ToolContext of an I/O tool on the event loop."""

    runner: ToolRunner
    run_id: UUID
    dispatched: TodoDispatched
    pack: str
    report: Progress
    files: Sequence[ToolInput] = ()
    saved: list[dict[str, Any]] = field(default_factory=list)
    _folder: Path | None = None
    _reports: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def language(self) -> str:
        return self.dispatched.language

    @property
    def now(self) -> datetime:
        return self.dispatched.requested_at

    @cached_property
    def workdir(self) -> Path:
        self._folder = Path(tempfile.mkdtemp(prefix="dream-tool-"))
        return self._folder

    @property
    def idempotency_key(self) -> str:
        return idempotency_key(self.run_id, self.dispatched)

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        return [one for one in self.files if one.attachment.type == type_]

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: JsonValue) -> Attachment:
        content = data if isinstance(data, bytes) else data.read_bytes()
        path = self.workdir / f"out-{len(self.saved)}"
        path.write_bytes(content)
        attachment = Attachment(
            artifact_id=sha256(content).hexdigest(), name=name, media_type=media_type, size=len(content), type=type_, meta=meta
        )
        self.saved.append({"attachment": attachment.model_dump(mode="json"), "path": str(path)})
        return attachment

    def progress(self, fraction: float, message: str = "") -> None:
        task = asyncio.ensure_future(self.report(fraction, message))
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)

    def log(self, line: str) -> None:
        log.debug("tool log", extra={"tool": self.dispatched.todo.tool, "line": line[:2000]})

    def text(self, key: str, **values: object) -> str:
        return self.runner.catalogue.packs[self.pack].text(self.language, key, **values)

    def close(self) -> None:
        if self._folder is not None:
            sweep(str(self._folder))


def idempotency_key(run_id: UUID, dispatched: TodoDispatched) -> str:
    """The same for every attempt of the same call with the same arguments (invariant I8)."""
    arguments = orjson.dumps(dispatched.todo.params, option=orjson.OPT_SORT_KEYS)
    return f"{run_id}:{dispatched.todo.id}:{sha256(arguments).hexdigest()[:32]}"


def now() -> datetime:
    """The executor's clock; it is recorded with the result and decides nothing."""
    return datetime.now(UTC)


def seconds_since(start: float) -> float:
    return round(time.monotonic() - start, 6)


@lru_cache(maxsize=1024)
def _callable(entry: str) -> Callable[..., Awaitable[JsonObject]]:
    module, name = entry.split(":")
    function: Callable[..., Awaitable[JsonObject]] = getattr(importlib.import_module(module), name)
    return function


_VALIDATORS: dict[tuple[str, int, str], Draft202012Validator] = {}


def _check(spec: ToolSpec, which: str, value: JsonObject, code: Code) -> None:
    key = (spec.tool_key, spec.version, which)
    validator = _VALIDATORS.get(key)
    if validator is None:
        validator = _VALIDATORS[key] = Draft202012Validator(getattr(spec, which))
    error = next(validator.iter_errors(value), None)
    if error is not None:
        where = "/".join(str(part) for part in error.absolute_path) or "the object"
        raise ToolError(code, f"{spec.tool_key}: {where}: {error.message[:300]}")
