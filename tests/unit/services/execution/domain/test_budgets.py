"""Budgets: asked at a part of a limit, parked at the limit, gone on when a person raises it, ended when not."""

from typing import Any

import pytest
from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st

from contracts.decisions import DecisionKind, DecisionRequested
from contracts.errors import Code
from contracts.execution import ExecutionOutput, ExecutionStatus, TodoSkipped, TodoStatus
from contracts.gateway import Budget
from contracts.model import ModelCalled, ModelRole
from services.execution.domain.budget import Spent, raised
from tests.unit.services.execution.timeline import Timeline, busy, leased, sent, timeline
from tests.unit.services.given import OTHER_RUN, RUN, Happened, named
from tests.unit.services.plans import todo

THIRD_RUN = named("third")


def question(happened: Happened) -> DecisionRequested:
    asked: DecisionRequested = happened.only(DecisionRequested)
    assert asked.kind is DecisionKind.BUDGET
    return asked


def first_question(line: Timeline) -> DecisionRequested:
    return next(one.event for one in line.told if isinstance(one.event, DecisionRequested))


def several(many: int, limit: Budget, **costs: Any) -> Timeline:
    return timeline(*(todo("abcdefgh"[number], **costs) for number in range(many)), budget=limit)


def model(tokens: int, cost: float = 0.0) -> ModelCalled:
    return ModelCalled(
        role=ModelRole.PLANNER, provider="p", model="m", prompt_id="x@1", prompt_hash="0" * 64,
        input_tokens=tokens - tokens // 2, output_tokens=tokens // 2, cost=cost, latency_seconds=0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "costs"),
    [
        (Budget(tool_calls=2), {}),
        (Budget(tokens=20), {"tokens": 10}),
        (Budget(money=0.3), {"money": 0.15}),
    ],
    ids=["calls", "tokens", "money"],
)
def test_a_run_parks_at_its_limit_and_asks_once(limit: Budget, costs: dict[str, Any]):
    line = several(4, limit, **costs)
    assert sent(one.event for one in line.told) == ["a", "b"]
    asked = first_question(line)
    assert [option.value for option in asked.options] == ["raise", "stop"]
    assert (asked.default, asked.subject["hard"]) == ({"action": "stop"}, True)
    line.ok("a").then_nothing()
    line.ok("b").then_nothing()
    assert line.state.runs[RUN].open == 2


def test_a_raise_without_figures_doubles_the_limit():
    line = several(4, Budget(tool_calls=2))
    assert sent(line.answer(first_question(line), "raise")) == ["c", "d"]


def test_a_raise_with_figures_raises_to_them_and_what_is_not_enough_is_asked_again():
    line = several(4, Budget(tool_calls=2))
    happened = line.answer(first_question(line), "raise", budget={"tool_calls": 3})
    assert sent(happened) == ["c"]
    again = question(happened)
    assert again.decision_id != first_question(line).decision_id
    assert again.subject["limits"] == {"tool_calls": 3}
    assert sent(line.answer(again, "raise", budget={"tool_calls": 4.0})) == ["d"]


@pytest.mark.parametrize("wish", [{"tokens": 5}, {"tool_calls": 1}, {}, {"tool_calls": -4}, {"tool_calls": True}, "x"])
def test_no_raise_makes_a_limit_lower_or_new(wish):
    line = several(3, Budget(tool_calls=2))
    line.answer(first_question(line), "raise", budget=wish)
    budget = line.state.runs[RUN].budget
    assert budget is not None
    assert (budget.tool_calls or 0) >= 2
    assert (budget.tokens, budget.money, budget.seconds) == (None, None, None)


def test_a_raise_without_figures_is_enough_for_the_next_todo_even_of_nothing():
    line = several(2, Budget(tool_calls=0, tokens=0, money=0.0), tokens=5_000, money=0.5)
    assert sent(one.event for one in line.told) == []
    happened = line.answer(first_question(line), "raise")
    assert sent(happened) == ["a"]
    assert raised(Budget(), Spent(), {}, None) == Budget()


def test_to_stop_ends_the_run_with_what_there_is():
    line = several(3, Budget(tool_calls=2))
    line.ok("a", result={"rows": 1})
    happened = line.answer(first_question(line), "stop").then_types(TodoSkipped, ExecutionOutput)
    assert happened.only(TodoSkipped) == TodoSkipped(todo_id="b", reason="cancelled")
    assert line.output.status is ExecutionStatus.PARTIAL
    assert line.output.error is not None
    assert line.output.error.code is Code.BUDGET_EXHAUSTED
    assert line.output.error.message
    assert list(line.statuses.values()) == [TodoStatus.SUCCEEDED, TodoStatus.CANCELLED, TodoStatus.CANCELLED]


def test_nobodys_answer_stops_a_run_that_made_nothing_as_failed():
    line = several(1, Budget(tool_calls=0))
    (output,) = line.wait(90_000)
    assert isinstance(output, ExecutionOutput)
    assert output.status is ExecutionStatus.FAILED


def test_a_soft_limit_asks_and_goes_on():
    line = several(4, Budget(tool_calls=4, soft=0.5))
    assert sent(one.event for one in line.told) == ["a", "b", "c", "d"]
    asked = first_question(line)
    assert [option.value for option in asked.options] == ["continue", "raise", "stop"]
    assert (asked.default, asked.subject["hard"]) == ({"action": "continue"}, False)
    line.ok("a").then_nothing()


def test_who_goes_on_beyond_the_soft_limit_is_asked_again_at_the_hard_one_only():
    line = several(5, Budget(tool_calls=4, soft=0.5))
    soft = first_question(line)
    hard = question(line.answer(soft, "continue"))
    assert (hard.subject["hard"], hard.decision_id != soft.decision_id) == (True, True)


def test_nobodys_answer_at_a_soft_limit_goes_on():
    line = several(2, Budget(tool_calls=4, soft=0.5))
    line.ok("a")
    assert line.wait(90_000) == []
    line.ok("b").then_types(ExecutionOutput)
    assert line.output.status is ExecutionStatus.SUCCEEDED


def test_a_raise_asks_at_the_soft_limit_of_the_new_budget_again():
    line = timeline(*(todo(one) for one in "abcdef"), budget=Budget(tool_calls=4, soft=0.5), most_in_flight=3)
    happened = line.answer(first_question(line), "raise")
    assert happened.events == []
    line.ok("a").then_types(type(line.attempt("d")))
    assert question(line.ok("b")).subject["hard"] is False


def test_calls_of_models_count_for_the_run_and_the_session():
    line = timeline(todo("a"), todo("b", "a", tokens=10), budget=Budget(tokens=100))
    line.fold(model(91, 0.25))
    assert (line.state.spent.tokens, line.state.spent.money) == (91, 0.25)
    assert question(line.ok("a")).subject["used"] == {"tokens": 91}


def test_what_a_tool_says_it_took_takes_the_place_of_its_forecast():
    line = timeline(todo("a", tokens=60), todo("b", "a", tokens=60), budget=Budget(tokens=100))
    assert sent(line.ok("a", tokens=40)) == ["b"]
    assert line.state.runs[RUN].spent.tokens == 100
    over = timeline(todo("a", tokens=10), todo("b", "a", tokens=60), budget=Budget(tokens=100))
    question(over.ok("a", tokens=41))


def test_an_attempt_that_only_waited_uses_nothing_up():
    line = timeline(todo("a", tokens=10, money=0.5), budget=Budget(tool_calls=1, tokens=10, money=0.5))
    assert sent(line.answer(line.ask(DecisionKind.TOOL, "a"), "approve")) == ["a"]
    line.when(busy("a")).then_nothing()
    assert sent(line.when(leased("a"))) == ["a"]
    assert line.state.spent == Spent(tokens=10, money=0.5, tool_calls=1)


def test_a_session_has_a_budget_over_all_of_its_runs():
    line = timeline(todo("a"), session_budget=Budget(tool_calls=1))
    line.ok("a")
    happened = line.about(OTHER_RUN).begin(todo("b"), todo("c"))
    asked = question(happened)
    assert (sent(happened), asked.subject["limits"]) == ([], {"tool_calls": 1})
    assert sent(line.answer(asked, "raise", budget={"tool_calls": 2})) == ["b"]


def test_two_runs_in_one_decision_do_not_use_up_the_same_rest_of_the_sessions_budget():
    line = timeline(todo("a", on_error="fail"), todo("a2"), most_in_flight=2, session_budget=Budget(tool_calls=3))
    line.about(OTHER_RUN).begin(todo("b"))
    line.about(THIRD_RUN).begin(todo("c"))
    happened = line.about(RUN).fails("a")  # both of its slots are free now, and one call is left
    assert sent(happened) == ["b"]
    assert line.state.spent.tool_calls == 3
    question(happened)


def test_a_question_that_another_runs_raise_has_answered_stops_nothing_when_it_expires():
    line = timeline(todo("a"), todo("a2", "a"), session_budget=Budget(tool_calls=1))
    other = question(line.about(OTHER_RUN).begin(todo("b"), todo("b2", "b")))
    mine = question(line.about(RUN).ok("a"))
    line.answer(mine, "raise", budget={"tool_calls": 9})
    line.about(OTHER_RUN).wait(90_000)
    assert other.decision_id not in line.state.runs[OTHER_RUN].questions
    assert line.about(OTHER_RUN).attempt("b").attempt == 1
    line.ok("b")
    line.ok("b2").then_types(ExecutionOutput)


@settings(max_examples=40)
@generated(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=25),
    st.integers(0, 200),
    st.integers(0, 12),
)
def test_a_wide_plan_never_dispatches_more_than_its_budget_has_reserved(costs, tokens, calls):
    todos = [todo(f"t{number}", tokens=forecast) for number, (forecast, _) in enumerate(costs)]
    line = timeline(*todos, budget=Budget(tokens=tokens, tool_calls=calls), most_in_flight=7)
    over = 0
    for number, (forecast, real) in enumerate(costs):
        spent = line.state.runs[RUN].spent
        assert spent.tool_calls <= calls
        assert spent.tokens <= tokens + over
        if line.state.runs[RUN].todos[f"t{number}"].attempt:
            over += max((real or forecast) - forecast, 0)
            line.ok(f"t{number}", tokens=real)
            if RUN not in line.state.runs:
                return
