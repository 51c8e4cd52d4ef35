"""What the frames of one run tell: a pure fold, from which the screen, the plain lines and --json are made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from contracts.errors import Code

Frame = Mapping[str, Any]
Data = Mapping[str, Any]

LINES = 3
"""Lines of a todo that are kept: no more are on the screen at once."""
LAYERS = ("cognitive", "planning", "execution", "response")


class Stage(StrEnum):
    """Where a layer or a todo stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    RETRYING = "retrying"


@dataclass(frozen=True, slots=True)
class Line:
    """What a tool wrote; or how many lines were left out, because they came too fast."""

    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Todo:
    """A todo on the screen; `item` is the TodoItem as the plan has it."""

    item: Mapping[str, Any]
    stage: Stage = Stage.WAITING
    fraction: float = 0.0
    note: str = ""
    round: int = 1
    place: int = 0
    """In the line for its tool, from 1; 0 = it does not wait."""
    lines: tuple[Line, ...] = ()
    """The last it wrote, for those who asked for them."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run so far. `status` is that of the protocol's run result, `running` until it is over."""

    layers: Mapping[str, Stage] = field(default_factory=lambda: dict.fromkeys(LAYERS, Stage.WAITING))
    plan: Mapping[str, Any] | None = None
    todos: Mapping[str, Todo] = field(default_factory=dict)
    questions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    response: Mapping[str, Any] | None = None
    status: str = "running"
    error: Mapping[str, Any] | None = None
    paused: bool = False
    cannot: tuple[str, ...] = ()
    """Of a plan that nobody is asked about: sentences about what was said and cannot be done."""

    @property
    def over(self) -> bool:
        return self.status != "running"


def advance(story: RunProgress, frame: Frame) -> RunProgress:
    """The story after one more frame. Frames it knows nothing of change nothing: the server may be newer."""
    data = frame.get("data") or {}
    if frame.get("type") == "log":
        return _written(story, frame)
    if frame.get("type") == "layer_start":
        story = replace(story, layers=_layers(story.layers, str(frame.get("layer"))))
    event = str(frame.get("event"))
    if event.startswith("Todo"):
        return _todo(story, event, data)
    if event in ("ToolBusy", "ToolLeased"):
        return _lined(story, str(data["todo_id"]), int(data.get("position", 0)))
    change = _CHANGES.get(event)
    return change(story, data) if change else story


def _layers(layers: Mapping[str, Stage], starting: str) -> Mapping[str, Stage]:
    """`starting` runs; those before it are done, or were passed over."""
    if starting not in layers:
        return layers
    changed = dict(layers)
    for name in LAYERS[: LAYERS.index(starting)]:
        changed[name] = Stage.SKIPPED if layers[name] is Stage.WAITING else Stage.DONE
    return {**changed, starting: Stage.RUNNING}


def _ended(layers: Mapping[str, Stage], stage: Stage) -> Mapping[str, Stage]:
    return {name: stage if now is Stage.RUNNING else now for name, now in layers.items()}


def _planned(story: RunProgress, data: Data) -> RunProgress:
    # edited while it runs, a plan keeps what has been begun
    known = story.todos
    todos = {
        item["id"]: replace(known[item["id"]], item=item) if item["id"] in known else Todo(item)
        for item in data["plan"]["todos"]
    }
    # a plan that is asked about says so in its question
    cannot = () if data.get("requires_approval", True) else tuple(data.get("cannot") or ())
    return replace(story, plan=data["plan"], todos=todos, cannot=cannot)


def _controlled(story: RunProgress, data: Data) -> RunProgress:
    return replace(story, paused=data["control"] in ("pause", "interrupt"))


def _lined(story: RunProgress, todo_id: str, place: int) -> RunProgress:
    todo = story.todos.get(todo_id)
    if todo is None:
        return story
    return replace(story, todos={**story.todos, todo_id: replace(todo, place=place)})


def _written(story: RunProgress, frame: Frame) -> RunProgress:
    todo = story.todos.get(str(frame.get("todo_id")))
    if todo is None:
        return story
    line = Line(str(frame.get("line", "")), int(frame.get("left_out", 0)))
    lines = (*todo.lines, line)[-LINES:]
    return replace(story, todos={**story.todos, str(frame["todo_id"]): replace(todo, lines=lines)})


def _asked(story: RunProgress, data: Data) -> RunProgress:
    return replace(story, questions={**story.questions, data["decision_id"]: data})


def _settled(story: RunProgress, data: Data) -> RunProgress:
    left = {key: question for key, question in story.questions.items() if key != data["decision_id"]}
    return replace(story, questions=left)


def _responded(story: RunProgress, data: Data) -> RunProgress:
    return replace(story, response=data, layers=_layers(story.layers, "response"))


def _completed(story: RunProgress, data: Data) -> RunProgress:
    status = "partial" if data.get("partial") else "completed"
    return replace(story, status=status, paused=False, questions={}, layers=_ended(story.layers, Stage.DONE))


def _failed(story: RunProgress, data: Data) -> RunProgress:
    layers = _ended(story.layers, Stage.FAILED)
    return replace(story, status="failed", error=data["error"], paused=False, questions={}, layers=layers)


def _cancelled(story: RunProgress, data: Data) -> RunProgress:
    reason = str(data["reason"])
    status = "cancelled" if reason == "requested" else reason
    # as the protocol's run result: only an expired decision is an error
    error = {"code": int(Code.DECISION_EXPIRED), "message": data.get("message", "")} if reason == "expired" else None
    layers = _ended(story.layers, Stage.FAILED)
    return replace(story, status=status, error=error, paused=False, questions={}, layers=layers)


_CHANGES: Mapping[str, Callable[[RunProgress, Data], RunProgress]] = {
    "PlanningOutput": _planned,
    "RunControlRequested": _controlled,
    "DecisionRequested": _asked,
    "DecisionAnswered": _settled,
    "DecisionExpired": _settled,
    "ResponseOutput": _responded,
    "RunCompleted": _completed,
    "RunFailed": _failed,
    "RunCancelled": _cancelled,
}


def _todo(story: RunProgress, event: str, data: Mapping[str, Any]) -> RunProgress:
    todo_id = data["todo"]["id"] if event == "TodoDispatched" else data["todo_id"]
    todo = story.todos.get(todo_id)
    if todo is None or data.get("late"):
        return story
    match event:
        case "TodoDispatched":
            changed = replace(todo, stage=Stage.RUNNING, round=data.get("round", 1), place=0, note="")
        case "TodoStarted":
            changed = replace(todo, stage=Stage.RUNNING, place=0)
        case "TodoProgressed":
            changed = replace(todo, stage=Stage.RUNNING, fraction=data["fraction"], note=data.get("message", ""))
        case "TodoSucceeded":
            changed = replace(todo, stage=Stage.DONE, fraction=1.0, note=f"{data['seconds']:.1f} s")
        case "TodoFailed" if (data["error"].get("detail") or {}).get("control") == "interrupt":
            changed = replace(todo, stage=Stage.WAITING, fraction=0.0, note="")  # it is done again
        case "TodoFailed":
            stage = Stage.RETRYING if data.get("will_retry_at") else Stage.FAILED
            changed = replace(todo, stage=stage, note=data["error"]["message"])
        case "TodoSkipped":
            changed = replace(todo, stage=Stage.SKIPPED, note=data["reason"])
        case _:
            return story
    return replace(story, todos={**story.todos, todo_id: changed})
