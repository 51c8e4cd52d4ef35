"""MermaidRenderer: the plan as a picture."""

from collections.abc import Sequence

from contracts.planning import TodoItem

LIMIT = 60
"""Above so many todos a picture helps nobody; it says how many there are instead."""


def render(todos: Sequence[TodoItem]) -> str:
    """A Mermaid flowchart, left to right."""
    if len(todos) > LIMIT:
        return f'flowchart LR\n  all["{len(todos)} todos"]'
    lines = ["flowchart LR"]
    lines += [f'  {_node(todo.id)}["{_label(todo.title)}"]' for todo in todos]
    lines += [f"  {_node(before)} --> {_node(todo.id)}" for todo in todos for before in todo.depends_on]
    return "\n".join(lines)


def _node(todo_id: str) -> str:
    # `end` and a leading digit are words of Mermaid's own
    return "n_" + todo_id.replace("-", "_")


def _label(title: str) -> str:
    return title.replace('"', "#quot;").replace("\n", " ")
