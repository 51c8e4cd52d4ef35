"""Every subject on the bus, in one place: evt.<partition>.<session>.<producer>.<type>[.<route>]."""

from functools import lru_cache
from uuid import UUID
from zlib import crc32

STREAM = "EVT"
EVENTS = "evt.>"
LIVE = "live.*"
PARTITIONS = 64
PROBES = "evt.probe.probe."
SETTLED = "settled"
"""Last word of the route of an event whose consequences were recorded with it: no consumer takes it, so it is on no
stream (contracts.live.Recorded)."""
OFFERS = "svc.execution.offer.*"


@lru_cache(maxsize=16_384)
def text_of(one: UUID) -> str:
    """An id as it is written everywhere. Python works it out anew each time, in 1.3 us: a tenth of what publishing and
    taking a message cost."""
    return str(one)


class SubjectError(ValueError):
    """A subject that contradicts its message."""


def partition(session_id: UUID) -> int:
    """crc32 of the canonical text of the id, modulo 64: consumers can split by it."""
    return crc32(str(session_id).encode()) % PARTITIONS


def event(session_id: UUID, producer: str, type_: str, route: str = "") -> str:
    """Where an event is published."""
    session = text_of(session_id)
    subject = f"evt.{crc32(session.encode()) % PARTITIONS}.{session}.{producer}.{type_}"
    return f"{subject}.{route}" if route else subject


def is_settled(route: str) -> bool:
    """Whether nobody has to act upon an event of this route."""
    return route.endswith(SETTLED) and route.rpartition(".")[2] == SETTLED


def pattern(producer: str, type_: str, route: str = "") -> str:
    """What a consumer filters on: one type of one producer, in all sessions."""
    return f"evt.*.*.{producer}.{type_}" + (f".{route}" if route else "")


def by_producer(producer: str) -> str:
    """Every event of one producer: what its relay publishes, and nobody else may."""
    return f"evt.*.*.{producer}.>"


def probe(producer: str) -> str:
    """Where whoever relays a producer asks whether it may: nothing that is sent there is stored, or is an event."""
    return f"{PROBES}{producer}.probe"


def wake(producer: str) -> str:
    """Core NATS: the producer has appended something; its relay may look."""
    return f"wake.{producer}"


def live(session_id: UUID) -> str:
    """Core NATS, not kept: chunks and log lines of a session, and that the ledger has what no stream has."""
    return f"live.{session_id}"


def live_session(subject: str) -> str:
    """Of which session the live subject is, as text."""
    return subject.removeprefix("live.")


def status(service: str) -> str:
    """Core NATS request and reply: how a service is."""
    return f"svc.{service}.status"


def meaning() -> str:
    """Core NATS request and reply: the vector of a text (contracts.memory), from the service that has the encoder."""
    return "svc.cognitive.meaning"


def arrival() -> str:
    """Core NATS request and reply: a file is here (contracts.artifacts.Attachment); answered when it was looked at."""
    return "svc.execution.arrival"


def offer(server: str) -> str:
    """Core NATS request and reply: the tools of an MCP server, from the executor that has a session with it."""
    return f"svc.execution.offer.{server}"


def check(subject: str, session_id: UUID, producer: str, type_: str) -> None:
    """Raises SubjectError unless the subject is the one this event is published on."""
    parts = subject.split(".")
    if len(parts) < 5 or parts[2:5] != [str(session_id), producer, type_]:
        raise SubjectError(f"subject {subject!r} is not that of {type_!r} by {producer!r} in session {session_id}")
