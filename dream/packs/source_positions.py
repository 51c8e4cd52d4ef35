"""Where in a YAML file something stands, for findings that name a line."""

from collections.abc import Sequence
from pathlib import Path

import yaml

from backbone.packs import PackInvalid

Place = Sequence[int | str]


def line_of(path: Path, place: Place) -> int:
    """The line of the key or entry at the place, or of the last one on the way that is there; 0 when unreadable."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, OSError, UnicodeDecodeError):
        return 0
    line = 0
    for part in place:
        found = _child(node, part)
        if found is None:
            break
        line, node = found
    return line


def _child(node: yaml.Node | None, part: int | str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        child = node.value[part]
        return child.start_mark.line + 1, child
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key.start_mark.line + 1, value
    return None


def fault_of(error: PackInvalid) -> tuple[int, str]:
    """The line and the fault of a file that is no YAML; line 0 where the parser names none."""
    why = error.__cause__
    if isinstance(why, yaml.MarkedYAMLError) and why.problem_mark is not None:
        context = f"{why.problem} ({why.context})" if why.context else str(why.problem)
        return why.problem_mark.line + 1, context
    return 0, str(why or error)
