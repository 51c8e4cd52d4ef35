"""Runs under the dispatcher's hand, and what it did about them."""

from contracts.artifacts import Attachment
from contracts.execution import TodoDispatched, TodoSkipped
from contracts.planning import TodoItem
from tests.unit.services.execution.dispatching import DISPATCHER
from tests.unit.services.given import Given, Happened, given
from tests.unit.services.plans import SAID, approved, planned


def running(*todos: TodoItem, attachments: tuple[Attachment, ...] = ()) -> Given:
    """A run whose plan has been approved and whose first todos are dispatched."""
    story = given(DISPATCHER, SAID, planned(*todos, attachments=attachments))
    story.when(approved())
    return story


def dispatched(happened: Happened) -> list[tuple[str, int]]:
    return [(event.todo.id, event.attempt) for event in happened.events if isinstance(event, TodoDispatched)]


def skipped(happened: Happened) -> list[tuple[str, str]]:
    return [(event.todo_id, event.cause) for event in happened.events if isinstance(event, TodoSkipped)]
