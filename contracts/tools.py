"""What a tool promises (ToolSpec, read from a pack's YAML) and what it is given when it runs (ToolContext)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol
from uuid import UUID

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.memory import Memories
from contracts.shape import ArtifactType, Contract, JsonObject, JsonValue, ToolKey
from contracts.tables import PackDatabase

LINE_LIMIT = 2000
"""Characters of one line that a tool logs."""
ExecutorRoute = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


def _no_params() -> JsonObject:
    return {"type": "object", "additionalProperties": False}


def _any_object() -> JsonObject:
    return {"type": "object"}


class ConfirmPolicy(StrEnum):
    """When a person must approve a call before it runs."""

    NEVER = "never"
    ALWAYS = "always"


class BusyPolicy(StrEnum):
    """What happens when a tool's group is full: wait in line for it, or ask the person first."""

    RETRY = "retry"
    ASK = "ask"


class ErrorPolicy(StrEnum):
    """What happens when the attempts of a todo are used up (source design 004 section 8.2).

    `retry` repeats any error, not only those that may pass; `skip` leaves out what builds on the todo; `fail` ends the
    run; `ask` puts retry, skip or abort to the person."""

    RETRY = "retry"
    SKIP = "skip"
    FAIL = "fail"
    ASK = "ask"


class Effects(StrEnum):
    """What a second run of the same call would do to the world outside."""

    NONE = "none"
    IDEMPOTENT = "idempotent"
    EXTERNAL = "external"


class Reuse(StrEnum):
    """Whether the same call may be answered with what was made before: never, on the same day (the date stands in what
    is made), or always."""

    NEVER = "never"
    DAY = "day"
    ALWAYS = "always"


class Need(StrEnum):
    """`required` inputs must exist; `wanted` ones are chained only when the request asks for what they hold."""

    REQUIRED = "required"
    WANTED = "wanted"


class Consumes(Contract):
    """One typed input. `many` takes every artifact of the type, otherwise the newest.

    `having` and `lacking` are roles of columns (contracts.profiles) that a table must, and must not, have for the tool
    to be planned; a table that nobody has looked at yet passes for one that has them."""

    type: ArtifactType
    need: Need = Need.REQUIRED
    many: bool = False
    having: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


class ToolCost(Contract):
    """What one call is expected to cost; planning sums these into the plan's estimate."""

    seconds: float = Field(default=1.0, ge=0, description="typical wall time, s")
    seconds_per_mb: float = Field(default=0.0, ge=0, description="added per MB of input, s/MB")
    money: float = Field(default=0.0, ge=0, description="USD per call")
    tokens: int = Field(default=0, ge=0)


class ToolSpec(Contract):
    """A tool in the catalogue. The fields of source design 000 (toolKey, groupKey, capacity, confirmPolicy, schemas)
    plus the typed inputs and outputs that planning chains over."""

    tool_key: ToolKey
    version: int = Field(default=1, ge=1)
    description: str = Field(min_length=1, description="for the planner; people see the pack's texts")
    executor: ExecutorRoute
    entry: str = Field(
        pattern=r"^[\w.]+:[\w.]+$",
        description="import path of the callable, module:function; agent:<pack>.<name> is an agent loop",
    )
    group_key: str | None = None
    group_keys: tuple[str, ...] = Field(default=(), description="further groups that a call holds at the same time")
    capacity: int | None = Field(default=None, ge=1, description="calls at once in each group; none = unlimited")
    when_busy: BusyPolicy = BusyPolicy.RETRY
    confirm_policy: ConfirmPolicy = ConfirmPolicy.NEVER
    params_schema: JsonObject = Field(default_factory=_no_params)
    result_schema: JsonObject = Field(default_factory=_any_object)
    names: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="parameter -> types of names in a request that it takes, the narrowest first; one that is called "
        "like such a type can stand for inputs that are only wanted",
    )
    consumes: tuple[Consumes, ...] = ()
    produces: tuple[ArtifactType, ...] = ()
    timeout_seconds: float = Field(default=300.0, gt=0)
    retries: int = Field(default=2, ge=0, le=10)
    effects: Effects = Effects.NONE
    reuse: Reuse = Field(
        default=Reuse.NEVER, description="a promise that arguments and files alone decide what is made"
    )
    fresh: tuple[str, ...] = Field(default=(), description="parameters with which a call is always made anew")
    wish: str | None = Field(
        default=None,
        pattern=r"^[\w.]+:[\w]+$",
        description="says in words what its arguments mean of a file, and changes them by a person's words: "
        "contracts.wishes.WishReader",
    )
    arrival: bool = Field(
        default=False,
        description="called once for each file of the type it consumes, when the file arrives; what it makes is kept "
        "with the file, and its files come to tools that consume their types",
    )
    warm: str | None = Field(
        default=None,
        pattern=r"^[\w.]+:[\w]+$",
        description="called without arguments in a worker process that waits, when a file of a type that the tool "
        "consumes has arrived: what a first call would have to load",
    )
    reconcile: str | None = Field(
        default=None,
        pattern=r"^[\w.]+:[\w]+$",
        description="asked with the parameters and key of a call of unknown outcome; answers happened and its result",
    )
    on_error: ErrorPolicy = ErrorPolicy.SKIP
    memory_mb: int = Field(default=2048, ge=64, description="memory of a call in a worker process, MiB")
    cost: ToolCost = ToolCost()
    network: bool = Field(
        default=False, description="in a worker process: it may open connections; on the event loop it may anyway"
    )
    isolated: bool = Field(default=True, description="run in a worker process (CPU work); false = on the event loop")

    @property
    def pack(self) -> str:
        return self.tool_key.split(".", 1)[0]

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that a call holds, sorted; a capacity without a group is that of the tool itself."""
        if self.capacity is None:
            return ()
        named = {self.group_key, *self.group_keys} - {None}
        return tuple(sorted(str(one) for one in named or {self.tool_key}))


class ToolInput(Contract):
    """An artifact laid out as a local file for the time of a call."""

    attachment: Attachment
    path: Path


class Upstream(Contract):
    """What came of a todo that a synthesis waits for; `error` is one sentence in the person's language."""

    title: str
    tool: ToolKey
    succeeded: bool
    result: JsonObject = Field(default_factory=dict)
    error: str = ""


class Reminder(Contract):
    """Something to remind the person of. With a `rule` (RRULE, counted in the person's time zone) again and again."""

    text: str = Field(min_length=1, max_length=1000)
    at: datetime = Field(description="the first time, with time zone")
    rule: str = ""


class ToolContext(Protocol):
    """Everything a tool may touch besides its parameters. One context per call; nothing outlives it."""

    @property
    def language(self) -> str:
        """The user's language: ko, en or ja."""

    @property
    def now(self) -> datetime:
        """The time of the request where the person is. Tools take the time from here, never from the clock."""

    @property
    def workdir(self) -> Path:
        """A private folder, removed after the call."""

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of the same call with the same arguments."""

    @property
    def user(self) -> str:
        """Whose work this is: keys what tools keep of a person."""

    @property
    def timezone(self) -> str:
        """The person's time zone, an IANA name."""

    @property
    def config(self) -> Mapping[str, str]:
        """The pack's own settings: what the operator set as DREAM_PACK_<PACK>_<NAME>, by <NAME>."""

    @property
    def database(self) -> PackDatabase:
        """The pack's tables; only tools with `isolated: false` of a pack with `database: true` have them."""

    @property
    def memories(self) -> Memories:
        """The person's long-term memory; only tools with `isolated: false` have it."""

    def remind(self, reminder: Reminder) -> UUID:
        """Sets a durable reminder, in the same transaction as the call's result; returns its id, which is the same
        for every attempt of the call. Only tools with `isolated: false`."""

    def cancel_reminder(self, reminder_id: UUID, at: datetime) -> None:
        """Takes a reminder back whose next time is `at`, in the same transaction as the call's result."""

    def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of length 1, one a text, whose dot products say how alike the texts are; empty when nobody can make
        them just now, or too many were asked for. Only tools in a worker process have them: it waits for them."""

    @property
    def upstream(self) -> Sequence[Upstream]:
        """For a synthesis: what came of the todos that it waits for, in plan order, failures included."""

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        """Inputs of one artifact type, oldest first; empty when there are none."""

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: JsonValue) -> Attachment:
        """Stores a file. It becomes an output of the call and an input for the todos that depend on it."""

    def progress(self, fraction: float, message: str = "") -> None:
        """Says how far the call has come, 0..1, with an optional sentence in the user's language."""

    def log(self, line: str) -> None:
        """A line for the developer's log panel; not kept in the ledger."""

    def text(self, key: str, **values: object) -> str:
        """A text of the pack's language file in the user's language, with {placeholders} filled."""


class ToolError(Exception):
    """The tool could not do it, and says why: a code, one sentence for the person, and the offending values.

    `retryable` is for what may pass by itself (a network fault); bad input is not.
    """

    def __init__(self, code: Code, message: str, *, retryable: bool = False, **detail: JsonValue) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.detail: JsonObject = dict(detail)
