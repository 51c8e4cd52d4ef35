"""The assistant's tools as an executor runs them: real catalogue, schemas, texts, settings, tables."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from backbone import packs
from contracts.artifacts import Attachment
from contracts.execution import TodoDispatched
from contracts.planning import TodoItem
from contracts.tables import PackDatabase
from contracts.tools import ToolError
from services.execution.tools.resources import Resources
from services.execution.tools.tool_runner import ToolRunner
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts
from tests.integration.packs.assistant.calendar_suite import NOW

CATALOGUE = packs.load(("assistant",))


@dataclass
class Desk:
    """One person who asks. `settings` are the pack's, without their prefix."""

    tables: PackDatabase
    settings: dict[str, str] = field(default_factory=dict)
    language: str = "ko"
    user: str = field(default_factory=lambda: f"u{uuid4().hex}")
    now: datetime = NOW
    timezone: str = "Asia/Seoul"
    artifacts: MemoryArtifacts = field(default_factory=MemoryArtifacts)
    attachments: tuple[Attachment, ...] = ()
    lines: list[str] = field(default_factory=list)

    async def __call__(self, tool: str, run: UUID | None = None, **params: Any) -> dict[str, Any]:
        """The result; with the same `run` it is another attempt of the same call. Holds both to their schemas."""
        environment = {f"DREAM_PACK_ASSISTANT_{name}": value for name, value in self.settings.items()}
        resources = Resources(tables=lambda pack: self.tables, timezone=self.timezone, environment=environment)
        runner = ToolRunner(CATALOGUE, self.artifacts, ToolPool(1), resources)
        spec = runner.spec(f"assistant.{tool}")
        dispatched = TodoDispatched(
            plan_id=uuid4(),
            todo=TodoItem(id="t1", title=tool, tool=spec.tool_key, executor=spec.executor, params=params),
            attempt=1,
            language=self.language,
            user=self.user,
            requested_at=self.now,
        )
        runner.check_arguments(spec, dispatched)
        done = await runner.execute(run or uuid4(), spec, dispatched, self)
        runner.check_result(spec, done)
        self.attachments = done.attachments
        return done.result

    async def error(self, tool: str, run: UUID | None = None, **params: Any) -> ToolError:
        try:
            result = await self(tool, run, **params)
        except ToolError as error:
            return error
        raise AssertionError(f"no error, but {result}")

    async def progress(self, fraction: float, message: str) -> None:
        """The calendar has none."""

    def log(self, line: str) -> None:
        self.lines.append(line)
