"""What services ask each other with a question and an answer on core NATS (svc.>), and never record; the vector of a
text is in contracts.memory."""

from typing import ClassVar

from pydantic import Field

from contracts.shape import Contract, Digest, JsonObject
from contracts.tools import ToolSpec

MOST_TOOLS = 256


class ServiceStatus(Contract):
    """Answer to subjects.status: why the service is not well, if it is not, and its handlers by name."""

    example: ClassVar[JsonObject] = {"service": "planning", "healthy": True, "problems": [], "handlers": ["planning"]}

    service: str
    healthy: bool
    problems: tuple[str, ...]
    handlers: tuple[str, ...]


class OfferedTool(Contract):
    """One tool: what the server calls it, what it is here, and the hash of all that the server said of it."""

    name: str
    title: str
    spec: ToolSpec
    digest: Digest


class Offer(Contract):
    """Answer to subjects.offer: all tools of one server, as its executor has listed them."""

    server: str
    tools: tuple[OfferedTool, ...] = Field(default=(), max_length=MOST_TOOLS)
