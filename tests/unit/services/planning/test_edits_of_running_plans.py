"""Edits of a plan that runs: what has begun stays as it is, the rest may change while the run is paused."""

import pytest

from contracts.cognitive import PlanHint
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, TodoSkipped
from contracts.gateway import PlanEdited, RunControl, RunControlRequested
from contracts.planning import Plan, PlanApproved, PlanEditRefused, PlanningOutput
from contracts.response import RunCancelled
from contracts.shape import Event, JsonObject
from services.planning.approval import ApprovalRequests, approved
from services.planning.domain.plan import make, plan_hash
from services.planning.handlers import approvals_handler
from tests.unit.services.catalogues import LANGUAGES, catalogue, maker, tool
from tests.unit.services.given import NOW, Given, Happened, given, named
from tests.unit.services.plans import failed, file, succeeded, todo

TOP: JsonObject = {"type": "object", "properties": {"top_n": {"type": "integer"}}, "additionalProperties": False}
TOOLS = catalogue(
    maker("read", "reviews.raw"), tool("test.words", params_schema=TOP), maker("chart", "chart.image", "reviews.raw")
)
HANDLER = approvals_handler(TOOLS, ApprovalRequests(TOOLS, 3600))
PAUSE, RESUME, INTERRUPT, CANCEL = (RunControlRequested(control=one) for one in RunControl)


def plan() -> Plan:
    todos = [
        todo("a", tool="test.read", title="읽기 {x}"),
        todo("b", tool="test.words", title="낱말"),
        todo("c", "a", "b", tool="test.chart", title="차트", wants=("b",)),
    ]
    return make(named("plan"), 1, PlanHint(), todos, TOOLS.tools)


PROPOSED = PlanningOutput(plan=plan(), language="ko", attachments=(file("file.table"),))
APPROVED = approved(plan(), "person")
SET: JsonObject = {"op": "add", "path": "/1/params/top_n", "value": 5}


def edited(*patch: JsonObject, version: int = 1) -> PlanEdited:
    return PlanEdited(plan_id=named("plan"), plan_version=version, patch=patch)


def dispatched(todo_id: str, attempt: int = 1) -> TodoDispatched:
    item = next(one for one in plan().todos if one.id == todo_id)
    return TodoDispatched(plan_id=named("plan"), todo=item, attempt=attempt, language="ko", requested_at=NOW)


def running(*more: Event) -> Given:
    return given(HANDLER, PROPOSED, APPROVED, *more)


def refused(happened: Happened) -> PlanEditRefused:
    happened.then_types(PlanEditRefused)
    only: PlanEditRefused = happened.only(PlanEditRefused)
    return only


@pytest.mark.parametrize("hold", [PAUSE, INTERRUPT])
def test_an_edit_of_a_held_run_is_the_next_version_and_approved(hold: RunControlRequested) -> None:
    happened = running(hold).when(edited(SET)).then_types(PlanningOutput, PlanApproved)
    output = happened.only(PlanningOutput)
    assert (output.plan.version, output.requires_approval, output.attachments) == (2, False, PROPOSED.attachments)
    assert (output.plan.todos[1].params, output.plan.todos[1].version) == ({"top_n": 5}, 2)
    approval = happened.only(PlanApproved)
    assert (approval.plan_version, approval.plan_hash) == (2, plan_hash(output.plan))
    assert (approval.approved_by, approval.decision_id) == ("person", None)


def test_edits_follow_each_other_each_of_the_version_before() -> None:
    story = running(PAUSE)
    story.when(edited(SET))
    second = story.when(edited({"op": "remove", "path": "/2"}, version=2)).only(PlanningOutput).plan
    assert (second.version, [one.id for one in second.todos]) == (3, ["a", "b"])
    assert second.todos[1].params == {"top_n": 5}


def test_of_two_edits_of_one_version_one_wins() -> None:
    error = refused(running(PAUSE).when(edited(SET), edited(SET))).error
    assert (error.code, error.detail["given"], error.detail["current"]) == (Code.VERSION_CONFLICT, "1", "2")


@pytest.mark.parametrize(
    "history",
    [
        [dispatched("b")],
        [dispatched("b"), succeeded("b")],
        [dispatched("b"), failed("b")],
        [TodoSkipped(todo_id="b", reason="person")],
        [dispatched("b"), failed("b", will_retry_at=NOW), dispatched("b", 2), failed("b", 1, will_retry_at=NOW)],
        [dispatched("b"), succeeded("b"), dispatched("b", 2)],
    ],
    ids=["in flight", "succeeded", "failed for good", "skipped", "in flight again", "another round"],
)
@pytest.mark.parametrize("operation", [SET, {"op": "remove", "path": "/1"}])
def test_what_has_begun_or_is_over_cannot_be_changed_or_removed(history: list[Event], operation: JsonObject) -> None:
    error = refused(running(*history, PAUSE).when(edited(operation))).error
    assert error.code is Code.TODO_NOT_EDITABLE
    assert "낱말" in error.message


STOPPED = ErrorInfo(code=Code.TOOL_CANCELLED, message="멈췄어요.", detail={"control": "interrupt"})


@pytest.mark.parametrize(
    "history",
    [
        [],
        [dispatched("b"), failed("b", will_retry_at=NOW)],
        [dispatched("b"), TodoFailed(todo_id="b", attempt=1, error=STOPPED)],
        [dispatched("a"), succeeded("a")],
    ],
    ids=["nothing begun", "tried again later", "interrupted", "another one is over"],
)
def test_what_waits_may_be_changed(history: list[Event]) -> None:
    running(*history, PAUSE).when(edited(SET)).then_types(PlanningOutput, PlanApproved)


def test_a_todo_may_be_added_to_those_that_are_over_and_they_stay_as_they_are() -> None:
    new = todo("d", "a", tool="test.chart", title="또 하나").model_dump(mode="json")
    story = running(dispatched("a"), succeeded("a"), dispatched("b"), failed("b"), PAUSE)
    after = story.when(edited({"op": "add", "path": "/-", "value": new})).only(PlanningOutput).plan
    assert [one.id for one in after.todos] == ["a", "b", "c", "d"]
    assert after.todos[:2] == plan().todos[:2]


def test_a_todo_that_is_over_keeps_what_it_waited_for() -> None:
    story = running(dispatched("a"), succeeded("a"), dispatched("c"), succeeded("c"), PAUSE)
    error = refused(story.when(edited({"op": "remove", "path": "/1"}))).error
    assert (error.code, "차트" in error.message) == (Code.TODO_NOT_EDITABLE, True)


@pytest.mark.parametrize("history", [[], [PAUSE, RESUME], [PAUSE, CANCEL]])
def test_a_run_that_is_not_paused_now_is_not_edited(history: list[Event]) -> None:
    assert refused(running(*history).when(edited(SET))).error.code is Code.RUN_NOT_PAUSED


def test_a_run_that_is_resumed_before_the_edit_is_decided_is_not_edited() -> None:
    story = running(PAUSE)
    assert refused(story.when(RESUME, edited(SET))).error.code is Code.RUN_NOT_PAUSED


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"op": "remove", "path": "/9"}, Code.PLAN_EDIT_INVALID),
        ({"op": "replace", "path": "/1/tool", "value": "test.nothing"}, Code.PLAN_TOOL_UNKNOWN),
        ({"op": "add", "path": "/1/params/top_n", "value": "many"}, Code.PLAN_ARGUMENTS_INVALID),
        ({"op": "replace", "path": "/1/depends_on", "value": ["c"]}, Code.PLAN_CYCLE),
        ({"op": "replace", "path": "/1/depends_on", "value": ["x"]}, Code.PLAN_DEPENDENCY_UNKNOWN),
        ({"op": "remove", "path": "/0"}, Code.PLAN_EDIT_INVALID),
    ],
)
def test_an_edit_that_makes_no_plan_is_refused_and_the_next_one_is_of_the_same_version(
    patch: JsonObject, code: Code
) -> None:
    story = running(PAUSE)
    assert refused(story.when(edited(patch))).error.code is code
    assert story.when(edited(SET)).only(PlanningOutput).plan.version == 2


def test_a_plan_that_waits_for_its_approval_is_edited_by_answering() -> None:
    happened = given(HANDLER, PROPOSED, PAUSE).when(edited(SET))
    assert refused(happened).error.code is Code.PLAN_EDIT_INVALID


def test_an_edit_that_comes_after_the_end_of_its_run_is_nothing() -> None:
    story = running(PAUSE, RunCancelled(reason="requested"))
    story.when(edited(SET)).then_nothing()
    assert (story.state.approved, story.state.paused) == ({}, set())


def test_a_refusal_is_said_in_the_language_of_the_plan() -> None:
    said = set()
    for language in LANGUAGES:
        proposed = PROPOSED.model_copy(update={"language": language})
        for story in (given(HANDLER, proposed, APPROVED), given(HANDLER, proposed, APPROVED, PAUSE)):
            error = refused(story.when(edited({"op": "remove", "path": "/9"}, version=3))).error
            assert "{" not in error.message
            said.add(error.message)
    assert len(said) == 2 * len(LANGUAGES)


def test_an_edit_that_leaves_too_many_steps_is_refused_and_the_plan_goes_on_as_it_is() -> None:
    few = approvals_handler(TOOLS, ApprovalRequests(TOOLS, 3600), most_steps=4)
    more: list[JsonObject] = [{"op": "add", "path": "/-", "value": {"tool": "test.words"}} for _ in range(2)]
    asked = given(few, PROPOSED, APPROVED, PAUSE)
    error = refused(asked.when(edited(*more))).error
    assert error.code is Code.PLAN_EDIT_INVALID
    assert "5" in error.message
    assert "4" in error.message
    given(few, PROPOSED, APPROVED, PAUSE).when(edited(more[0])).then_types(PlanningOutput, PlanApproved)
