"""The plan of a task that a person has confirmed word by word in a flow: one call, with exactly those arguments."""

from contracts.cognitive import FlowAdvanced, FlowApproval
from contracts.planning import TodoItem
from contracts.tools import ToolSpec
from services.planning.domain.todo_fields import todo_fields

TODO_ID = "t1"


def approval_in(event: FlowAdvanced) -> FlowApproval | None:
    """The approval to act on. A move with a message is an answer: nothing is done for it."""
    return event.approval if not event.message else None


def confirmed_todo(approval: FlowApproval, tool: ToolSpec, title: str) -> TodoItem:
    """The one todo. Whether tool and arguments fit is checked like in any plan."""
    return TodoItem(
        id=TODO_ID,
        title=title,
        params=approval.params,
        **todo_fields(tool),
    )
