"""What relays and runners ask of the bus. Two adapters, one conformance suite (tests.conformance.bus_conformance)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from contracts import subjects
from contracts.envelope import Message

GIVE_BACK = 0.01
"""Seconds until somebody else gets a message that is given back on shutdown."""


class BusUnavailable(Exception):
    """NATS or its JetStream cannot be reached or refuses; the same call may succeed later."""


@dataclass(frozen=True, slots=True)
class ConsumerSpec:
    """A durable pull consumer: its name and the subjects it filters on. `ack_wait` is in seconds."""

    name: str
    subjects: tuple[str, ...]
    ack_wait: float = 30.0
    max_ack_pending: int = 4096


class Delivery(Protocol):
    """One delivery of one message; settled exactly once by ack, retry or discard."""

    @property
    def subject(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...
    @property
    def attempt(self) -> int:
        """How often the bus has delivered this message, from 1."""

    @property
    def known(self) -> Message | None:
        """The message, where it did not come by the bus: this process has committed it (backbone.handover)."""

    async def ack(self) -> None: ...
    async def retry(self, delay: float) -> None:
        """Gives it back; it comes again after `delay` seconds."""

    async def extend(self) -> None:
        """Says that the work goes on, so that nobody else gets the message."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """Messages that a consumer has not delivered yet, and those delivered and not settled; of all its subscribers."""

    pending: int
    unsettled: int


class Subscription(Protocol):
    """A consumer's stream of deliveries."""

    async def drain(self, limit: int) -> list[Delivery]:
        """Waits for at least one delivery, then returns all that are there, up to `limit`."""

    async def ready(self) -> None:
        """Waits until there is a delivery."""

    def waiting(self) -> int:
        """How many are there now."""

    async def take(self, limit: int) -> list[Delivery]:
        """Those that are there now, up to `limit`."""

    async def close(self) -> None:
        """Ends pulling; what was pulled and not drained is given back. What was drained can still be settled."""

    @property
    def last_contact(self) -> float:
        """Loop time of the last sign of life of the server (message, heartbeat, answer to a request)."""

    @property
    def unbound(self) -> str:
        """Why nothing is pulled now, in one sentence; empty when it is."""

    async def backlog(self) -> Backlog | None:
        """What waits for the consumer; None when the bus does not say."""


LiveHandler = Callable[[str, Mapping[str, str], bytes], Awaitable[None] | None]
"""Called with subject, headers and body of each event as it is published. What it has to wait for goes on by itself."""
SignalHandler = Callable[[str, bytes], Awaitable[None]]
"""Called with subject and payload of each core message."""
AskHandler = Callable[[bytes], Awaitable[bytes]]
"""Called with a question's payload; what it returns is the answer. It must not raise."""


class Subscribes(Protocol):
    """What runners need of a bus."""

    async def subscribe(self, spec: ConsumerSpec, prefetch: int) -> Subscription:
        """Starts pulling from a durable consumer, at most `prefetch` ahead."""


class Bus(Subscribes, Protocol):
    """A transport of events, at least once, in publishing order per publisher."""

    async def epoch(self) -> str:
        """Identity of the store's present life, seconds old at most; another value means that the store began anew and
        is empty. Those of `on_reconnect` are called when that is noticed."""

    async def publish(self, messages: Sequence[Message], *, first: bool = False) -> None:
        """Publishes in order, pipelined; returns when every one is stored. Raises BusUnavailable if any is not. What
        the store takes for repetitions is one, unless it is the `first` time: then it is sent under another name. Those
        that nobody has to act upon are not stored: who shows the session is told of them (settled.py)."""

    async def resend(self, subject: str, headers: Mapping[str, str], body: bytes, key: UUID | None = None) -> None:
        """Publishes a message once more, past the store's memory of what it has stored; everybody who filters on its
        subject gets it again. With a `key` that is done once, as far as the store remembers. Raises BusUnavailable
        when it is not stored."""

    async def follow(self, handler: LiveHandler, subject: str = subjects.EVENTS) -> None:
        """Sees every event as it is published, or those of one pattern, without acknowledgement: for live fan-out, and
        for what is looked up in the ledger too."""

    async def signal(self, subject: str, payload: bytes = b"") -> None:
        """A core message: fast, not kept, may be lost."""

    async def on_signal(self, subject: str, handler: SignalHandler) -> None:
        """Hears core messages on a subject or a pattern of them (`*` is one token), from now on."""

    async def ask(self, subject: str, payload: bytes, timeout: float) -> bytes | None:  # noqa: ASYNC109  # of the question
        """A core question to one of those who answer on a subject; None when nobody answered within `timeout` s."""

    async def on_ask(self, subject: str, handler: AskHandler) -> None:
        """Answers core questions on a subject, from now on; of several who do, each question reaches one."""

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        """Called after the connection was lost and is there again, and when the store is found to be another one."""

    def certificate_ends(self) -> float | None:
        """When the server's certificate ends, seconds since 1970; None where there is none to see."""

    async def close(self) -> None: ...
