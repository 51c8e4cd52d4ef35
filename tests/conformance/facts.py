"""Small facts, appends and timers, for conformance suites and tests of runners."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from backbone.ledger.port import Append, Fact, Ledger, Timer
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.gateway import FeedbackGiven, MessageReceived
from contracts.registry import render
from contracts.response import RunCompleted, RunFailed
from contracts.shape import Event
from contracts.timers import TimerFired

PRODUCER = "gateway"
CONSUMER = "conformance"


def note(text: str = "") -> FeedbackGiven:
    """An event that means nothing but its text."""
    return FeedbackGiven(about="answer", comment=text)


def fact(event: Event | None = None, *, run_id: UUID | None = None, cause: UUID | None = None) -> Fact:
    """An event with fresh ids."""
    return Fact(event or note(), uuid4(), run_id, run_id or uuid4(), cause)


def append(session: UUID, *facts: Fact, cause: UUID | None = None, expected: int | None = None) -> Append:
    """One handled message; without facts it records one note."""
    return Append(session, cause or uuid4(), facts or (fact(),), expected_version=expected)


async def known(ledger: Ledger, session: UUID) -> UUID:
    """The id of an event that the session has, as a cause: what brings no event of its own needs one."""
    noted = fact()
    await ledger.append(PRODUCER, CONSUMER, [append(session, noted)])
    return noted.event_id


def run_begins(session: UUID, run: UUID) -> Append:
    """A person says something."""
    return append(session, fact(MessageReceived(text="hello"), run_id=run))


def run_ends(session: UUID, run: UUID) -> Append:
    """The run is over."""
    return append(session, fact(RunCompleted(), run_id=run))


def run_fails(session: UUID, run: UUID) -> Append:
    """The run is over, without an answer."""
    return append(session, fact(RunFailed(error=ErrorInfo(code=Code.INTERNAL, message="broken")), run_id=run))


def timer(seconds: float = -1.0, *, timer_id: UUID | None = None, run_id: UUID | None = None) -> Timer:
    """A timer due `seconds` from now; in the past as it stands."""
    due_at = datetime.now(UTC) + timedelta(seconds=seconds)
    timer_id = timer_id or uuid4()
    return Timer(timer_id, run_id, due_at, TimerFired(timer_id=timer_id, purpose="test", due_at=due_at))


def message(text: str = "", *, session: UUID | None = None, version: int = 1, run: UUID | None = None) -> Message:
    """A published note, as a relay would have read it from the ledger."""
    event_id = uuid4()
    return Message(
        event_id=event_id,
        session_id=session or uuid4(),
        version=version,
        type="FeedbackGiven",
        schema_version=1,
        producer=PRODUCER,
        run_id=run,
        correlation_id=run or event_id,
        causation_id=None,
        traceparent=None,
        recorded_at=datetime.now(UTC),
        data=render(note(text)).encode(),
    )
