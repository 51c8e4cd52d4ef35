"""ResultAggregator: what the todos made, in plan order; failures are kept and named."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.artifacts import FOR_PEOPLE, MADE, Attachment
from contracts.errors import Code
from contracts.execution import ExecutionOutput, ExecutionResult, TodoStatus
from contracts.planning import Plan, TodoItem, TodoRole
from contracts.shape import JsonObject


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Results of a run, ready to be told. `weak`: succeeded, but not as well as the plan asks."""

    sentences: tuple[str, ...]
    attachments: tuple[Attachment, ...]
    failed: tuple[tuple[TodoItem, ExecutionResult], ...]
    skipped: tuple[tuple[TodoItem, ExecutionResult], ...]
    data: JsonObject
    weak: tuple[tuple[TodoItem, ExecutionResult], ...] = ()
    from_before: int = 0
    """Steps that an earlier run had done already."""
    steps: int = 0


def aggregate(plan: Plan, execution: ExecutionOutput) -> Aggregate:
    """A tool that sums up (a report) speaks for those whose results it took."""
    todos = {todo.id: todo for todo in plan.todos}
    known = [(todos[result.todo_id], result) for result in execution.results if result.todo_id in todos]
    good = [(todo, result) for todo, result in known if result.status is TodoStatus.SUCCEEDED]
    told = _told(good)
    known = [(todo, result) for todo, result in known if todo.id not in told]
    return Aggregate(
        sentences=_sentences(good),
        attachments=_for_people(good),
        failed=tuple(pair for pair in known if pair[1].status is TodoStatus.FAILED),
        skipped=tuple(pair for pair in known if pair[1].status in (TodoStatus.SKIPPED, TodoStatus.CANCELLED)),
        data=_figures(good),
        weak=tuple(pair for pair in good if pair[1].error and pair[1].error.code == Code.QUALITY_NOT_REACHED),
        from_before=sum(result.from_before is not None for _, result in good),
        steps=len(execution.results),
    )


def _told(good: Sequence[tuple[TodoItem, ExecutionResult]]) -> set[str]:
    """Todos that a synthesis speaks for: it names what failed with its reason, which is not said twice."""
    return {one for todo, result in good if _speaks(todo, result) for one in todo.depends_on}


def _speaks(todo: TodoItem, result: ExecutionResult) -> bool:
    return todo.role is TodoRole.SYNTHESIS and bool(result.result.get("summary"))


def _figures(good: Sequence[tuple[TodoItem, ExecutionResult]]) -> JsonObject:
    """Results by the name of the tool; by the todo's id where another todo has taken that name."""
    figures: JsonObject = {}
    for todo, result in good:
        if result.result:
            name = todo.tool.split(".", 1)[1]
            figures[todo.id if name in figures else name] = result.result
    return figures


def _sentences(good: Sequence[tuple[TodoItem, ExecutionResult]]) -> tuple[str, ...]:
    told = _told(good)
    spoken: list[tuple[TodoItem, tuple[str, ...]]] = []
    for todo, result in good:
        summary = result.result.get("summary")
        if isinstance(summary, list) and summary:
            spoken.append((todo, tuple(str(sentence) for sentence in summary)))
    summed_up: set[str] = set(told)
    for todo, _ in spoken:
        if any(type_.startswith(MADE) for type_ in todo.produces):
            summed_up.update(todo.depends_on)
    chosen = [sentences for todo, sentences in spoken if todo.id not in summed_up]
    return tuple(dict.fromkeys(sentence for sentences in chosen for sentence in sentences))


def _for_people(good: Sequence[tuple[TodoItem, ExecutionResult]]) -> tuple[Attachment, ...]:
    """Documents first, then charts and the rest; the same file once."""
    found = {a.artifact_id: a for _, result in good for a in result.attachments if a.type.startswith(FOR_PEOPLE)}
    return tuple(sorted(found.values(), key=lambda attachment: not attachment.type.startswith(MADE)))
