"""Rich pictures of a run: its layers, the proposed plan, the todos at work."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dream.client.run_progress import Line, RunProgress, Stage, Todo
from dream.texts import Texts

MARKS: Mapping[Stage, tuple[str, str]] = {
    Stage.WAITING: ("○", "dim"),
    Stage.RUNNING: ("●", "cyan"),
    Stage.DONE: ("✔", "green"),
    Stage.FAILED: ("✘", "red"),
    Stage.SKIPPED: ("–", "dim"),
    Stage.RETRYING: ("↻", "yellow"),
}


def plan_table(plan: Mapping[str, Any], texts: Texts) -> Table:
    """The todos of a plan: id, title with its tool and parameters below, what each waits for, how long it should take.
    As narrow as a terminal is: an id is typed to edit the plan, so it is never folded."""
    estimate = plan.get("estimate")
    table = Table(title=texts("plan.title"), title_justify="left", caption=_estimate(estimate, texts))
    table.add_column("", style="bold", no_wrap=True)
    table.add_column(texts("plan.todo"), overflow="fold")
    table.add_column(texts("plan.depends_on"), overflow="fold")
    table.add_column(texts("plan.estimate"), justify="right")
    for todo in plan["todos"]:
        waits_for = ", ".join(todo.get("depends_on") or ()) or "–"
        seconds = f"{todo['estimate_seconds']:.1f} s" if todo.get("estimate_seconds") else "–"
        title = escape(str(todo.get("title", "")))
        below = f"{todo.get('tool', '')} {parameters(todo.get('params') or {})}".strip()
        table.add_row(escape(str(todo["id"])), f"{title}\n[dim]{escape(below)}[/]", waits_for, seconds)
    return table


def parameters(params: Mapping[str, Any]) -> str:
    """name=value, those that say something."""
    return ", ".join(f"{name}={value}" for name, value in params.items() if value not in (None, "", [], {}))


def _estimate(estimate: Mapping[str, Any] | None, texts: Texts) -> str | None:
    if not estimate:
        return None
    path, total = estimate["critical_path_seconds"], estimate["total_seconds"]
    return texts("plan.total", path=f"{path:.0f}", total=f"{total:.0f}")


def progress(story: RunProgress, texts: Texts, height: int = 40) -> RenderableType:
    """The four layers in a row, and below them the todos; of very many, those that fit in `height` lines."""
    shown: list[RenderableType] = [layers_line(story, texts)]
    if story.todos and story.layers["execution"] is not Stage.WAITING:
        shown.append(_todos(story, texts, max(height - 4, 5)))
    return Group(*shown)


def layers_line(story: RunProgress, texts: Texts) -> Text:
    """✔ Understanding   ● Planning   ○ Execution   ○ Response"""
    line = Text()
    for name, stage in story.layers.items():
        mark, style = MARKS[stage]
        line.append(f"{mark} {texts(f'layer.{name}')}   ", style)
    if story.paused:
        line.append(f"‖ {texts('run.paused')}", "yellow")
    return line


def note(todo: Todo, texts: Texts) -> str:
    """What there is to say about a todo: its place in a line, its round, its own words."""
    parts = [
        texts("todo.in_line", place=todo.place) if todo.place else "",
        texts("todo.round", round=todo.round) if todo.round > 1 else "",
        texts(f"todo.skipped.{todo.note}") if todo.stage is Stage.SKIPPED else todo.note,
    ]
    return ", ".join(part for part in parts if part)


def _todos(story: RunProgress, texts: Texts, room: int) -> RenderableType:
    todos = list(story.todos.values())
    if len(todos) > room:
        # what moves first: running, failed, waiting, and only then what is over
        order: Sequence[Stage] = (Stage.RUNNING, Stage.RETRYING, Stage.FAILED, Stage.WAITING, Stage.DONE, Stage.SKIPPED)
        todos = sorted(todos, key=lambda todo: order.index(todo.stage))[:room]
    shown = _rows(todos, texts, room - len(todos))
    if len(todos) < len(story.todos):
        done = sum(todo.stage is Stage.DONE for todo in story.todos.values())
        shown.append(Text(texts("todo.more", shown=len(todos), total=len(story.todos), done=done), "dim"))
    return Group(*shown)


def _rows(todos: Sequence[Todo], texts: Texts, spare: int) -> list[RenderableType]:
    """The todos in columns; what those at work have written below each, as long as there are lines to `spare`."""
    titles = {todo.item["id"]: Text(str(todo.item.get("title", ""))) for todo in todos}
    width = max((title.cell_len for title in titles.values()), default=0)
    shown: list[RenderableType] = []
    grid = _columns(width)
    for todo in todos:
        mark, style = MARKS[todo.stage]
        working = todo.stage is Stage.RUNNING
        bar = ProgressBar(total=1.0, completed=todo.fraction, width=20) if working else Text("")
        grid.add_row(Text(mark, style), titles[todo.item["id"]], bar, Text(note(todo, texts), "dim"))
        lines = todo.lines[-spare:] if working and spare > 0 else ()
        if lines:
            spare -= len(lines)
            below = [Text(f"  │ {_said(line, texts)}", "dim", no_wrap=True, overflow="ellipsis") for line in lines]
            shown += [grid, *below]
            grid = _columns(width)
    return [*shown, grid]


def _columns(width: int) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column()
    grid.add_column(min_width=width)
    return grid


def _said(line: Line, texts: Texts) -> str:
    return texts("todo.left_out", count=line.left_out) if line.left_out else line.text


def written(before: RunProgress, after: RunProgress, texts: Texts) -> list[str]:
    """What a tool has just written, below the name of its todo."""
    return [
        f"    {todo.item.get('title', key)} │ {_said(todo.lines[-1], texts)}"
        for key, todo in after.todos.items()
        if todo.lines and (key not in before.todos or todo.lines is not before.todos[key].lines)
    ]


def changes(before: RunProgress, after: RunProgress, texts: Texts) -> list[str]:
    """What a frame changed, as plain lines for logs and pipes."""
    lines = [
        f"{MARKS[stage][0]} {texts(f'layer.{name}')}"
        for name, stage in after.layers.items()
        if stage is not before.layers[name] and stage in (Stage.RUNNING, Stage.FAILED)
    ]
    if after.paused is not before.paused and not after.over:
        lines.append(
            f"‖ {texts('run.paused')}" if after.paused else f"{MARKS[Stage.RUNNING][0]} {texts('run.resumed')}"
        )
    for key, todo in after.todos.items():
        was = before.todos.get(key)
        if was and _moved(was, todo):
            lines.append(f"  {MARKS[todo.stage][0]} {todo.item.get('title', key)}  {note(todo, texts)}".rstrip())
    return lines


def _moved(was: Todo, now: Todo) -> bool:
    """Whether there is news of a todo worth a line: an end, a place in line, another round."""
    if now.stage is not was.stage and now.stage is not Stage.RUNNING:
        return True
    return now.place not in (0, was.place) or now.round > was.round
