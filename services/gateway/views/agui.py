"""What an AG-UI client sends (protocol 1.0, and 0.x without a `protocolVersion`), as far as it counts here: the newest
message, and answers to what was asked. The rest of the conversation is in the ledger, and is not believed."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from contracts.artifacts import Attachment
from contracts.gateway import Budget
from contracts.shape import Contract, JsonObject, Language, Timezone
from services.gateway.commands.sessions import User

ID_LIMIT, MOST_MESSAGES = 200, 5_000


class _Given(BaseModel):
    """Of a protocol that grows: members that are not known are no fault."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)


class GivenCall(_Given):
    """A tool call that stands in a message of the agent's."""

    id: str = Field(max_length=ID_LIMIT)


class GivenMessage(_Given):
    """A message of the conversation as the client has it. `content` is a text, or parts."""

    id: str = Field(min_length=1, max_length=ID_LIMIT)
    role: str
    content: JsonValue = None
    tool_calls: tuple[GivenCall, ...] | None = Field(default=None, max_length=1_000)


class ResumeEntry(_Given):
    """An answer to an interrupt, which is a decision here: `payload` fits the interrupt's responseSchema. `cancelled`
    ends the run that asks."""

    interrupt_id: str = Field(max_length=ID_LIMIT)
    status: Literal["resolved", "cancelled"]
    payload: JsonValue = None


class Wishes(Contract):
    """`forwardedProps.dream`: what AG-UI has no words for."""

    language: Language | None = None
    timezone: Timezone = Field(default="", description="of a new thread's person")
    user: User | None = Field(default=None, description="whose thread it is, where no keys are asked for")
    attachments: tuple[Attachment, ...] = Field(default=(), max_length=100, description="as POST /artifacts gave them")
    auto_approve: bool = Field(default=False, strict=True, description="approve the plan without asking")
    budget: Budget | None = None
    files_at: str | None = Field(
        default=None, max_length=300, description="what stands before /artifacts/… in links; none = our own address"
    )


class ForwardedProps(_Given):
    """Others may forward what they like."""

    dream: Wishes = Wishes()


class RunAgentInput(_Given):
    """Body of POST /agui: RunAgentInput of AG-UI. Its state, tools and context are not read."""

    thread_id: str = Field(
        min_length=1, max_length=ID_LIMIT, description="the client's; a session's id is that session"
    )
    run_id: str = Field(min_length=1, max_length=ID_LIMIT, description="names this request, not a run of ours")
    protocol_version: str | None = Field(default=None, max_length=ID_LIMIT)
    messages: tuple[GivenMessage, ...] = Field(default=(), max_length=MOST_MESSAGES)
    forwarded_props: ForwardedProps | None = None
    resume: tuple[ResumeEntry, ...] | None = Field(default=None, max_length=100)

    @property
    def said(self) -> GivenMessage | None:
        """What the person says, if it is they who spoke last."""
        last = self.messages[-1] if self.messages else None
        return last if last is not None and last.role == "user" else None

    @property
    def known(self) -> frozenset[str]:
        """Ids of the messages and calls that the client has."""
        calls = {call.id for message in self.messages for call in message.tool_calls or ()}
        return frozenset(calls.union(message.id for message in self.messages))

    @property
    def wishes(self) -> Wishes:
        return self.forwarded_props.dream if self.forwarded_props else Wishes()


class Part(_Given):
    """A part of a message: text, or a file whose bytes come with it."""

    type: str
    text: str = ""
    source: JsonObject = Field(default_factory=dict)
    metadata: JsonObject | None = None
    data: str | None = Field(default=None, description="of `binary`, the part for every file before 1.0")
    name: str | None = Field(default=None, alias="filename")

    @property
    def filename(self) -> str:
        """As clients name files in a part's metadata; empty when they do not."""
        named = [self.name, *((self.metadata or {}).get(key) for key in ("filename", "fileName", "name"))]
        return next((name for name in named if isinstance(name, str) and name), "")

    @property
    def bytes_in_base64(self) -> str | None:
        """None for a file whose bytes are elsewhere."""
        value = self.data if self.type == "binary" else self.source.get("value")
        return value if isinstance(value, str) and (self.data or self.source.get("type") == "data") else None


def as_uuid(text: str) -> UUID | None:
    """An id of the client's that may be one of ours."""
    try:
        return UUID(text)
    except ValueError:
        return None
