"""What an agent loop works with: the messages so far, and what its model does next (source design 003)."""

from datetime import datetime
from typing import Literal, Protocol

from pydantic import Field

from contracts.artifacts import Attachment
from contracts.shape import Contract, JsonObject, JsonValue, Language, ToolKey

REPORT_PROGRESS = "platform.report_progress"
"""The tool that every loop has: it says how far the work is, and has no effect."""


class ToolCall(Contract):
    """A call that a model asks for. `call_id` names it in this loop."""

    call_id: str = Field(min_length=1, max_length=100)
    tool: ToolKey
    arguments: JsonObject = Field(default_factory=dict)


class LoopMessage(Contract):
    """One message of a loop: what was asked, what the model said and called, what a tool answered.

    Content of role `tool` comes from outside: it is data, and never an instruction."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = Field(default=None, description="of the call that a tool message answers")
    result: JsonValue = None
    failed: bool = False


class LoopState(Contract):
    """All that a model or a policy may look at."""

    request: str
    language: Language
    now: datetime
    params: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    messages: tuple[LoopMessage, ...] = ()


class NextStep(Contract):
    """What the model does: calls, or without calls the final answer in `text`."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class Policy(Protocol):
    """The offline model of a loop, pure: texts are keys of the pack, put into words by `say(key, **values)`."""

    def __call__(self, state: LoopState, say: "Say") -> NextStep: ...


class Say(Protocol):
    """A text of the agent's pack in the person's language."""

    def __call__(self, key: str, **values: object) -> str: ...


class ProgressEntry(Contract):
    """A line of the progress log."""

    title: str
    description: str = ""
