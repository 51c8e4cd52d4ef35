"""The plan of what a person has confirmed word by word in a flow: a call for each task, with exactly its arguments."""

from contracts.cognitive import FlowAdvanced, FlowApproval
from contracts.planning import TodoItem
from contracts.tools import ToolSpec
from services.planning.domain.todo_fields import todo_fields


def approvals_in(event: FlowAdvanced) -> tuple[FlowApproval, ...]:
    """The approvals to act on. A move with a message is an answer: nothing is done for it."""
    return (event.approval, *event.also) if event.approval is not None and not event.message else ()


def confirmed_todo(number: int, approval: FlowApproval, tool: ToolSpec, title: str) -> TodoItem:
    """The todo of an approval, the first being number 1. Whether tool and arguments fit is checked like in any plan."""
    return TodoItem(
        id=f"t{number}",
        title=title,
        params=approval.params,
        **todo_fields(tool),
    )
