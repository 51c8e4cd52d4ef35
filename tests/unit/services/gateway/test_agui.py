"""A session's events in the words of AG-UI."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

import pytest
from ag_ui.core import BaseEvent

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput, Intent, Route
from contracts.decisions import DecisionAnswered, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, TodoDispatched, TodoFailed, TodoProgressed, TodoSkipped, TodoSucceeded
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.planning import Plan, PlanApproved, PlanningOutput, TodoItem
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from services.gateway.domain.agui import RESULT_LIMIT, AguiStream
from services.gateway.domain.agui_conversation import with_files
from tests.unit.services.gateway.facts import AT as NOW

RUN, OTHER, PLAN, ASKED = UUID(int=7), UUID(int=8), UUID(int=9), UUID(int=10)
UNDERSTOOD = CognitiveOutput(text="", language="ko", intent=Intent(domain="ANALYSIS", confidence=0.9), route=Route.PLAN)
ANSWER = ResponseOutput(format="text", text="다 했어요.", language="ko")
CHART = Attachment(artifact_id="a" * 64, name="별점 [1].png", media_type="image/png", size=3, type="chart.bar")
REPORT = Attachment(artifact_id="b" * 64, name="report.pdf", media_type="application/pdf", size=3, type="report.pdf")


def stream(*runs: UUID, known: Collection[str] = ()) -> AguiStream:
    return AguiStream(runs or (RUN,), link, known)


def link(file: Attachment) -> str:
    return f"https://here/{file.artifact_id[:2]}"


def told(seen: list[BaseEvent]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json", by_alias=True) for one in seen]


def tell(stream_: AguiStream, *events: Event, run: UUID = RUN, shown: bool = True) -> list[dict[str, Any]]:
    return told([one for event in events for one in stream_.tell(event, run, shown=shown)])


def kinds(seen: list[dict[str, Any]]) -> list[str]:
    return [str(one["type"]) for one in seen]


def planned(*names: str) -> PlanningOutput:
    todos = tuple(TodoItem(id=name, title=name.upper(), tool=f"stage.{name}", executor="data") for name in names)
    estimate = {"total_seconds": 1, "critical_path_seconds": 1}
    return PlanningOutput(plan=Plan(plan_id=PLAN, todos=todos, estimate=estimate), language="ko")


def approved() -> PlanApproved:
    return PlanApproved(plan_id=PLAN, plan_version=1, plan_hash="0" * 64, approved_by="person")


def dispatched(name: str, attempt: int = 1) -> TodoDispatched:
    todo = TodoItem(id=name, title=name.upper(), tool=f"stage.{name}", executor="data", params={"n": 1})
    return TodoDispatched(plan_id=PLAN, todo=todo, attempt=attempt, language="ko", requested_at=NOW)


def succeeded(name: str, **result: Any) -> TodoSucceeded:
    return TodoSucceeded(todo_id=name, attempt=1, result=result, started_at=NOW, seconds=0.1)


def question() -> DecisionRequested:
    return DecisionRequested(
        decision_id=ASKED, kind="plan", question="할까요?", language="ko", answer_schema={}, deadline=NOW
    )


def ended(status: str = "succeeded") -> ExecutionOutput:
    return ExecutionOutput(plan_id=PLAN, plan_version=1, status=status, results=())


def test_the_steps_are_the_four_layers_and_each_that_begins_ends() -> None:
    run = stream()
    seen = tell(
        run, MessageReceived(text="해줘"), UNDERSTOOD, planned("a"), approved(), ended(), ANSWER, RunCompleted()
    )
    seen += told(run.close())
    steps = [(one["type"], one["stepName"]) for one in seen if one["type"].startswith("STEP")]
    layers = ("cognitive", "planning", "execution", "response")
    assert steps == [(kind, layer) for layer in layers for kind in ("STEP_STARTED", "STEP_FINISHED")]


def test_a_plan_is_an_activity_that_changes_as_its_todos_do() -> None:
    run = stream()
    (snapshot,) = tell(run, planned("a", "b"))
    assert (snapshot["messageId"], snapshot["activityType"]) == (f"plan:{RUN}", "dream.plan")
    assert [todo["status"] for todo in snapshot["content"]["todos"]] == ["planned", "planned"]
    progress = TodoProgressed(todo_id="b", attempt=1, fraction=0.5, message="반쯤")
    skipped = TodoSkipped(todo_id="a", reason="person")
    seen = tell(run, dispatched("b"), progress, succeeded("b"), skipped)
    patches = [change for one in seen if one["type"] == "ACTIVITY_DELTA" for change in one["patch"]]
    assert [(change["path"], change["value"]) for change in patches] == [
        ("/todos/1/status", "running"), ("/todos/1/fraction", 0.5), ("/todos/1/message", "반쯤"),
        ("/todos/1/status", "succeeded"), ("/todos/1/fraction", 1.0), ("/todos/0/status", "skipped"),
    ]  # fmt: skip


def test_a_new_version_of_a_plan_takes_the_place_of_the_old_one() -> None:
    run = stream()
    (first,), (second,) = tell(run, planned("a", "b")), tell(run, planned("b"))
    assert first["messageId"] == second["messageId"]
    assert [todo["id"] for todo in second["content"]["todos"]] == ["b"]
    assert tell(run, dispatched("b"))[0]["patch"][0]["path"] == "/todos/0/status"


def test_a_todo_is_a_tool_call_with_its_arguments_and_its_result() -> None:
    seen = [one for one in tell(stream(), dispatched("a"), succeeded("a", rows=3)) if "toolCallId" in one]
    assert kinds(seen) == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]
    assert len({one["toolCallId"] for one in seen}) == 1 and seen[0]["toolCallName"] == "stage.a"
    assert (seen[1]["delta"], seen[3]["content"]) == ('{"n":1}', '{"rows":3}')


def test_a_retry_is_the_same_call_and_a_new_round_another() -> None:
    error = ErrorInfo(code=Code.INTERNAL, message="fell")
    again = TodoFailed(todo_id="a", attempt=1, error=error, will_retry_at=NOW)
    seen = tell(stream(), dispatched("a"), again, dispatched("a", 2), succeeded("a"), dispatched("a", 3))
    starts = [one["toolCallId"] for one in seen if one["type"] == "TOOL_CALL_START"]
    assert len(starts) == len(set(starts)) == 2
    assert kinds(seen).count("TOOL_CALL_RESULT") == 1


def test_a_long_result_is_cut() -> None:
    (*_, result) = tell(stream(), dispatched("a"), succeeded("a", text="가" * 5_000))
    assert len(result["content"]) == RESULT_LIMIT + 1 and result["content"].endswith("…")


def test_what_was_before_the_request_is_folded_and_not_told() -> None:
    run = stream()
    before = tell(run, MessageReceived(text="해줘"), UNDERSTOOD, planned("a", "b"), question(), shown=False)
    assert (before, run.stands) == ([], True)
    answered = DecisionAnswered(decision_id=ASKED, kind="plan", answer={"action": "approve"}, answered_by="")
    seen = tell(run, answered, approved(), dispatched("a"), succeeded("a"))
    assert run.stands is False
    # a client that was not told of the plan has it before it is told what changes
    assert kinds(seen)[:3] == ["STEP_STARTED", "STEP_FINISHED", "STEP_STARTED"]
    assert kinds(seen)[3:5] == ["ACTIVITY_SNAPSHOT", "TOOL_CALL_START"]
    assert seen[3]["content"]["todos"][0]["status"] == "running"


def test_a_call_of_an_earlier_request_is_answered_in_this_one() -> None:
    (start, *_) = [one for one in tell(stream(), dispatched("a")) if one["type"] == "TOOL_CALL_START"]
    run = stream(known=[start["toolCallId"]])
    tell(run, planned("a"), dispatched("a"), shown=False)
    calls = [one for one in tell(run, succeeded("a")) if "toolCallId" in one]
    assert [(one["type"], one["toolCallId"]) for one in calls] == [("TOOL_CALL_RESULT", start["toolCallId"])]


def test_a_client_that_lacks_the_begin_of_a_call_is_told_it_before_its_result() -> None:
    run = stream()
    tell(run, planned("a"), dispatched("a"), shown=False)
    calls = [one for one in tell(run, succeeded("a"), RunCompleted()) if "toolCallId" in one]
    assert kinds(calls) == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]


def test_what_the_client_has_is_not_told_again() -> None:
    events = (planned("a"), dispatched("a"), succeeded("a"), ANSWER, RunCompleted())
    first = tell(stream(), *events)
    known = {one[name] for one in first for name in ("messageId", "toolCallId") if name in one}
    again = tell(stream(known=known - {f"plan:{RUN}"}), *events)
    assert {one["type"] for one in again} == {"ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "STEP_STARTED", "CUSTOM"}


def test_the_answer_is_a_message_with_its_files() -> None:
    answer = ANSWER.model_copy(update={"attachments": (CHART, REPORT)})
    seen = [one for one in tell(stream(), answer) if not one["type"].startswith("STEP")]
    assert kinds(seen) == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "CUSTOM"]
    text = "다 했어요.\n\n- ![별점 (1).png](https://here/aa)\n- [report.pdf](https://here/bb)"
    assert seen[1]["delta"] == text == with_files(answer, link)
    assert seen[3]["name"] == "dream.response" and len(seen[3]["value"]["attachments"]) == 2


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (RunFailed(error=ErrorInfo(code=Code.INTERNAL, message="못 했어요.")), "못 했어요."),
        (RunCancelled(reason="requested", message="그만뒀어요."), "그만뒀어요."),
    ],
)
def test_an_end_without_an_answer_says_why_and_leaves_no_call_open(end: Event, text: str) -> None:
    run = stream()
    seen = tell(run, planned("a"), dispatched("a"), end)
    assert [one["delta"] for one in seen if one["type"] == "TEXT_MESSAGE_CONTENT"] == [text]
    assert [one["content"] for one in seen if one["type"] == "TOOL_CALL_RESULT"] == ['{"cancelled":true}']
    assert run.stands


def test_a_run_stands_while_it_is_asked_about_or_paused_and_goes_on_by_a_word() -> None:
    run = stream()
    answered = DecisionAnswered(decision_id=ASKED, kind="plan", answer={}, answered_by="")
    pause, resume = (RunControlRequested(control=one) for one in (RunControl.PAUSE, RunControl.RESUME))
    stands = []
    for event in (MessageReceived(text="해줘"), question(), answered, pause, resume, question(), pause, resume):
        tell(run, event)
        stands.append(run.stands)
    assert stands == [False, True, False, True, False, True, True, True]


def test_several_runs_stand_when_all_do_and_others_are_not_told_of() -> None:
    run = stream(RUN, OTHER)
    stands = []
    for one in (RUN, OTHER):
        tell(run, RunCompleted(), run=one)
        stands.append(run.stands)
    assert stands == [False, True]
    assert tell(run, MessageReceived(text="딴 일"), ANSWER, run=UUID(int=99)) == []


def test_no_member_without_a_value_is_said() -> None:
    error = ErrorInfo(code=Code.INTERNAL, message="fell")
    events = (planned("a"), dispatched("a"), TodoFailed(todo_id="a", attempt=1, error=error), ANSWER, RunCompleted())
    seen = tell(stream(), MessageReceived(text="해줘"), UNDERSTOOD, *events)
    assert [one for one in seen if None in one.values()] == []
