"""What frames tell about a run."""

import io
from functools import reduce
from typing import Any

import pytest
from rich.console import Console

from dream.client.run_progress import RunProgress, Stage, advance
from dream.client.tables import changes, layers_line, note, progress, written
from dream.client.view import Lines
from dream.texts import Texts
from tests.unit.dream.scripts import (
    APPROVED,
    DECISION,
    PLANNED,
    TODOS,
    UNDERSTOOD,
    Step,
    approved_run,
    asked,
    responded,
    succeeded,
)

LAYERS = {
    "MessageReceived": "cognitive",
    "CognitiveOutput": "planning",
    "PlanApproved": "execution",
    "ExecutionOutput": "response",
}


def frame(step: Step) -> dict[str, Any]:
    event, data = step
    return {
        "type": "layer_start" if event in LAYERS else "event",
        "event": event,
        "layer": LAYERS.get(event),
        "data": data,
    }


def told(*steps: Step) -> RunProgress:
    return reduce(advance, map(frame, steps), RunProgress())


def stages(story: RunProgress) -> str:
    return " ".join(story.layers.values())


def test_at_first_everything_waits() -> None:
    assert stages(RunProgress()) == "waiting waiting waiting waiting"
    assert not RunProgress().over


def test_layers_follow_each_other() -> None:
    assert stages(told(("MessageReceived", {"text": "x"}))) == "running waiting waiting waiting"
    assert stages(told(UNDERSTOOD, PLANNED)) == "done running waiting waiting".replace("done", "skipped")
    assert stages(told(("MessageReceived", {}), UNDERSTOOD, APPROVED)) == "done done running waiting"


def test_an_answer_at_once_passes_planning_and_execution_over() -> None:
    story = told(("MessageReceived", {}), responded(), ("RunCompleted", {}))
    assert stages(story) == "done skipped skipped done"


def test_a_plan_edited_while_it_runs_keeps_what_has_begun_and_loses_what_was_removed() -> None:
    edited = ("PlanningOutput", {"plan": {**PLANNED[1]["plan"], "version": 2, "todos": TODOS[:2]}, "language": "en"})
    story = told(PLANNED, APPROVED, succeeded("t1"), edited)
    assert [(key, todo.stage) for key, todo in story.todos.items()] == [("t1", Stage.DONE), ("t2", Stage.WAITING)]


def control(name: str) -> Step:
    return "RunControlRequested", {"control": name}


@pytest.mark.parametrize("asked_about", [True, False])
def test_what_a_plan_cannot_do_is_told_below_it_where_no_question_tells_it(asked_about: bool) -> None:
    sentence = "No reviews were written from July to September."
    planned = {**PLANNED[1], "requires_approval": asked_about, "cannot": [sentence]}
    story = told(UNDERSTOOD, ("PlanningOutput", planned))
    shown = io.StringIO()
    Lines(Console(file=shown, width=100), Texts("en")).show(told(UNDERSTOOD), story)
    assert (sentence in shown.getvalue()) is not asked_about


@pytest.mark.parametrize(
    ("controls", "paused"),
    [(["pause"], True), (["interrupt"], True), (["pause", "resume"], False), (["pause", "cancel"], False)],
)
def test_a_run_is_paused_until_it_goes_on(controls: list[str], paused: bool) -> None:
    assert told(PLANNED, APPROVED, *map(control, controls)).paused is paused


def test_a_run_that_is_over_is_not_paused() -> None:
    assert not told(PLANNED, control("pause"), ("RunCancelled", {"reason": "requested"})).paused


def test_a_todo_in_line_for_its_tool_and_in_a_later_round_says_so() -> None:
    busy = ("ToolBusy", {"todo_id": "t1", "tool": "x.y", "group_key": "g", "position": 2})
    again = ("TodoDispatched", {"plan_id": PLANNED[1]["plan"]["plan_id"], "todo": TODOS[0], "attempt": 1, "round": 3})
    waiting = told(PLANNED, APPROVED, busy)
    assert note(waiting.todos["t1"], Texts("en")) == "waiting in line, place 2"
    assert note(told(PLANNED, APPROVED, busy, again).todos["t1"], Texts("en")) == "round 3"
    assert changes(told(PLANNED, APPROVED), waiting, Texts("en")) == ["  ○ Read reviews  waiting in line, place 2"]


def test_an_interrupted_todo_waits_to_be_done_again() -> None:
    error = {"code": 6007, "message": "stopped", "detail": {"control": "interrupt"}}
    story = told(PLANNED, APPROVED, ("TodoFailed", {"todo_id": "t1", "attempt": 1, "error": error}))
    assert story.todos["t1"].stage is Stage.WAITING


def test_pausing_and_resuming_are_lines() -> None:
    going, paused = told(PLANNED, APPROVED), told(PLANNED, APPROVED, control("pause"))
    assert changes(going, paused, Texts("en")) == ["‖ paused"]
    assert changes(paused, going, Texts("en")) == ["● resumed"]
    assert "paused" in layers_line(paused, Texts("en")).plain


def test_a_todo_goes_from_waiting_to_done() -> None:
    progress = ("TodoProgressed", {"todo_id": "t1", "attempt": 1, "fraction": 0.5, "message": "half"})
    assert told(PLANNED, progress).todos["t1"].fraction == 0.5
    assert told(PLANNED, progress, succeeded("t1")).todos["t1"].stage is Stage.DONE


def test_a_failed_attempt_that_is_tried_again_is_no_failure() -> None:
    failed = {"todo_id": "t1", "attempt": 1, "error": {"code": 6000, "message": "no"}}
    again = ("TodoFailed", {**failed, "will_retry_at": "2026-01-01T00:00:01Z"})
    assert told(PLANNED, again).todos["t1"].stage is Stage.RETRYING
    assert told(PLANNED, ("TodoFailed", failed)).todos["t1"].stage is Stage.FAILED


def test_what_comes_late_changes_nothing() -> None:
    event, data = succeeded("t1")
    assert told(PLANNED, (event, {**data, "late": True})).todos["t1"].stage is Stage.WAITING


def test_a_question_is_open_until_it_is_settled() -> None:
    assert list(told(asked()).questions) == [DECISION]
    for end in ("DecisionAnswered", "DecisionExpired"):
        assert not told(asked(), (end, {"decision_id": DECISION, "kind": "plan"})).questions


@pytest.mark.parametrize(
    ("event", "data", "status"),
    [
        ("RunCompleted", {}, "completed"),
        ("RunCompleted", {"partial": True}, "partial"),
        ("RunFailed", {"error": {"code": 6102, "message": "no text"}}, "failed"),
        ("RunCancelled", {"reason": "rejected"}, "rejected"),
        ("RunCancelled", {"reason": "expired"}, "expired"),
        ("RunCancelled", {"reason": "requested"}, "cancelled"),
    ],
)
def test_a_run_ends_in_one_of_six_ways(event: str, data: dict[str, Any], status: str) -> None:
    story = told(asked(), (event, data))
    assert story.status == status
    assert story.over
    assert not story.questions


def test_frames_of_a_newer_server_change_nothing() -> None:
    story = told(*approved_run())
    assert advance(story, frame(("SomethingNew", {"a": 1}))) == story
    assert advance(story, frame(("TodoBlessed", {"todo_id": "t1"}))) == story
    assert advance(story, {"type": "layer_start", "event": "X", "layer": "fifth"}) == story


def wrote(todo: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "log", "run_id": "r", "todo_id": todo, "line": text, **more}


def test_the_last_lines_of_a_tool_are_shown_below_its_todo_while_it_works() -> None:
    dispatched = ("TodoDispatched", {"plan_id": PLANNED[1]["plan"]["plan_id"], "todo": TODOS[0], "attempt": 1})
    lines = [*(wrote("t1", f"line {number}") for number in range(4)), wrote("t1", "", left_out=120), wrote("t9", "x")]
    story = reduce(advance, lines, told(PLANNED, APPROVED, dispatched))
    assert screen(story)[1:6] == ["● Read reviews", "  │ line 2", "  │ line 3", "  │ … 120 lines left out", "○ Judge"]
    assert "│" not in "".join(screen(advance(story, frame(succeeded("t1")))))
    assert screen(story, height=7)[1:4] == ["● Read reviews", "  │ line 3", "  │ … 120 lines left out"]  # what fits


def screen(story: RunProgress, height: int = 40) -> list[str]:
    console = Console(width=100, file=io.StringIO(), record=True)
    console.print(progress(story, Texts("en"), height))
    return [line.replace("━", "").rstrip() for line in console.export_text().splitlines()]


def test_each_line_is_told_once_with_the_name_of_its_todo() -> None:
    before = told(PLANNED, APPROVED)
    after = advance(before, wrote("t1", "2400 rows"))
    assert written(before, after, Texts("en")) == ["    Read reviews │ 2400 rows"]
    assert written(after, advance(after, frame(succeeded("t1"))), Texts("en")) == []
    assert written(after, advance(after, wrote("t1", "2400 rows")), Texts("ko")) == ["    Read reviews │ 2400 rows"]


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
@pytest.mark.parametrize("reason", ["dependency_failed", "policy", "person", "cancelled"])
def test_why_a_step_was_left_out_is_said_in_words(language: str, reason: str) -> None:
    left = ("TodoSkipped", {"todo_id": "t1", "reason": reason})
    said = note(told(PLANNED, APPROVED, left).todos["t1"], Texts(language))
    assert said
    assert reason not in said
