"""MermaidRenderer: the plan as a picture."""

from collections.abc import Sequence

from contracts.planning import TodoItem

LIMIT = 60
"""Above so many todos a picture helps nobody; it says how many there are instead."""
SPECIAL = frozenset('#&"<>`\\;|[](){}')
"""What Mermaid or a browser could take for more than text; titles may come from people."""


def render(todos: Sequence[TodoItem]) -> str:
    """A Mermaid flowchart, left to right. The n-th todo is the node t<n>: an id may be a word of Mermaid's own."""
    if len(todos) > LIMIT:
        return f'flowchart LR\n  all["{len(todos)} todos"]'
    nodes = {todo.id: f"t{number}" for number, todo in enumerate(todos, 1)}
    lines = ["flowchart LR"]
    lines += [f'  {nodes[todo.id]}["{_label(todo.title)}"]' for todo in todos]
    lines += [f"  {nodes[before]} --> {nodes[todo.id]}" for todo in todos for before in dict.fromkeys(todo.depends_on)]
    return "\n".join(lines)


def _label(title: str) -> str:
    words = " ".join(title.split())
    return "".join(f"#{ord(letter)};" if letter in SPECIAL else letter for letter in words)
