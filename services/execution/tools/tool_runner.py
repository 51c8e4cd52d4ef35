"""Runs one todo: check the arguments, lay out the inputs, run the tool, keep its files, check the result. Files of
tools: their inputs out of the artifact store, as local files, and what they made into it."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from backbone.arguments import arguments_hash
from backbone.artifacts.port import (
    ArtifactDamaged,
    ArtifactStore,
    ArtifactStoreRefused,
    ArtifactStoreUnavailable,
    ArtifactUnknown,
)
from backbone.ledger.port import Timer
from backbone.mcp.offers import OUTSIDE_ENTRY
from backbone.packs import Catalogue
from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.execution import TodoDispatched
from contracts.shape import JsonObject
from contracts.tools import Effects, ToolContext, ToolError, ToolInput, ToolSpec
from services.execution.tools.confinement import WorkerKind
from services.execution.tools.entries import load
from services.execution.tools.faults import NotKept, ToolFault, said
from services.execution.tools.inline import InlineContext
from services.execution.tools.outputs import NotJson, encode_result
from services.execution.tools.resources import Owner, Resources
from services.execution.tools.schemas import Schemas
from services.execution.tools.toolpool import Limits, Listener, ToolPool, Unheard

log = logging.getLogger(__name__)

FALLBACK_LANGUAGE = "en"
OUTCOME_UNKNOWN = frozenset(
    {
        Code.TOOL_TIMEOUT, Code.TOOL_CRASHED, Code.TOOL_CANCELLED, Code.TOOL_OUT_OF_MEMORY, Code.TOOL_FAILED,
        Code.TOOL_RESULT_INVALID, Code.TOOL_OUTPUT_TOO_LARGE,
    }
)  # fmt: skip
"""After these nobody knows what the tool has done to the world outside: what it answers comes after that."""
RECONCILE_SECONDS = 30.0


Tool = Callable[[JsonObject, ToolContext], Awaitable[JsonObject]]


def _nobody(entry: str) -> Tool:
    raise LookupError(f"there is nobody outside for {entry!r}")


class Done(NamedTuple):
    """What a tool made."""

    result: JsonObject
    attachments: tuple[Attachment, ...] = ()
    tokens: int = 0
    money: float = 0.0
    timers: tuple[Timer, ...] = ()
    cancel_timers: tuple[UUID, ...] = ()
    from_before: datetime | None = None
    """When it was made, if nothing was done now."""
    key: str | None = None
    """Under which it is kept, for who asks the same again."""


@dataclass(eq=False, slots=True)
class ToolRunner:
    """Runs tools of the catalogue, CPU ones in processes and I/O ones on the event loop."""

    catalogue: Catalogue
    artifacts: ArtifactStore
    pool: ToolPool
    resources: Resources = field(default_factory=Resources)
    outside: Callable[[str], Tool] = _nobody
    """The callable of an entry mcp:<tool key>."""
    _texts: dict[tuple[str, str], dict[str, str]] = field(init=False, default_factory=dict)
    _schemas: Schemas = field(init=False, default_factory=Schemas)

    def spec(self, key: str) -> ToolSpec:
        """Raises ToolFault."""
        spec = self.catalogue.tools.get(key)
        if spec is None:
            if server := self.catalogue.is_away(key):
                why = f"the server {server!r} of {key!r} has not joined"
                raise ToolFault(Code.EXTERNAL_UNAVAILABLE, why, retryable=True, tool=key)
            raise ToolFault(Code.TOOL_UNKNOWN, f"no tool {key!r} in the loaded packs", tool=key)
        return spec

    def check_arguments(self, spec: ToolSpec, dispatched: TodoDispatched) -> None:
        self._schemas.check_arguments(spec, dispatched.todo.params)

    def check_result(self, spec: ToolSpec, made: Done) -> None:
        self._schemas.check_result(spec, made.result)

    async def execute(self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, listener: Listener) -> Done:
        """The call itself, with its files kept. Raises ToolError in the tool's own words, or ToolFault for what went
        wrong around it. Of a call with effects outside that ended in silence nobody knows what it did: the tool is
        asked (`reconcile`), and if it cannot tell, the outcome is unknown (invariant I8)."""
        try:
            made = await self._call(run_id, spec, spec.entry, dispatched, listener)
            if spec.effects is Effects.EXTERNAL:
                self.check_result(spec, made)
        except ToolFault as fault:
            unknown = fault.code in OUTCOME_UNKNOWN or isinstance(fault, NotKept)
            if spec.effects is not Effects.EXTERNAL or not unknown:
                raise
            if found := await self.reconcile(run_id, spec, dispatched, fault):
                return found
            fault.detail = {**fault.detail, "nothing_happened": True}
            raise
        return made

    async def step(self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, listener: Listener) -> Done:
        """A call of a tool on the event loop, without files, that somebody steps by hand: it has no limit of time."""
        self.check_arguments(spec, dispatched)
        done = await self._on_loop(run_id, spec, spec.entry, dispatched, listener, (), seconds=None)
        self.check_result(spec, done)
        return done

    async def reconcile(
        self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, fault: ToolFault
    ) -> Done | None:
        """What a call of unknown outcome did; None when it certainly did nothing. Raises TOOL_OUTCOME_UNKNOWN."""
        unknown = said(ToolFault(Code.TOOL_OUTCOME_UNKNOWN, fault.message), fault.detail)
        if spec.reconcile is None:
            raise unknown from fault
        short = dispatched.model_copy(
            update={"todo": dispatched.todo.model_copy(update={"timeout_seconds": RECONCILE_SECONDS})}
        )
        try:
            found = await self._call(run_id, spec, spec.reconcile, short, Unheard("reconciling"))
        except ToolError as error:
            log.warning("%s cannot be reconciled: %s", spec.tool_key, error.message)
            raise unknown from error
        if found.result.get("happened") is not True:
            return None
        result = found.result.get("result")
        made = Done(result if isinstance(result, dict) else {}, found.attachments)
        self.check_result(spec, made)
        return made

    async def _call(
        self, run_id: UUID, spec: ToolSpec, entry: str, dispatched: TodoDispatched, listener: Listener
    ) -> Done:
        try:
            return await (self._isolated if spec.isolated else self._inline)(run_id, spec, entry, dispatched, listener)
        except ToolFault as fault:
            if fault.code is Code.TOOL_BROKEN:
                log.error("tool %s is broken, whatever it is given: %s", spec.tool_key, fault.message)  # noqa: TRY400  # the trace says no more
            raise

    async def _isolated(
        self, run_id: UUID, spec: ToolSpec, entry: str, dispatched: TodoDispatched, listener: Listener
    ) -> Done:
        timezone = dispatched.timezone or self.resources.timezone
        request: dict[str, Any] = {
            "entry": entry,
            "params": dispatched.todo.params,
            "language": dispatched.language,
            "now": _local(dispatched.requested_at, timezone).isoformat(),
            "idempotency_key": idempotency_key(run_id, dispatched),
            "user": dispatched.user,
            "timezone": timezone,
            "config": self.resources.config(spec.pack),
            "upstream": [one.model_dump(mode="json") for one in dispatched.upstream],
            "texts": self._texts_of(spec.pack, dispatched.language),
            "texts_of": [spec.pack, dispatched.language],
            "loads": spec.warm or "",
        }
        kind = self._kind(spec)
        limits = Limits(dispatched.todo.timeout_seconds)
        async with laid_out(self.artifacts, dispatched.inputs) as inputs:
            request["inputs"] = [one.model_dump(mode="json") for one in inputs]
            async with self.pool.call(kind, request, limits, listener, self.resources.meanings) as answer:
                return Done(answer["done"], await keep(self.artifacts, answer["saved"]))

    def warm(self, spec: ToolSpec) -> None:
        """Has a process wait in which the first call of the tool loads nothing."""
        if spec.warm and spec.isolated:
            self.pool.warm(self._kind(spec), spec.warm)

    def _kind(self, spec: ToolSpec) -> WorkerKind:
        package = spec.entry.partition(".")[0].partition(":")[0]
        folder = str(self.catalogue.packs[spec.pack].folder.absolute())
        return WorkerKind(package, folder, spec.network, spec.memory_mb)

    async def _inline(
        self, run_id: UUID, spec: ToolSpec, entry: str, dispatched: TodoDispatched, listener: Listener
    ) -> Done:
        seconds = dispatched.todo.timeout_seconds
        if not dispatched.inputs:
            return await self._on_loop(run_id, spec, entry, dispatched, listener, (), seconds=seconds)
        async with laid_out(self.artifacts, dispatched.inputs) as files:
            return await self._on_loop(run_id, spec, entry, dispatched, listener, files, seconds=seconds)

    async def _on_loop(  # noqa: PLR0913  # _inline's, its files and its limit
        self,
        run_id: UUID,
        spec: ToolSpec,
        entry: str,
        dispatched: TodoDispatched,
        listener: Listener,
        files: Sequence[ToolInput],
        *,
        seconds: float | None,
    ) -> Done:
        context = InlineContext(
            owner=self._owner(run_id, dispatched),
            pack=spec.pack,
            resources=self.resources,
            texts=self._texts_of(spec.pack, dispatched.language),
            files=list(files),
            listener=listener,
            upstream=dispatched.upstream,
        )
        try:
            result = await _result(seconds, entry, partial(self._tool, entry), dispatched.todo.params, context)
            attachments = await keep(self.artifacts, context.outputs.saved) if context.outputs.saved else ()
        finally:
            await context.close()
        reminders = context.reminders
        return Done(result, attachments, timers=tuple(reminders.timers), cancel_timers=tuple(reminders.cancelled))

    def _tool(self, entry: str) -> Tool:
        return self.outside(entry) if entry.startswith(OUTSIDE_ENTRY) else _callable(entry)

    def _owner(self, run_id: UUID, dispatched: TodoDispatched) -> Owner:
        timezone = dispatched.timezone or self.resources.timezone
        return Owner(
            user=dispatched.user,
            run_id=run_id,
            timezone=timezone,
            language=dispatched.language,
            now=_local(dispatched.requested_at, timezone),
            named=partial(idempotency_key, run_id, dispatched),
        )

    def _texts_of(self, pack: str, language: str) -> Mapping[str, str]:
        known = self._texts.get((pack, language))
        if known is None:
            texts = self.catalogue.packs[pack].texts
            known = self._texts[pack, language] = texts.get(FALLBACK_LANGUAGE, {}) | texts.get(language, {})
        return known


async def _result(
    seconds: float | None, entry: str, tool: Callable[[], Tool], params: JsonObject, context: InlineContext
) -> JsonObject:
    """The result of a tool on the event loop, as JSON. Raises ToolError and ToolFault."""
    try:
        call = tool()(params, context)
        result = await (call if seconds is None else _within(seconds, entry, call))
        return json.loads(encode_result(result)) if result != {} else {}
    except ToolError:
        raise
    except NotJson as error:
        raise ToolFault(error.code, f"the result of {entry} cannot be used: {error}") from None
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ToolFault(Code.TOOL_CANCELLED, f"{entry} was cancelled from inside") from None
    except (Exception, SystemExit) as error:
        log.exception("tool %s failed", entry)
        raise ToolFault(Code.TOOL_FAILED, f"{type(error).__name__}: {error}"[:500]) from error


async def _within(seconds: float, entry: str, call: Awaitable[JsonObject]) -> JsonObject:
    scope = asyncio.timeout(seconds)
    try:
        async with scope:
            return await call
    except TimeoutError:
        if not scope.expired():
            raise
        why = f"{entry} did not end within {seconds:g} s"
        raise ToolFault(Code.TOOL_TIMEOUT, why, retryable=True, seconds=seconds) from None


def idempotency_key(run_id: UUID, dispatched: TodoDispatched) -> str:
    """The same for every attempt of the same call with the same arguments (invariant I8)."""
    # rounds of a cycle are calls of their own
    again = f":{dispatched.round}" if dispatched.round > 1 else ""
    return f"{run_id}:{dispatched.todo.id}:{arguments_hash(dispatched.todo.params)[:32]}{again}"


@lru_cache(maxsize=256)
def _local(at: datetime, timezone: str) -> datetime:
    """A time where the person is: it is that of the request for all todos of a run."""
    return at.astimezone(ZoneInfo(timezone))


@lru_cache(maxsize=1024)
def _callable(entry: str) -> Tool:
    return load(entry)


@asynccontextmanager
async def laid_out(store: ArtifactStore, attachments: Sequence[Attachment]) -> AsyncIterator[list[ToolInput]]:
    """The inputs as local files, for as long as the tool needs them. Raises ToolFault."""
    async with AsyncExitStack() as holds:
        try:
            paths = await holds.enter_async_context(store.held([one.artifact_id for one in attachments]))
        except ArtifactUnknown as error:
            raise ToolFault(Code.ARTIFACT_UNKNOWN, f"an input is not in the artifact store: {error}") from error
        except (ArtifactStoreUnavailable, ArtifactDamaged) as error:
            raise _unavailable(ToolFault, error) from error
        yield [ToolInput(attachment=one, path=path) for one, path in zip(attachments, paths, strict=True)]


async def keep(store: ArtifactStore, saved: Sequence[Mapping[str, Any]]) -> tuple[Attachment, ...]:
    """Stores what a tool saved. Raises ToolFault, and NotKept while the store is away."""
    files = (_keep(store, Attachment.model_validate(one["attachment"]), one["path"]) for one in saved)
    return tuple(await asyncio.gather(*files))


async def _keep(store: ArtifactStore, attachment: Attachment, path: str) -> Attachment:
    try:
        digest, _ = await store.put(Path(path), attachment.media_type)
    except FileNotFoundError:
        digest = ""
    except ArtifactStoreUnavailable as error:
        raise _unavailable(NotKept, error) from error
    if digest != attachment.artifact_id:
        raise ToolFault(Code.TOOL_RESULT_INVALID, f"{attachment.name} changed after it was saved")
    return attachment


def _unavailable(fault: type[ToolFault], error: Exception) -> ToolFault:
    """A store that refuses does so the next time too: an operator is needed, not another attempt."""
    return fault(Code.ARTIFACT_STORE_UNAVAILABLE, str(error), retryable=not isinstance(error, ArtifactStoreRefused))
