"""What was made before: pure calls are answered from the kept results, and files are looked at once, at arrival."""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from backbone.artifacts.port import ArtifactStore, ArtifactUnknown
from backbone.bus.port import Bus
from backbone.kept.arrivals import PATIENCE
from backbone.kept.keys import arrival_tools, code_of, key_of_call, key_of_file, may_be_kept
from backbone.kept.port import Kept, KeptResults, Made
from backbone.packs import Catalogue
from contracts import subjects
from contracts.artifacts import Attachment
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched
from contracts.planning import TodoItem, TodoRole
from contracts.tools import Need, Reuse, ToolError, ToolSpec
from services.execution.tools.faults import ToolFault
from services.execution.tools.tool_runner import Done, ToolRunner
from services.execution.tools.toolpool import Listener, Unheard

log = logging.getLogger(__name__)

KEEP_LATER = 0.05
"""Seconds. What is kept for later is written when the run has gone on: its next todo waits for the same database."""
ARRIVAL = UUID("0197a1f0-0000-7000-8000-00000000a001")
"""The run of calls that nobody has asked for."""
OF = "of"
"""In the meta of a file that was made of another when it arrived: that one's id."""


@dataclass(eq=False, slots=True)
class Before:
    """Calls of a process, with what was made before in front of them."""

    runner: ToolRunner
    kept: KeptResults
    _making: "dict[str, asyncio.Task[Made]]" = field(init=False, default_factory=dict)
    _looking: "set[asyncio.Task[None]]" = field(init=False, default_factory=set)
    _keeping: "set[asyncio.Task[None]]" = field(init=False, default_factory=set)
    _read: set[Path] = field(init=False, default_factory=set)
    """Folders of packs whose code is known."""

    @property
    def _catalogue(self) -> Catalogue:
        return self.runner.catalogue

    @property
    def _store(self) -> ArtifactStore:
        return self.runner.artifacts

    async def execute(self, run_id: UUID, spec: ToolSpec, dispatched: TodoDispatched, listener: Listener) -> Done:
        """ToolRunner.execute, unless the same was made before. What fails is never kept: who asks again tries again."""
        key = await self._key(spec, dispatched)
        if key and (made := await self._found(key)) and made.made.error is None:
            return Done(made.made.result, made.made.attachments, from_before=made.made_at)
        try:
            done = await self.runner.execute(run_id, spec, await self._with_arrivals(spec, dispatched), listener)
        except ToolFault as fault:
            if spec.reuse is not Reuse.NEVER and fault.code is Code.TOOL_TIMEOUT:
                fault.retryable = False  # the same would take as long again
            raise
        return done._replace(key=key)

    def keep(self, dispatched: TodoDispatched, done: Done) -> None:
        """Keeps what `execute` has made, once its result is known to be one, for who asks the same again. Nobody waits
        for it: what is lost with this process is made again."""
        if done.key is None:
            return
        files = tuple(dict.fromkeys(one.artifact_id for one in dispatched.inputs))
        made = Made(result=done.result, attachments=done.attachments)
        kept = Kept(key=done.key, owner=dispatched.user, tool=dispatched.todo.tool, files=files, made=made)
        task = asyncio.create_task(self._keep_later(kept), name=f"keep:{done.key[:12]}")
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def _keep_later(self, kept: Kept) -> None:
        await asyncio.sleep(KEEP_LATER)
        await self.kept.keep(kept)

    async def _key(self, spec: ToolSpec, dispatched: TodoDispatched) -> str | None:
        """None for calls that are made whenever they are asked for: another round of a cycle wants another result."""
        todo = dispatched.todo
        again = dispatched.round > 1 or todo.role is not TodoRole.STEP or dispatched.upstream
        if again or not may_be_kept(spec, todo.params):
            return None
        zone = dispatched.timezone or self.runner.resources.timezone
        folder = await self._folder(spec)
        return key_of_call(
            spec, folder, todo.params, dispatched.inputs,
            owner=dispatched.user, language=dispatched.language, timezone=zone,
            day=dispatched.requested_at.astimezone(ZoneInfo(zone)).date().isoformat(),
            config=self.runner.resources.config(spec.pack),
        )  # fmt: skip

    async def _folder(self, spec: ToolSpec) -> Path:
        folder = self._catalogue.packs[spec.pack].folder
        if folder not in self._read:
            await asyncio.to_thread(code_of, folder)
            self._read.add(folder)
        return folder

    async def _found(self, key: str) -> Kept | None:
        """What is kept, with all its files; where one is gone it is kept no longer."""
        made = (await self.kept.find([key])).get(key)
        if made is None:
            return None
        try:
            for one in made.made.attachments:
                await self._store.size(one.artifact_id)
        except ArtifactUnknown:
            await self.kept.forget(key)
            return None
        return made

    async def _with_arrivals(self, spec: ToolSpec, dispatched: TodoDispatched) -> TodoDispatched:
        """The call with the files that were made of its inputs when they arrived, where the tool takes such."""
        wanted = {one.type for one in spec.consumes if one.need is Need.WANTED}
        added: list[Attachment] = []
        for one in dispatched.inputs:
            for tool in arrival_tools(self._catalogue.tools, one.type):
                if wanted.intersection(tool.produces):
                    made = await self.arrived(tool, one)
                    added += [each for each in made.attachments if each.type in wanted]
        return dispatched.model_copy(update={"inputs": (*dispatched.inputs, *added)}) if added else dispatched

    async def answer(self, bus: Bus) -> None:
        """Says so when a file has been looked at that somebody asks about: whoever has stored it, or needs it."""

        async def looked(payload: bytes) -> bytes:
            try:
                file = Attachment.model_validate_json(payload)
            except ValidationError:
                log.debug("somebody asked about no file")  # anybody may, and often
                return b"{}"
            task = asyncio.create_task(self.look_at(file), name=f"look:{file.artifact_id[:12]}")
            self._looking.add(task)
            task.add_done_callback(self._looked)
            # later the bus takes no answer, and nobody waits for one
            await asyncio.wait([task], timeout=PATIENCE)
            return b"{}"

        await bus.on_ask(subjects.arrival(), looked)

    def _looked(self, task: "asyncio.Task[None]") -> None:
        self._looking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("a file that has arrived could not be looked at", exc_info=error)

    async def look_at(self, file: Attachment) -> None:
        """Makes of a file what is made of such files when they arrive."""
        for tool in arrival_tools(self._catalogue.tools, file.type):
            await self.arrived(tool, file)
        for spec in self._catalogue.tools.values():
            if any(one.type == file.type for one in spec.consumes):
                self.runner.warm(spec)

    async def arrived(self, tool: ToolSpec, file: Attachment) -> Made:
        """What the tool has made of the file, once; whoever comes meanwhile waits for it."""
        key = key_of_file(tool, await self._folder(tool), file.artifact_id)
        if found := await self._found(key):
            return found.made
        task = self._making.get(key)
        if task is None:
            task = self._making[key] = asyncio.create_task(self._make(key, tool, file), name=f"arrival:{key[:12]}")
            task.add_done_callback(lambda _: self._making.pop(key, None))
        # who is stopped takes it from nobody else
        return await asyncio.shield(task)

    async def _make(self, key: str, tool: ToolSpec, file: Attachment) -> Made:
        todo = TodoItem(
            id="arrival", title=tool.tool_key, tool=tool.tool_key, executor=tool.executor, retries=0,
            timeout_seconds=tool.timeout_seconds,
        )  # fmt: skip
        dispatched = TodoDispatched(
            plan_id=uuid5(ARRIVAL, key), todo=todo, attempt=1, inputs=(file,), language="en",
            requested_at=datetime.now(UTC),
        )  # fmt: skip
        try:
            done = await self.runner.execute(dispatched.plan_id, tool, dispatched, Unheard("arrival"))
            self.runner.check_result(tool, done)
        except ToolError as error:
            made = Made(error=ErrorInfo(code=error.code, message=error.message, detail=error.detail))
            if error.retryable:
                return made
        else:
            of = [each.model_copy(update={"meta": {**each.meta, OF: file.artifact_id}}) for each in done.attachments]
            made = Made(result=done.result, attachments=tuple(of))
        await self.kept.keep(Kept(key=key, tool=tool.tool_key, files=(file.artifact_id,), made=made))
        return made
