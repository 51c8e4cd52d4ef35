"""The name of a plan's strategy follows from its shape."""

import pytest

from contracts.execution import ExecutionStrategy
from services.execution.domain.dispatch import determine_strategy
from tests.unit.services.plans import todo

GOOD = {"required": ["good"]}


@pytest.mark.parametrize(
    ("todos", "strategy"),
    [
        ([todo("a")], ExecutionStrategy.SINGLE),
        ([todo("a"), todo("b", "a"), todo("c", "b", "a")], ExecutionStrategy.SEQUENTIAL),
        ([todo("a"), todo("b")], ExecutionStrategy.PARALLEL),
        ([todo("a"), todo("b", "a"), todo("c", "a")], ExecutionStrategy.PARALLEL),
        ([todo("a"), todo("b"), todo("c", "a", "b", role="synthesis")], ExecutionStrategy.SWARM),
        ([todo("a", role="synthesis")], ExecutionStrategy.SWARM),
        ([todo("a", until=GOOD)], ExecutionStrategy.CYCLIC),
        ([todo("a"), todo("b", "a", until=GOOD, repeat_from="a"), todo("c")], ExecutionStrategy.CYCLIC),
        ([todo("a", until={})], ExecutionStrategy.CYCLIC),
        ([todo("a", until=GOOD), todo("b", "a", role="synthesis")], ExecutionStrategy.SWARM),
    ],
    ids=["one", "chain", "roots", "fork", "swarm", "lone synthesis", "cycle", "cycle beside", "any result", "both"],
)
def test_a_plan_has_the_strategy_of_its_shape(todos, strategy):
    assert determine_strategy(todos) is strategy
