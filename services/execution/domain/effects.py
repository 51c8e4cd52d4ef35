"""Effects once (invariant I8): whether a call with effects outside was begun and nobody knows what it did."""

from collections.abc import Iterable

from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.errors import Code
from contracts.execution import TodoFailed, TodoStarted, TodoSucceeded
from contracts.shape import Event

EVENT_TYPES = frozenset({"TodoStarted", "TodoSucceeded", "TodoFailed", "DecisionRequested", "DecisionAnswered"})
DOUBTFUL = frozenset({Code.TOOL_OUTCOME_UNKNOWN, Code.LEASE_LOST, Code.INTERNAL})
"""An attempt that failed with one of these may have done what it was for. Every other failure is recorded only when the
tool itself has said so, or was asked and said that nothing had happened."""


def is_over(events: Iterable[Event], todo_id: str, attempt: int) -> bool:
    """Whether this attempt has its end in the ledger: then its dispatch has come again, and nothing is to be done.
    Attempts are counted through all rounds of a todo, so another round is another attempt."""
    ends = (event for event in events if isinstance(event, TodoSucceeded | TodoFailed))
    return any((end.todo_id, end.attempt) == (todo_id, attempt) for end in ends)


def in_doubt(events: Iterable[Event], todo_id: str) -> bool:
    """The start of such a call is recorded before it is made, so one that has no certain end may have happened: its
    executor died, or lost its lease. A person who was told and said "retry" has taken the doubt away."""
    begun: set[int] = set()
    asked: dict[object, int] = {}
    for event in events:
        match event:
            case TodoStarted() if event.todo_id == todo_id:
                begun.add(event.attempt)
            case TodoSucceeded() | TodoFailed() if event.todo_id == todo_id and _is_certain(event):
                begun.discard(event.attempt)
            case DecisionRequested(kind=DecisionKind.ERROR) if event.subject.get("todo_id") == todo_id:
                asked[event.decision_id] = int(str(event.subject.get("attempt", 0)))
            case DecisionAnswered() if event.answer.get("action") == "retry":
                begun = {one for one in begun if one > asked.get(event.decision_id, 0)}
            case _:
                pass
    return bool(begun)


def _is_certain(event: TodoSucceeded | TodoFailed) -> bool:
    return isinstance(event, TodoSucceeded) or event.error.code not in DOUBTFUL
