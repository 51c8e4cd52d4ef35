"""A tool runner with the tools of tools_for_tests, one tool key per function."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.artifacts import Attachment
from contracts.execution import TodoDispatched
from contracts.tools import ToolSpec
from services.execution.tools.resources import Resources
from services.execution.tools.tool_runner import ToolRunner
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts
from tests.unit.services.catalogues import catalogue, tool
from tests.unit.services.execution import tools_for_tests
from tests.unit.services.given import NOW, RUN, named
from tests.unit.services.plans import todo

TEXTS = {"ko": {"greeting": "안녕하세요 {name}"}, "en": {"greeting": "Hello {name}", "only_english": "Only {{here}}"}}
ANY = {"type": "object"}


def spec(function: str, **fields: Any) -> ToolSpec:
    entry = f"{tools_for_tests.__name__}:{function}"
    isolated = not function.startswith("async_")
    return tool(f"test.{function}".lower(), **{"entry": entry, "params_schema": ANY, "isolated": isolated} | fields)


def dispatch(function: str, **fields: Any) -> TodoDispatched:
    inputs: Sequence[Attachment] = fields.pop("inputs", ())
    attempt, language = fields.pop("attempt", 1), fields.pop("language", "ko")
    failures, timezone = fields.pop("failures", 0), fields.pop("timezone", "")
    item = todo("a", **{"tool": f"test.{function}".lower(), "timeout_seconds": 20} | fields)
    return TodoDispatched(
        plan_id=named("plan"),
        todo=item,
        attempt=attempt,
        inputs=inputs,
        language=language,
        requested_at=NOW,
        failures=failures,
        timezone=timezone,
    )


@dataclass
class Made:
    """What a tool made; the result is whatever JSON the test expects."""

    result: Any
    attachments: tuple[Attachment, ...]


@dataclass
class ToolCaller:
    """`words` is the progress that was heard, `lines` what was logged, `meant` of how many texts vectors were asked."""

    pool: ToolPool
    artifacts: MemoryArtifacts
    words: list[tuple[float, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    meant: list[int] = field(default_factory=list)

    def runner(self, function: str, **fields: Any) -> ToolRunner:
        resources = Resources(meanings=self.meanings)
        return ToolRunner(catalogue(spec(function, **fields), texts=TEXTS), self.artifacts, self.pool, resources)

    async def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A text means its length."""
        self.meant.append(len(texts))
        return [(float(len(text)),) for text in texts]

    async def progress(self, fraction: float, message: str) -> None:
        self.words.append((fraction, message))

    def log(self, line: str) -> None:
        self.lines.append(line)

    async def run(self, function: str, spec_fields: dict[str, Any] | None = None, **fields: Any) -> Made:
        runner = self.runner(function, **(spec_fields or {}))
        dispatched = dispatch(function, **fields)
        known = runner.spec(dispatched.todo.tool)
        runner.check_arguments(known, dispatched)
        done = await runner.execute(RUN, known, dispatched, self)
        runner.check_result(known, done)
        return Made(done.result, done.attachments)

    async def bring(self, text: str, type_: str) -> Attachment:
        digest, size = await self.artifacts.put(text.encode())
        return Attachment(artifact_id=digest, name="in.txt", media_type="text/plain", size=size, type=type_)
