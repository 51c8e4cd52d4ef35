"""What an agent loop may do on a word that was given before, and what it must not do again."""

from contracts.agents import ToolCall
from contracts.decisions import DecisionAnswered
from contracts.errors import Code, ErrorInfo
from contracts.execution import AgentStepped, AgentToolAnswered
from services.execution.domain.loop import CallKey, Verdict, loop_state
from services.execution.domain.question import DecisionRequests
from tests.unit.services.catalogues import catalogue
from tests.unit.services.execution.agent.agents import dispatched
from tests.unit.services.given import NOW, RUN
from tests.unit.services.plans import todo


def test_what_was_approved_in_one_round_is_asked_about_again_in_the_next():
    call = ToolCall(call_id="c1_1", tool="test.send", arguments={"n": 5})
    asked = DecisionRequests(RUN, "ko", catalogue().say, NOW).about_call(todo("a"), 1, call, "보내기")
    answered = DecisionAnswered(
        decision_id=asked.decision_id, kind=asked.kind, answer={"action": "approve"}, answered_by="me"
    )
    events = [dispatched(), asked, answered]
    assert loop_state(events, "a").verdicts == {CallKey.of(call): Verdict.APPROVED}
    assert loop_state([*events, dispatched(2)], "a").verdicts == {CallKey.of(call): Verdict.APPROVED}
    assert loop_state([*events, dispatched(2).model_copy(update={"round": 2})], "a").verdicts == {}


def test_a_call_that_has_happened_is_not_made_again_though_an_earlier_one_had_failed():
    calls = tuple(ToolCall(call_id=one, tool="test.send", arguments={"n": 5}) for one in ("c1_1", "c1_2"))
    failed = AgentToolAnswered(
        todo_id="a", step=1, call_id="c1_1", tool="test.send", error=ErrorInfo(code=Code.TOOL_FAILED, message="x")
    )
    sent_ = AgentToolAnswered(todo_id="a", step=1, call_id="c1_2", tool="test.send", result={"sent": 1})
    story = loop_state([dispatched(), AgentStepped(todo_id="a", step=1, calls=calls), failed, sent_], "a")
    assert story.answer_to(CallKey.of(calls[0])) == sent_
