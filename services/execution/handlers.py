"""The dispatcher: the decision handler that owes each run its next todos. Todos are run by `execute/executor.py`."""

from collections.abc import Callable

from backbone.ledger.port import Append
from backbone.runner.handlers import DecisionHandler, Takes
from contracts.envelope import Message
from contracts.shape import Event
from services.execution.domain.dispatch import Dispatcher
from services.execution.domain.fold import FOLDS, Rules
from services.execution.domain.run import Session


def dispatcher(
    rules: Rules, at_once: Callable[[Message, Event], Append | None] | None = None
) -> DecisionHandler[Session]:
    """The process manager of all runs; `at_once` does todos that need no executor to be told."""
    decider = Dispatcher(rules)
    return DecisionHandler(
        name="execution-dispatcher",
        producer="execution",
        takes=(
            Takes("planning", "PlanApproved"),
            Takes("execution", "TodoSucceeded"),
            Takes("execution", "TodoFailed"),
            Takes("execution", "TodoSkipped"),
            Takes("execution", "ToolBusy"),
            Takes("execution", "ToolLeased"),
            Takes("execution", "DecisionRequested"),
            Takes("gateway", "DecisionAnswered"),
            Takes("gateway", "RunControlRequested"),
            Takes("timers", "DecisionExpired"),
            Takes("timers", "TimerFired"),
        ),
        folds=FOLDS,
        initial=Session,
        evolve=decider.evolve,
        decide=decider.decide,
        is_settled=lambda session: not session.runs,
        at_once=at_once,
        settles=frozenset({"TodoSucceeded", "TodoFailed"}),
    )
