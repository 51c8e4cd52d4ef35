"""What follows from a message in one transaction: the decision about it, what is done at once of what was decided, and
the decisions about that in turn (docs/adr/0071)."""

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from backbone.ledger.port import Append, Fact, Timer
from backbone.runner.handlers import DecisionHandler, Recorded, append_of
from contracts import subjects
from contracts.envelope import Message
from contracts.shape import Event

AT_ONCE_SECONDS = 0.1
"""Processor time that one transaction may spend on things at once: its streams are locked meanwhile. What is left goes
by the bus, which is more work: on a machine that others use, time that passes would make it busier still."""


def decided(handler: DecisionHandler[Any], state: Any, message: Message, event: Event) -> Append:
    """What the handler decides about one message."""
    recorded = Recorded(event, message.event_id, message.run_id, message.recorded_at)
    return append_of(message, handler.name, handler.decide(state, recorded))


@dataclass(slots=True)
class Consequences:
    """Those of one message, in a state that moves on with them. `at`: when they will say that they were recorded;
    `until`: the processor time of this thread after which nothing is done at once."""

    handler: DecisionHandler[Any]
    state: Any
    at: datetime
    until: float
    _facts: list[Fact] = field(default_factory=list)
    _timers: dict[UUID, Timer] = field(default_factory=dict)
    _cancelled: dict[UUID, None] = field(default_factory=dict)
    _certain_until: float = 0.0
    """By the clock that all share, which costs a tenth of the processor's and is never behind it."""

    def of(self, message: Message, event: Event) -> Append:
        """Everything that is to be recorded of the message. The facts have the ids and causes that they would have had
        if each had come over the bus. What follows from answers follows from the state that they lead to: it is decided
        once, about the last of them."""
        first = decided(self.handler, self.state, message, event)
        if self.handler.at_once is None or not first.facts:
            self._fold(first.facts)
            return first
        self._go_on(message, self._take(message, first))
        return self._whole(first)

    def after(self, message: Message, answer: Append) -> Append:
        """An answer to a message, and what is decided about it. Nobody else takes such facts: they are settled."""
        own = [fact for fact in answer.facts if type(fact.event).__name__ in self.handler.settles]
        self._take(message, answer, settled=own)
        for fact in own:
            follows = decided(self.handler, self.state, self._message(message, fact), fact.event)
            self._go_on(message, self._take(message, follows))
        return self._whole(answer)

    def _go_on(self, message: Message, answers: list[Append]) -> None:
        """Decides about answers until nothing more is done at once."""
        while answers:
            for answer in answers:
                self._take(message, answer, settled=answer.facts)
            last = answers[-1].facts[-1]
            answers = self._take(message, decided(self.handler, self.state, self._message(message, last), last.event))

    def _whole(self, first: Append) -> Append:
        return first._replace(
            facts=tuple(self._facts),
            timers=tuple(self._timers.values()),
            cancel_timers=tuple(self._cancelled),
        )

    def _take(self, cause: Message, append: Append, *, settled: Collection[Fact] = ()) -> list[Append]:
        """Adds what is to be recorded; returns what was done at once of it."""
        answers = []
        for fact in append.facts:
            is_settled = fact in settled
            if not is_settled and (answer := self._done(cause, fact)) is not None:
                answers.append(answer)
                is_settled = True
            self._facts.append(fact._replace(route=_settled(fact.route)) if is_settled else fact)
        self._fold(append.facts)
        for timer_id in append.cancel_timers:
            # who appends cancels first and sets then: what was set here before must go by itself
            self._timers.pop(timer_id, None)
            self._cancelled[timer_id] = None
        self._timers.update((timer.timer_id, timer) for timer in append.timers)
        return answers

    def _done(self, cause: Message, fact: Fact) -> Append | None:
        if self.handler.at_once is None or self._is_over():
            return None
        return self.handler.at_once(self._message(cause, fact), fact.event)

    def _is_over(self) -> bool:
        now = time.perf_counter()
        if now < self._certain_until:
            return False
        left = self.until - time.thread_time()
        self._certain_until = now + left
        return left < 0

    def _fold(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            if type(fact.event).__name__ in self.handler.folds:
                recorded = Recorded(fact.event, fact.event_id, fact.run_id, self.at)
                self.state = self.handler.evolve(self.state, recorded)

    def _message(self, cause: Message, fact: Fact) -> Message:
        """The fact as it would be delivered, but for its place and its bytes, which it does not have yet."""
        return Message(
            fact.event_id, cause.session_id, cause.version, type(fact.event).__name__, fact.event.schema_version,
            self.handler.producer, fact.run_id, fact.correlation_id, fact.causation_id, fact.traceparent, self.at, b"",
            fact.route,
        )  # fmt: skip


def _settled(route: str) -> str:
    return f"{route}.{subjects.SETTLED}" if route else subjects.SETTLED
