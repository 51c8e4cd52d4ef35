"""What operators are shown: open runs with their actors and deadlines, and dead letters."""

import base64
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

import orjson
from pydantic import Field

from backbone.ledger.port import KeptLetter
from backbone.liveness.view import Liveness, State
from backbone.telemetry import tracing
from contracts.shape import Contract, JsonValue

ENDS = {"RunCompleted": "completed", "RunFailed": "failed", "RunCancelled": "cancelled"}


class ActorView(Contract):
    """Somebody whose turn it is. Without a deadline it may take for ever."""

    actor: str = Field(description="a service, executor:<route>, timers, toolbox, person")
    what: str
    since: datetime
    deadline: datetime | None
    overdue_after: datetime | None


class RunLiveness(Contract):
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

    runs: tuple[RunLiveness, ...]
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

    def without_body(self) -> LetterView:
        """As it stands in a list."""
        return LetterView.model_validate(self.model_dump(exclude={"headers", "body", "body_as"}))


class LettersPage(Contract):
    """Dead letters, the newest first."""

    dead_letters: tuple[LetterView, ...]


def run_view(seen: Liveness, trace_page: str | None) -> RunLiveness:
    """`trace_page` is DREAM_TRACE_URL."""
    actors = tuple(ActorView.model_validate(turn, from_attributes=True) for turn in seen.turns)
    first = dict(actors[0]) if actors else dict.fromkeys(ActorView.model_fields)
    trace_id = tracing.trace_id(seen.traceparent)
    page = trace_page if tracing.recorded(seen.traceparent) else None
    return RunLiveness(
        run_id=seen.run_id,
        session_id=seen.session_id,
        text=seen.text,
        state=ENDS.get(seen.last, "ended") if seen.state is State.ENDED else seen.state.value,
        stuck=seen.state is State.STUCK,
        began=seen.began,
        last_event=seen.last,
        actors=actors,
        **first,
        trace_id=trace_id,
        trace_url=page.replace("{trace_id}", trace_id) if page and trace_id else None,
    )


def letter_whole(kept: KeptLetter) -> LetterWhole:
    letter = kept.letter
    body, shown_as = _shown(letter.body)
    whole = asdict(letter) | {"headers": dict(letter.headers), "body": body, "body_as": shown_as}
    return LetterWhole(**whole, state=kept.state, recorded_at=kept.recorded_at)


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
