"""What a model plans, held against the catalogue."""

import pytest

from services.planning.domain.wiring import problem_of, resolve_dependencies
from tests.unit.services.catalogues import maker

TOOLS = {
    tool.tool_key: tool
    for tool in (
        maker("collector", "reviews.raw", "file.table"),
        maker("sentiment", "insight.sentiment", "reviews.raw"),
        maker("trend", "insight.trend", "reviews.raw"),
        maker("report", "document.pdf", wants="insight.sentiment insight.trend"),
    )
}
THERE = ("file.table",)


def steps(*names: str) -> dict[str, tuple[str, ...]]:
    return {f"test.{name}": () for name in names}


def test_what_a_step_requires_comes_before_it_whether_it_was_said_or_not():
    linked = resolve_dependencies(
        steps("sentiment", "collector") | {"test.report": ("test.sentiment", "test.gone")}, THERE, TOOLS
    )
    assert linked == {
        "test.sentiment": ["test.collector"],
        "test.collector": [],
        "test.report": ["test.sentiment"],
    }


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("collector", "sentiment"), None),
        (("sentiment",), "needs reviews.raw"),
        (("collector", "trend"), "nothing in it produces insight.sentiment"),
        (("collector", "sentiment", "trend"), "nobody asked for what test.trend makes"),
        (("collector", "sentiment", "payments"), "no tool test.payments"),
    ],
)
def test_a_plan_makes_what_was_asked_for_and_nothing_else(names: tuple[str, ...], why: str | None):
    problem = problem_of(steps(*names), ("insight.sentiment",), THERE, TOOLS)
    assert (problem is None) if why is None else (problem and why in problem)
