"""The watch over open runs (invariant I7): one that nobody moves is helped; if in vain, it is ended with its reason.

One process watches, by advisory lock. Should two do so for a moment, no harm is done: a message that is sent again has
its inbox row, and a run is ended under its stream's lock, once.

Why a stuck run is ended, in its person's language and for whoever operates the product."""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4, uuid5

from backbone.ledger.gauges import LedgerGauges
from backbone.ledger.port import Append, Fact, Ledger, LedgerUnavailable, RelayTail, RunPlace, Tail
from backbone.liveness.fold import RunState
from backbone.liveness.healing import WAITS, Step, Tried, again, step
from backbone.liveness.reading import Folded, open_places
from backbone.liveness.turns import EXECUTOR, Margins, Turn
from backbone.liveness.view import Liveness, State, liveness
from backbone.packs import Catalogue
from backbone.service import Background, Service
from backbone.telemetry import metrics
from contracts.cognitive import OutputFormat
from contracts.errors import Code, ErrorInfo
from contracts.response import ResponseOutput, RunFailed
from contracts.shape import JsonObject

log = logging.getLogger(__name__)

NAME = "liveness"
"""The leader's lock, and the consumer under which runs are parked."""
BEAT = 2.0
"""Seconds between signs of life of the leader: its connection is closed when it says nothing for ten."""
LONGEST_PAUSE = 30.0
STATES = (State.MOVING, State.WAITING, State.PAUSED, State.STUCK)


@dataclass(slots=True)
class Watch:
    """Looks at the open runs every few seconds."""

    ledger: Ledger
    catalogue: Catalogue
    seconds: float = 10.0
    margins: Margins = field(default_factory=Margins)
    waits: Sequence[float] = WAITS
    gauges: LedgerGauges | None = None
    """What else is read by whoever leads, for metrics."""
    _folded: Folded = field(init=False)
    _tried: dict[UUID, Tried] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._folded = Folded(self.ledger, self.margins)

    async def run(self) -> None:
        """Watches whenever it can lead, until cancelled."""
        pause = self.seconds
        while True:
            try:
                async with self.ledger.lead(NAME) as tail:
                    if tail is not None:
                        await self._lead(tail)
                pause = self.seconds
            except LedgerUnavailable as error:
                log.warning("the watch over runs waits: %s; again in %.1f s", error, pause)
            except Exception:  # a run that nobody foresaw must not end the watch over all the others
                log.exception("the watch over runs failed; again in %.1f s", pause)
                pause = min(pause * 2, LONGEST_PAUSE)
            finally:
                for state in STATES:
                    metrics.RUNS_OPEN.labels(state).set(0)  # whoever leads now tells them
                LedgerGauges.forget()
            await asyncio.sleep(pause)

    async def _lead(self, tail: RelayTail) -> None:
        # after a restart relays and timers have first to publish what came due meanwhile
        rest = min(self.margins.service, 3 * self.seconds)
        while True:
            for _ in range(max(1, round(rest / BEAT))):
                await asyncio.sleep(min(BEAT, rest))
                await tail.cursor()
                if self.gauges:
                    await self.gauges.look()
            await self.look(datetime.now(UTC))
            rest = self.seconds

    async def look(self, now: datetime) -> Counter[State]:
        """One look at every open run; returns how many are in which state."""
        counted: Counter[State] = Counter()
        young = now - timedelta(seconds=min(self.margins.service, self.margins.timer))
        open_: set[UUID] = set()
        async for page in open_places(self.ledger):
            old = [place for place in page if place.since <= young]
            counted[State.MOVING] += len(page) - len(old)  # nobody can be late yet
            open_.update(place.run_id for place in page)
            for place, run in zip(old, await self._folded.of(old), strict=True):
                counted[await self._see(place, run, now)] += 1
        self._folded.keep(open_)
        for run_id in [one for one in self._tried if one not in open_]:
            self._healed(run_id)
        for state in STATES:
            metrics.RUNS_OPEN.labels(state).set(counted[state])
        return counted

    async def _see(self, place: RunPlace, run: RunState, now: datetime) -> State:
        seen = liveness(place, run, now)
        turn = seen.next or nobody(seen)
        tried = self._tried.get(seen.run_id)
        if tried is not None and tried.turn.since != turn.since:
            self._healed(seen.run_id)
            tried = None
        if seen.state is not State.STUCK:
            return seen.state
        match step(turn, tried, now, self.waits):
            case Step.RESEND:
                await self._resend(seen, turn)
                self._tried[seen.run_id] = again(turn, tried, now, self.waits)
            case Step.PARK:
                await self._park(place, seen, turn)
            case Step.WAIT:
                pass
        return seen.state

    def _healed(self, run_id: UUID) -> None:
        del self._tried[run_id]
        metrics.RUNS_HEALED.labels("moved").inc()
        log.info("a stuck run moves again", extra={"run": str(run_id)})

    async def _resend(self, seen: Liveness, turn: Turn) -> None:
        """What the actor should have handled, once more: it may have been buried, or lost with the bus's store."""
        log.warning("a run is stuck", extra={"run": str(seen.run_id), "actor": turn.actor, "what": turn.what})
        if not turn.version:
            return  # nothing but time was waited for
        # each time a request of its own: what was lost once may be lost again
        if await self.ledger.ask_resend(uuid4(), seen.session_id, turn.version):
            metrics.RUNS_HEALED.labels("resent").inc()

    async def _park(self, place: RunPlace, seen: Liveness, turn: Turn) -> None:
        """Ends the run with its reason, if nothing has happened in its session since we looked."""
        cause = uuid5(seen.run_id, NAME)
        error = why(self.catalogue, seen, turn)
        told = ResponseOutput(format=OutputFormat.TEXT, text=error.message, language=seen.language or "en")
        events = (told, RunFailed(error=error))

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            if cause in handled or tails[seen.session_id].head != place.head:
                return ()
            facts = tuple(
                Fact(event, uuid5(cause, str(index)), seen.run_id, seen.run_id, None, seen.traceparent)
                for index, event in enumerate(events)
            )
            return (Append(seen.session_id, cause, facts),)

        after = {seen.session_id: place.head}
        if await self.ledger.decide("response", NAME, after, frozenset(), (cause,), decision):
            del self._tried[seen.run_id]
            metrics.RUNS_HEALED.labels("parked").inc()
            metrics.RUNS.labels("RunFailed").inc()
            log.error("a stuck run is parked", extra={"run": str(seen.run_id), "actor": turn.actor, "what": turn.what})


def watching(catalogue: Catalogue) -> Background:
    """The background of the service that ends runs."""

    async def watch(service: Service) -> None:
        shared = service.backbone
        watch = Watch(shared.ledger, catalogue, shared.settings.liveness_seconds)
        watch.gauges = LedgerGauges(shared.pool)
        await watch.run()

    return watch


def nobody(seen: Liveness) -> Turn:
    """A run without anybody whose turn it is."""
    return Turn("nobody", seen.last, seen.began, None, None)


def why(catalogue: Catalogue, seen: Liveness, turn: Turn) -> ErrorInfo:
    """RUN_STUCK: who should have acted, since when, and after which event."""
    detail: JsonObject = {
        "actor": turn.actor,
        "what": turn.what,
        "since": turn.since.isoformat(),
        "last_event": seen.last,
    }
    language = seen.language or "en"
    code = Code.RUN_STUCK
    if turn.actor.startswith(EXECUTOR):
        route = turn.actor.removeprefix(EXECUTOR)
        sentence = catalogue.say(language, f"error.{int(code)}.route", route=route)
        detail |= {"route": route, "setting": "DREAM_EXECUTORS"}
    else:
        sentence = catalogue.say(language, f"error.{int(code)}")
    return ErrorInfo(code=code, message=sentence, retryable=True, detail=detail)
