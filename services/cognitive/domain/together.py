"""What the end of the work makes of tasks that one word has confirmed together: each is told of, done or not."""

from collections.abc import Sequence
from typing import NamedTuple

from contracts.cognitive import FlowAdvanced, FlowStage
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionStatus, TodoStatus
from contracts.shape import JsonObject
from services.cognitive.domain.describing import joined, listed
from services.cognitive.domain.moves import FlowState, Moves, end, failed, told_first
from services.cognitive.domain.wording import sentence

BY_PERSON: JsonObject = {"control": "cancel"}
"""In the detail of an error: a person has ended the run."""


class _Done(NamedTuple):
    task: JsonObject
    result: JsonObject

    @property
    def later(self) -> bool:
        return self.result.get("booked") is True


def carried_out(at: FlowState, state: FlowAdvanced, output: ExecutionOutput) -> Moves:
    """A move for every task that was done, the last one with all that has to be told. What could not be done is asked
    about again, one by one; what nobody knows the outcome of is only told."""
    found = {one.todo_id: one for one in output.results}
    done: list[_Done] = []
    left: list[tuple[JsonObject, ErrorInfo]] = []
    untouched: list[JsonObject] = []
    for number, task in enumerate((state.slots, *state.queue), 1):
        one = found.get(f"t{number}")
        if one is not None and one.status is TodoStatus.SUCCEEDED:
            done.append(_Done(task, one.result))
        elif one is not None and one.error is not None and one.error.code is not Code.TOOL_CANCELLED:
            left.append((task, one.error))
        else:
            untouched.append(task)
    told = [*_told(at, state, done)]
    unknown = [task for task, error in left if error.code is Code.TOOL_OUTCOME_UNKNOWN]
    for task in unknown:
        shown = state.model_copy(update={"slots": task, "queue": ()})
        told.append(sentence(at.rules, shown, "failed_unknown"))
    again = [(task, error) for task, error in left if task not in unknown]
    if output.status is ExecutionStatus.CANCELLED:
        untouched, again = [*(task for task, _ in again), *untouched], []
    if untouched:
        told.append(at.phrase("flow.dropped", tasks=listed(at.rules, untouched, at.on)))
    moves = _executed(at, state, done)
    last = moves[-1] if moves else state
    if again:
        (task, error), *rest = again
        place = {"task_index": state.task_index + len(done), "queue": tuple(one for one, _ in rest)}
        open_ = last.model_copy(update={"slots": task, "approval": None, "also": (), **place})
        first, *more = failed(at, open_, error)
        told_of = (told_first(at, first, told), *more) if first.message else (first, *_told_last(at, more, told))
        return (*moves, *told_of)
    message = joined(at.rules, state.language, dict.fromkeys(told))
    if moves:
        over = last.model_copy(update={"message": message, "next_action": "DONE"})
        return (*moves[:-1], over)
    error = _why(at, state, output)
    ended = end(at, state.model_copy(update={"queue": ()}), FlowStage.CANCELLED, "cancelled", error=error)
    return (ended.model_copy(update={"message": message or ended.message}),)


def _told_last(at: FlowState, moves: Sequence[FlowAdvanced], told: Sequence[str]) -> Moves:
    *before, last = moves
    return (*before, told_first(at, last, told))


def _executed(at: FlowState, state: FlowAdvanced, done: Sequence[_Done]) -> list[FlowAdvanced]:
    moves: list[FlowAdvanced] = []
    for one in done:
        before = moves[-1] if moves else state
        counts = {"executed": before.executed + 1, "booked": before.booked + one.later}
        said = {"slots": one.task, "queue": (), "result": one.result}
        moves.append(at.onward(before, stage=FlowStage.EXECUTED, **said, **counts))
    return moves


def _told(at: FlowState, state: FlowAdvanced, done: Sequence[_Done]) -> list[str]:
    """Who got what; what is only booked is not called complete."""
    now = [one.task for one in done if not one.later]
    told = [
        sentence(at.rules, state.model_copy(update={"slots": one.task, "queue": ()}), "booked")
        for one in done
        if one.later
    ]
    if now:
        shown = state.model_copy(update={"slots": now[0], "queue": tuple(now[1:]), "executed": len(now)})
        told.insert(0, sentence(at.rules, shown, "executed_together" if len(now) > 1 else "executed"))
    return told


def _why(at: FlowState, state: FlowAdvanced, output: ExecutionOutput) -> ErrorInfo:
    if output.status is ExecutionStatus.CANCELLED:
        said = at.rules.phrase(state.language, "run.cancelled")
        return ErrorInfo(code=Code.TOOL_CANCELLED, message=said, detail=BY_PERSON)
    failed_ = next((one.error for one in output.results if one.error), output.error)
    said = at.rules.phrase(state.language, "answer.failed")
    return failed_ or ErrorInfo(code=Code.EXECUTION_FAILED, message=said)
