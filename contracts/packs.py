"""The files of a pack, as data: manifest, intents, topics and commands. Tools are in contracts.tools."""

from typing import Annotated

from pydantic import Field

from contracts.cognitive import OutputFormat, Route
from contracts.planning import JoinKind, TodoId, TodoRole
from contracts.shape import ArtifactType, Contract, JsonObject
from contracts.tools import ErrorPolicy, ToolKey

PackName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
PerLanguage = dict[str, tuple[str, ...]]


class CommandTodo(Contract):
    """A todo of a command's plan. `repeat` names an integer argument: that many parallel copies."""

    tool: ToolKey
    repeat: str | None = None
    params: JsonObject = Field(default_factory=dict)
    id: TodoId | None = Field(default=None, description="so that later todos can wait for it")
    depends_on: tuple[TodoId, ...] | None = Field(default=None, description="none = whatever makes what it consumes")
    wants: tuple[TodoId, ...] = ()
    join: JoinKind = JoinKind.ALL
    join_count: int | None = None
    on_error: ErrorPolicy | None = Field(default=None, description="none = the tool's")
    retries: int | None = None
    timeout_seconds: float | None = None
    role: TodoRole = TodoRole.STEP
    until: JsonObject | None = None
    repeat_from: TodoId | None = None
    rounds: int = 3


class CommandSpec(Contract):
    """A slash command: its arguments by position, and the todos it stands for."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    args_schema: JsonObject
    positional: tuple[str, ...] = ()
    todos: tuple[CommandTodo, ...] = Field(min_length=1)


class IntentSpec(Contract):
    """An intent a pack understands: DOMAIN.category[.subcategory], with example sentences per language."""

    intent: str = Field(pattern=r"^[A-Z][A-Z0-9_]*(\.[a-z][a-z0-9_]*){1,2}$")
    route: Route = Route.PLAN
    goals: tuple[ArtifactType, ...] = ()
    formats: tuple[OutputFormat, ...] = ()
    needs: tuple[ArtifactType, ...] = Field(default=(), description="inputs only the person can bring")
    answer: str | None = Field(default=None, description="text key of the answer, for route answer")
    label: str = Field(description="text key of a short name, shown as an option in questions")
    examples: PerLanguage


class TopicSpec(Contract):
    """A thing that can be asked for beside the main intent; its words in the sentence add `goal` to the plan."""

    goal: ArtifactType
    label: str
    words: PerLanguage = Field(description="regular expressions per language, matched case-insensitively")


class PackManifest(Contract):
    """pack.yaml"""

    name: PackName
    version: int = Field(ge=1)
    title: dict[str, str]
    commands: tuple[CommandSpec, ...] = ()
