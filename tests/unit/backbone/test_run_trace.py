"""The trace of a run is folded from its events: whatever happened, a tree with one root, the same for everybody."""

from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace._sampling_experimental import composable_traceid_ratio_based, composite_sampler
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased

from backbone.telemetry import tracing
from backbone.telemetry.spans import Span, begun, nanoseconds, parse, run_span, sampled
from contracts.cognitive import CognitiveOutput
from contracts.decisions import DecisionExpired, DecisionKind
from contracts.errors import Code, ErrorInfo
from contracts.gateway import MessageReceived
from contracts.model import ModelRole
from contracts.planning import PlanApproved
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from contracts.shape import Event
from tests.unit.backbone.run_books import CALLER, RUN, STEPS, Book, decision, model, step


def assert_a_tree(spans: Sequence[Span], parent_of_all: int = 0) -> None:
    ids = [span.span_id for span in spans]
    assert len(set(ids)) == len(ids), "a span is told once"
    known = {*ids, parent_of_all}
    assert [span for span in spans if span.parent_id not in known] == []
    assert [span.name for span in spans if span.parent_id == parent_of_all] == ["invoke_workflow dream.run"]
    assert all(span.start <= span.end for span in spans)
    assert len({span.trace_id for span in spans}) == 1


def test_a_run_with_a_plan_a_person_and_a_todo_is_a_tree() -> None:
    book = Book()
    book.add(model(role=ModelRole.CLASSIFIER), "cognitive")
    book.add(CognitiveOutput.model_validate(CognitiveOutput.example), "cognitive", book.messages[0])
    book.ask()
    answered = book.answer(after=3600)
    book.add(PlanApproved.model_validate(PlanApproved.example), "planning", answered, after=2)
    book.succeed(book.dispatch())
    book.end()
    assert_a_tree(book.spans())
    names = {(span.service, span.name) for span in book.spans()}
    assert names == {
        ("gateway", "invoke_workflow dream.run"), ("cognitive", "layer cognitive"), ("planning", "layer planning"),
        ("execution", "layer execution"), ("response", "layer response"), ("cognitive", "chat backward-chaining-1"),
        ("planning", "decision plan"), ("planning", "wait_for_person"), ("execution", "todo transfer.pay"),
        ("execution", "attempt 1"), ("execution", "execute_tool transfer.pay"),
    }  # fmt: skip


def test_the_wait_for_a_person_is_told_at_the_answer_with_the_time_of_the_question() -> None:
    book = Book()
    asked = book.ask()
    answered = book.answer(after=86_399.5)
    (wait,) = book.told()[-1]
    assert (wait.name, wait.start) == ("wait_for_person", nanoseconds(asked.recorded_at))
    assert (wait.end - wait.start, answered.type) == (86_399_500_000_000, "DecisionAnswered")


def test_a_question_ends_with_what_its_answer_made_happen() -> None:
    book = Book()
    book.ask()
    answered = book.answer()
    effect = book.add(PlanApproved.model_validate(PlanApproved.example), "planning", answered, after=7)
    book.end()
    (question,) = book.named("decision")
    assert question.end == nanoseconds(effect.recorded_at)


def test_a_question_that_nobody_answers_ends_with_its_run() -> None:
    book = Book()
    book.ask()
    ended = book.add(RunCancelled(reason="requested"), "response", after=5)
    ends = {
        span.name: (span.end, span.attributes["dream.decision.outcome"])
        for span in book.spans()
        if "decision" in span.name or "wait" in span.name
    }
    assert ends == dict.fromkeys(("decision plan", "wait_for_person"), (nanoseconds(ended.recorded_at), "run_ended"))


def test_an_expired_question_says_so() -> None:
    book = Book()
    book.ask()
    book.add(DecisionExpired(decision_id=decision(1), kind=DecisionKind.PLAN), "timers")
    assert [span.attributes["dream.decision.outcome"] for span in book.told()[-1]] == ["expired"]


def test_a_question_of_a_tool_ends_its_attempt_and_hangs_on_its_todo() -> None:
    book = Book()
    first = book.dispatch()
    book.ask(kind=DecisionKind.TOOL, cause=first)
    book.answer()
    book.succeed(book.dispatch(attempt=2), attempt=2)
    book.end()
    (todo,) = book.named("todo")
    assert {span.parent_id for span in (*book.named("attempt"), *book.named("decision"))} == {todo.span_id}
    assert [span.attributes["dream.attempt.outcome"] for span in book.named("attempt")] == ["asked", "succeeded"]
    assert len(book.named("execute_tool")) == 1, "the tool was called after the word, and not before"


def test_attempts_that_failed_say_which_code_and_never_which_words() -> None:
    book = Book()
    book.fail(book.dispatch())
    book.succeed(book.dispatch(attempt=2), attempt=2)
    book.end()
    assert [(span.name, span.error) for span in book.named("attempt")] == [
        ("attempt 1", str(int(Code.TOOL_TIMEOUT))), ("attempt 2", ""),
    ]  # fmt: skip
    (todo,) = book.named("todo")
    assert (todo.error, todo.attributes["dream.todo.attempts"]) == ("", 2)


def test_a_tool_has_the_time_that_it_took_not_that_of_its_todo() -> None:
    book = Book()
    dispatched = book.dispatch()
    book.succeed(dispatched, seconds=0.25)
    book.end()
    (tool,) = book.named("execute_tool")
    begins = nanoseconds(dispatched.recorded_at) + 500_000_000
    assert (tool.start, tool.end) == (begins, begins + 250_000_000)


def test_calls_of_models_recorded_together_stand_one_after_the_other() -> None:
    book = Book()
    first, second = (book.add(model(), "cognitive", book.messages[0], after=after) for after in (3.0, 0.0))
    book.end()
    assert first.recorded_at == second.recorded_at
    one, two = book.named("chat")
    assert (one.end, two.end) == (two.start, nanoseconds(second.recorded_at))


def test_of_a_caller_who_traces_the_root_is_a_child() -> None:
    book = Book(CALLER)
    book.end()
    caller = parse(CALLER)
    assert caller is not None
    assert_a_tree(book.spans(), caller.span_id)
    assert {span.trace_id for span in book.spans()} == {caller.trace_id}


@pytest.mark.parametrize("traceparent", [CALLER[:-1] + "0", begun(RUN, sampled=False), "00-nonsense", None])
def test_a_run_that_is_not_sampled_has_no_span_at_all(traceparent: str | None) -> None:
    book = Book()
    book.traceparent = traceparent or ""
    book.messages.clear()
    book.add(MessageReceived(text="x"), "gateway")
    book.ask()
    book.end()
    assert book.spans() == []


def test_a_share_of_runs_is_sampled_and_each_everywhere_the_same() -> None:
    runs = [UUID(int=(number * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128) for number in range(4000)]
    share = sum(sampled(run.int, 0.25) for run in runs) / len(runs)
    assert 0.2 < share < 0.3
    assert all(sampled(run.int, 1.0) and not sampled(run.int, 0.0) for run in runs)
    assert all(sampled(run.int, 0.5) for run in runs if sampled(run.int, 0.25)), "a greater share has the smaller one"
    assert tracing.trace_id(begun(RUN, sampled=True)) == RUN.hex


def version_7(seed: int) -> UUID:
    rest = (seed * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128
    return UUID(int=rest & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.5, 0.75, 1.0])
def test_the_share_is_that_of_the_consistent_sampler_of_the_sdk(ratio: float) -> None:
    theirs = composite_sampler(composable_traceid_ratio_based(ratio))
    for run in map(version_7, range(500)):
        assert theirs.should_sample(None, run.int, "run").decision.is_sampled() is sampled(run.int, ratio)


def test_the_older_sampler_of_the_sdk_does_not_know_ids_that_are_uuids() -> None:
    """It takes the upper of the lower 64 bits for random, and in a UUID these are its variant: ADR 0032."""
    runs = [version_7(number).int for number in range(500)]
    half, most = TraceIdRatioBased(0.5), TraceIdRatioBased(0.75)
    assert not any(half.should_sample(None, run, "run").decision.is_sampled() for run in runs)
    assert all(most.should_sample(None, run, "run").decision.is_sampled() for run in runs)


def test_what_comes_after_the_end_changes_nothing() -> None:
    book = Book()
    dispatched = book.dispatch()
    book.end()
    before = book.spans()
    book.succeed(dispatched)
    book.add(RunFailed(error=ErrorInfo(code=Code.INTERNAL, message="late")), "response")
    assert book.spans() == before


def test_nothing_that_was_said_or_sent_is_in_a_span() -> None:
    book = Book()
    book.add(model(output={"text": "민수"}), "cognitive")
    book.ask()
    book.answer()
    slug = "minsu-100000"
    book.fail(book.dispatch(slug), slug)
    book.end()
    said = " ".join(f"{span.name} {span.error} {dict(span.attributes)}" for span in book.spans())
    assert [word for word in ("민수", "원", "100000", "minsu", "송금", "approve") if word in said] == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(STEPS), st.sampled_from(["t1", "t2"]), st.integers(1, 3), st.integers(0, 30), st.booleans()
        ),
        max_size=25,
    ),
    st.sampled_from([RunCompleted(), RunCancelled(reason="expired"), RunFailed.model_validate(RunFailed.example)]),
)
def test_whatever_happened_it_is_a_tree_with_one_root(story: list[tuple[str, str, int, int, bool]], end: Event) -> None:
    book = Book()
    for what, todo, attempt, place, caused in story:
        cause = book.messages[place % len(book.messages)] if caused else None
        step(book, what, todo, attempt, cause)
    book.add(ResponseOutput.model_validate(ResponseOutput.example), "response")
    book.add(end, "response", after=0.0)
    spans = book.spans()
    assert_a_tree(spans)
    assert spans == book.spans(), "whoever folds it again tells the same"
    assert spans[-1].span_id == run_span(RUN)
