"""The dispatcher: the decision handler that owes each run its next todos. Todos are run by `execute/executor.py`."""

from backbone.runner.handlers import DecisionHandler, Takes
from services.execution.domain.dispatch import Dispatcher
from services.execution.domain.fold import FOLDS, Rules
from services.execution.domain.run import Session


def dispatcher(rules: Rules) -> DecisionHandler[Session]:
    """The process manager of all runs."""
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
    )
