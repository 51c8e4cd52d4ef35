"""The plan desk: what an answer to "may this plan run?" makes happen, exactly once."""

from datetime import timedelta

import pytest

from contracts.cognitive import PlanHint
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.gateway import SessionOpened
from contracts.planning import TAKES_WORDS, Plan, PlanApproved, PlanningOutput, PlanRejected
from contracts.response import RunCancelled, RunCompleted
from services.planning.approval import ApprovalRequests
from services.planning.domain.plan import make, plan_hash
from services.planning.handlers import approvals_handler
from tests.unit.services.catalogues import LANGUAGES, catalogue, maker
from tests.unit.services.given import NOW, OTHER_RUN, RUN, Given, In, given, named, recorded
from tests.unit.services.plans import todo

TOOLS = catalogue(maker("read", "reviews.raw"), maker("clean", "reviews.clean", "reviews.raw"))
DESK = ApprovalRequests(TOOLS, 3600)
HANDLER = approvals_handler(TOOLS, DESK)
QUESTION = named("question")


def plan() -> Plan:
    todos = [todo("a", tool="test.read", title="읽기 {x}"), todo("b", "a", tool="test.clean", title="정리 {")]
    return make(named("plan"), 1, PlanHint(), todos, TOOLS.tools)


PROPOSED = PlanningOutput(plan=plan(), language="ko")


def asked(decision_id=QUESTION, kind=DecisionKind.PLAN) -> DecisionRequested:
    return DecisionRequested(
        decision_id=decision_id, kind=kind, question="?", language="ko", answer_schema={}, deadline=NOW
    )


def answered(answer, decision_id=QUESTION) -> DecisionAnswered:
    return DecisionAnswered(decision_id=decision_id, kind=DecisionKind.PLAN, answer=answer, answered_by="anonymous")


def expired(default=None) -> DecisionExpired:
    return DecisionExpired(decision_id=QUESTION, kind=DecisionKind.PLAN, default=default)


def open_desk() -> Given:
    return given(HANDLER, PROPOSED, asked())


APPROVE = answered({"action": "approve"})
APPROVED = PlanApproved(
    plan_id=named("plan"), plan_version=1, plan_hash=plan_hash(plan()), approved_by="person", decision_id=QUESTION
)


def test_an_approval_approves_exactly_this_plan():
    open_desk().when(APPROVE).then(APPROVED)


def test_an_approval_is_acted_on_once():
    story = open_desk()
    story.when(APPROVE)
    story.again(APPROVE).then_nothing()
    story.when(APPROVE).then_nothing()
    assert story.state.plans == {}


def test_a_doubled_answer_in_one_drain_is_one_answer():
    story = open_desk()
    story.when(APPROVE, APPROVE).then_nothing()
    assert [type(one.event) for one in story.story].count(PlanApproved) == 1


def test_a_rejection_without_a_reason_is_final():
    rejected = open_desk().when(answered({"action": "reject", "reason": "  "})).only(PlanRejected)
    assert (rejected.final, rejected.reason, rejected.plan_version, rejected.decision_id) == (True, "", 1, QUESTION)


def test_a_rejection_with_a_reason_is_to_be_revised_and_acted_on_once():
    story = open_desk()
    rejected = story.when(answered({"action": "reject", "reason": " 정리는 빼요 "})).only(PlanRejected)
    assert (rejected.final, rejected.reason) == (False, "정리는 빼요")
    story.when(APPROVE).then_nothing()  # of a question that has been answered


def test_an_edit_is_a_new_version_and_a_new_question():
    story = open_desk()
    happened = story.when(answered({"action": "edit", "patch": [{"op": "remove", "path": "/1"}]}))
    happened.then_types(PlanningOutput, DecisionRequested)
    output, question = happened.events
    assert isinstance(output, PlanningOutput)
    assert isinstance(question, DecisionRequested)
    assert (output.plan.version, len(output.plan.todos)) == (2, 1)
    subject = {"plan_id": str(named("plan")), "plan_version": 2, "plan_hash": plan_hash(output.plan)}
    assert question.subject == {**subject, TAKES_WORDS: False}, (
        "of one step that reads no wishes nothing can be left out"
    )
    assert question.decision_id != QUESTION
    (timer,) = happened.outcome.timers
    assert (timer.timer_id, timer.due_at) == (question.decision_id, NOW + timedelta(hours=1))
    approved = story.when(answered({"action": "approve"}, question.decision_id)).only(PlanApproved)
    assert (approved.plan_version, approved.plan_hash) == (2, plan_hash(output.plan))


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ([{"op": "remove", "path": "/0"}], "‘읽기 {x}’ 단계를 빼면 정리 {도 할 수 없어요."),
        ([{"op": "remove", "path": "/7"}], "지금 단계들에는 적용할 수 없는 수정이에요."),
        ([{"op": "remove", "path": "/1"}, {"op": "remove", "path": "/0"}], "할 일이 없어요."),
        ([{"op": "add", "path": "/0/depends_on/-", "value": "b"}], "단계들이 서로를 기다리고 있어요"),
        ([{"op": "add", "path": "/0/depends_on/-", "value": "ghost"}], "‘읽기 {x}’ 단계가 기다리는 ‘ghost’이(가)"),
        ([{"op": "replace", "path": "/0/tool", "value": "a.b"}], "‘a.b’ 도구가 여기에는 없어요."),
        ([{"op": "replace", "path": "/0/params", "value": {"n": 1}}], "‘읽기 {x}’ 단계의 ‘params’ 값이 맞지 않아요."),
        ([{"op": "replace", "path": "/0/retries", "value": 99}], "‘0/retries’ 값이 맞지 않아요."),
        ([{"op": "replace", "path": "/1/id", "value": "a"}], "id가 ‘a’인 단계가 둘이에요."),
    ],
)
def test_an_edit_that_is_not_possible_asks_again_about_the_same_plan_and_says_why(patch, why):
    story = open_desk()
    question = story.when(answered({"action": "edit", "patch": patch})).then_types(DecisionRequested).events[0]
    assert isinstance(question, DecisionRequested)
    assert why in question.question
    assert question.subject["plan_version"] == 1
    assert question.decision_id != QUESTION
    story.when(answered({"action": "approve"}, question.decision_id)).then_types(PlanApproved)


def test_an_answer_to_an_older_question_never_approves_a_newer_plan():
    story = open_desk()
    story.when(answered({"action": "edit", "patch": [{"op": "remove", "path": "/1"}]}))
    story.when(APPROVE).then_nothing()


def test_an_answer_to_another_decision_changes_nothing():
    open_desk().when(answered({"action": "approve"}, named("other"))).then_nothing()


def test_a_question_of_another_kind_does_not_take_the_place_of_the_plans():
    story = given(HANDLER, PROPOSED, asked(), asked(named("clarify"), DecisionKind.CLARIFY))
    story.when(answered({"action": "approve"}, named("clarify"))).then_nothing()
    story.when(APPROVE).then(APPROVED)


def test_an_expired_question_is_nobodys_approval_and_a_late_answer_changes_nothing():
    story = open_desk()
    story.when(expired()).then_nothing()
    story.when(APPROVE).then_nothing()


def test_a_default_taken_at_the_deadline_is_a_policys_approval():
    approved = open_desk().when(expired({"action": "approve"})).only(PlanApproved)
    assert (approved.approved_by, approved.decision_id) == ("policy", None)


@pytest.mark.parametrize("end", [RunCancelled(reason="expired"), RunCompleted(), APPROVED])
def test_a_run_that_is_over_or_approved_is_let_go_of(end):
    story = given(HANDLER, PROPOSED, asked(), end)
    assert story.state.plans == {}
    story.when(APPROVE).then_nothing()


def test_runs_of_one_session_have_desks_of_their_own():
    story = given(HANDLER, PROPOSED, asked(), In(OTHER_RUN, PROPOSED), In(OTHER_RUN, asked(named("theirs"))))
    story.when(In(OTHER_RUN, answered({"action": "approve"}, named("theirs")))).then_types(PlanApproved)
    assert list(story.state.plans) == [RUN]
    story.when(APPROVE).then(APPROVED)


def test_folding_all_at_once_equals_folding_step_by_step():
    story = open_desk()
    story.when(answered({"action": "edit", "patch": [{"op": "remove", "path": "/1"}]}))
    again = given(HANDLER)
    for one in story.story:
        again.fold(one)
    assert again.state == story.state


def test_an_event_that_the_desk_does_not_fold_is_an_error():
    with pytest.raises(TypeError, match="SessionOpened"):
        HANDLER.evolve(HANDLER.initial(), recorded(SessionOpened()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_is_in_the_persons_language_with_three_choices(language):
    output = PROPOSED.model_copy(update={"language": language})
    question = DESK.propose(RUN, output, named("cause"), NOW).emits[1].event
    assert isinstance(question, DecisionRequested)
    assert [option.value for option in question.options] == ["approve", "edit", "reject"]
    assert "2" in question.question
    assert "{" not in question.question
    assert question.language == language
