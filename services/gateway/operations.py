"""What operators are shown: open runs with their actors and deadlines, and dead letters."""

import base64
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import orjson
from fastapi import Query
from pydantic import Field

from backbone.ledger.port import KeptLetter
from backbone.liveness.turns import Turn
from backbone.liveness.view import Liveness, State
from backbone.telemetry import tracing
from contracts.shape import Contract, JsonObject, JsonValue

ENDS = {"RunCompleted": "completed", "RunFailed": "failed", "RunCancelled": "cancelled"}
LARGEST_PAGE = 1000


class ActorView(Contract):
    """Somebody whose turn it is. Without a deadline it may take for ever."""

    actor: str = Field(description="a service, executor:<route>, timers, toolbox, person")
    what: str
    since: datetime
    deadline: datetime | None
    overdue_after: datetime | None


class RunView(Contract):
    """A run as it stands; `actor` and what follows it are those of the most urgent of its actors."""

    run_id: UUID
    session_id: UUID
    text: str = Field(description="the beginning of the person's message")
    state: str = Field(description="moving, waiting, paused, stuck; completed, failed, cancelled")
    stuck: bool
    began: datetime
    last_event: str
    actor: str | None
    what: str | None
    since: datetime | None
    deadline: datetime | None
    overdue_after: datetime | None
    actors: tuple[ActorView, ...]
    trace_id: str | None = Field(description="of its trace, 32 hexadecimal digits")
    trace_url: str | None = Field(description="the page of its trace, when it is recorded and DREAM_TRACE_URL is set")


class RunsPage(Contract):
    """Open runs, the newest first."""

    runs: tuple[RunView, ...]
    next: UUID | None = Field(description="`before` of the next page; none = this is the last")


class LetterView(Contract):
    """A message that a handler gave up."""

    dead_letter_id: UUID
    consumer: str
    subject: str
    event_id: UUID | None
    code: int
    reason: str
    deliveries: int
    state: str = Field(description="dead, retried, discarded")
    recorded_at: datetime


class LetterWhole(LetterView):
    """`body` is JSON where it parses, else text, else base64: `body_as` says which."""

    headers: dict[str, str]
    body: JsonValue
    body_as: str = Field(description="json, text, base64")


class LettersPage(Contract):
    """Dead letters, the newest first."""

    dead_letters: tuple[LetterView, ...]


def run_view(seen: Liveness, trace_page: str | None) -> RunView:
    """`trace_page` is DREAM_TRACE_URL."""
    first = seen.next
    trace_id = tracing.trace_id(seen.traceparent)
    page = trace_page if tracing.recorded(seen.traceparent) else None
    return RunView(
        run_id=seen.run_id,
        session_id=seen.session_id,
        text=seen.text,
        state=ENDS.get(seen.last, "ended") if seen.state is State.ENDED else seen.state.value,
        stuck=seen.state is State.STUCK,
        began=seen.began,
        last_event=seen.last,
        actor=first.actor if first else None,
        what=first.what if first else None,
        since=first.since if first else None,
        deadline=first.deadline if first else None,
        overdue_after=first.overdue_after if first else None,
        actors=tuple(_actor(turn) for turn in seen.turns),
        trace_id=trace_id,
        trace_url=page.replace("{trace_id}", trace_id) if page and trace_id else None,
    )


def _actor(turn: Turn) -> ActorView:
    return ActorView(
        actor=turn.actor, what=turn.what, since=turn.since, deadline=turn.deadline, overdue_after=turn.overdue_after
    )


def letter_line(line: JsonObject) -> LetterView:
    return LetterView.model_validate(line)


def letter_whole(kept: KeptLetter) -> LetterWhole:
    letter = kept.letter
    body, shown_as = _shown(letter.body)
    return LetterWhole(
        dead_letter_id=letter.dead_letter_id,
        consumer=letter.consumer,
        subject=letter.subject,
        event_id=letter.event_id,
        code=int(letter.code),
        reason=letter.reason,
        deliveries=letter.deliveries,
        state=kept.state,
        recorded_at=kept.recorded_at,
        headers=dict(letter.headers),
        body=body,
        body_as=shown_as,
    )


def _shown(body: bytes) -> tuple[JsonValue, str]:
    try:
        parsed: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    else:
        return parsed, "json"
    try:
        return body.decode(), "text"
    except UnicodeDecodeError:
        return base64.b64encode(body).decode(), "base64"


# signatures for the OpenAPI document: read, never called

Limit = Annotated[int, Query(ge=0, le=LARGEST_PAGE)]


def runs(
    stuck: bool = False,  # noqa: FBT001, FBT002  # a query parameter
    limit: Limit = 100,
    before: Annotated[UUID | None, Query(description="`next` of the page before")] = None,
    trace_id: Annotated[
        str | None, Query(description="32 hexadecimal digits: the runs of this trace, open or not")
    ] = None,
) -> RunsPage:
    """Open runs with their next actors and deadlines, the newest first; with `stuck` only those that nobody moves."""
    raise AssertionError


def run_state(run_id: UUID) -> RunView:
    """A run, open or ended, and whose turn it is."""
    raise AssertionError


def letters(
    state: Annotated[Literal["dead", "retried", "discarded"] | None, Query(description="none = all")] = None,
    limit: Limit = 100,
) -> LettersPage:
    """Messages that were given up."""
    raise AssertionError


def letter(letter_id: UUID) -> LetterWhole:
    """One of them, with headers and body."""
    raise AssertionError


def retry(letter_id: UUID) -> LetterView:
    """Publishes the message again, once; who has handled it already skips it."""
    raise AssertionError


def discard(letter_id: UUID) -> LetterView:
    """Nobody needs the message any more."""
    raise AssertionError


SIGNATURES: dict[tuple[Any, str], tuple[Any, int, tuple[int, ...]]] = {
    ("GET", "/runs"): (runs, 200, (1000, 1009, 1011, 3001, 9006)),
    ("GET", "/runs/{run_id}"): (run_state, 200, (1009, 3001, 9006)),
    ("GET", "/dead-letters"): (letters, 200, (1000, 1011, 9006)),
    ("GET", "/dead-letters/{letter_id}"): (letter, 200, (1009, 9006, 9009)),
    ("POST", "/dead-letters/{letter_id}/retry"): (retry, 200, (1009, 9006, 9007, 9009, 9010)),
    ("POST", "/dead-letters/{letter_id}/discard"): (discard, 200, (1009, 9006, 9009, 9010)),
}
