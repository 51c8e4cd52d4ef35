"""Backward chaining: from what is asked for to what is there."""

import pytest
from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st

from contracts.tools import Need, ToolSpec
from services.planning.domain.chain import GoalUnreachable, Step, chain
from tests.unit.services.catalogues import maker

COLLECT = maker("collect", "reviews.raw", "file.table")
CLEAN = maker("clean", "reviews.clean", "reviews.raw")
SENTIMENT = maker("sentiment", "insight.sentiment", "reviews.clean")
KEYWORDS = maker("keywords", "insight.keywords", "reviews.clean", wants="insight.sentiment")
REPORT = maker("report", "document.pdf chart.png", wants="insight.sentiment insight.keywords reviews.clean")
TOOLS = [REPORT, KEYWORDS, SENTIMENT, CLEAN, COLLECT]


def named(steps: list[Step]) -> dict[str, list[str]]:
    return {step.tool.tool_key.split(".")[1]: [key.split(".")[1] for key in step.after] for step in steps}


def plan(*goals: str, there: tuple[str, ...] = ("file.table",), tools: list[ToolSpec] = TOOLS) -> dict[str, list[str]]:
    return named(chain(goals, there, tools))


def test_a_goal_is_chained_back_to_what_is_there():
    assert plan("insight.sentiment") == {"collect": [], "clean": ["collect"], "sentiment": ["clean"]}


def test_a_wanted_input_is_not_made_when_nobody_asks_for_it():
    assert "sentiment" not in plan("insight.keywords")


def test_a_wanted_input_that_is_made_anyway_is_waited_for():
    assert plan("insight.keywords", "insight.sentiment")["keywords"] == ["clean", "sentiment"]


def test_a_plain_report_is_a_report_on_everything():
    made = plan("document.pdf")
    assert list(made) == ["collect", "clean", "sentiment", "keywords", "report"]
    assert set(made["report"]) == {"sentiment", "keywords", "clean"}


def test_a_report_that_names_its_subject_is_a_report_on_that():
    made = plan("insight.sentiment", "document.pdf")
    assert list(made) == ["collect", "clean", "sentiment", "report"]


def test_a_goal_that_is_there_already_needs_no_step():
    assert plan("file.table") == {}
    assert plan("reviews.clean", "insight.sentiment", there=("reviews.clean",)) == {"sentiment": []}


def test_no_goals_need_no_steps():
    assert plan() == {}


def test_the_cheapest_way_is_taken_counting_all_that_comes_before_it():
    quick = maker("quick", "goal.x", "costly.input", seconds=1)
    costly = maker("costly", "costly.input", seconds=100)
    slow = maker("slow", "goal.x", seconds=5)
    assert plan("goal.x", tools=[quick, costly, slow]) == {"slow": []}
    assert plan("goal.x", there=("costly.input",), tools=[quick, costly, slow]) == {"quick": []}


def test_tools_that_cost_the_same_are_chosen_by_their_names():
    assert plan("goal.x", tools=[maker("b", "goal.x"), maker("a", "goal.x")]) == {"a": []}


def test_a_dead_end_leaves_nothing_behind():
    dead = maker("dead", "goal.x", "half.way", "no.such", seconds=0.1)
    half = maker("half", "half.way")
    way = maker("way", "goal.x", seconds=9)
    assert plan("goal.x", tools=[dead, half, way]) == {"way": []}


def test_tools_that_make_each_others_inputs_are_not_chained_in_a_circle():
    ours = maker("ours", "goal.x", "part.y", seconds=1)
    theirs = maker("theirs", "part.y", "goal.x", seconds=1)
    out = maker("out", "part.y", seconds=50)
    assert plan("goal.x", tools=[ours, theirs, out]) == {"out": [], "ours": ["out"]}
    with pytest.raises(GoalUnreachable):
        chain(("goal.x",), (), [ours, theirs])


def test_a_tool_that_makes_what_it_takes_is_no_circle():
    refine = maker("refine", "text.a text.b", "text.a")
    use = maker("use", "goal.x", "text.a", "text.b")
    assert plan("goal.x", there=("text.a",), tools=[refine, use]) == {"refine": [], "use": ["refine"]}


def test_wanted_inputs_of_each_other_close_no_circle():
    one, two = maker("one", "a.a", wants="b.b"), maker("two", "b.b", wants="a.a")
    made = plan("a.a", "b.b", tools=[one, two])
    assert sorted(map(len, made.values())) == [0, 1]


def test_a_tool_that_makes_two_things_is_run_once():
    assert plan("document.pdf", "chart.png", there=("reviews.clean",), tools=[REPORT]) == {"report": []}


@pytest.mark.parametrize(
    ("goal", "missing"),
    [("insight.sentiment", "file.table"), ("document.pdf", "file.table"), ("insight.dreams", "insight.dreams")],
)
def test_what_is_missing_is_named(goal, missing):
    with pytest.raises(GoalUnreachable) as caught:
        chain((goal,), (), TOOLS)
    assert (caught.value.goal, caught.value.missing) == (goal, missing)


def test_a_report_is_made_of_what_can_be_made():
    assert list(plan("document.pdf", there=("insight.sentiment",))) == ["report"]


def test_a_long_chain_and_many_circles_are_no_trouble():
    depth = 200
    tools = [maker(f"t{n:03}", f"x.n{n}", *([f"x.n{n - 1}"] if n else [])) for n in range(depth)]
    tools += [maker(f"back{n:03}", f"x.n{n}", f"x.n{n + 1}", seconds=0) for n in range(depth - 1)]
    assert len(chain((f"x.n{depth - 1}",), (), tools)) == depth


TYPES = [f"x.t{number}" for number in range(8)]


@st.composite
def catalogues(draw: st.DrawFn) -> list[ToolSpec]:
    some = st.lists(st.sampled_from(TYPES), max_size=3, unique=True)
    return [
        maker(
            f"m{number}", " ".join(draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True))),
            *draw(some), wants=" ".join(draw(some)), seconds=draw(st.sampled_from([0, 1, 1, 5])),
        )
        for number in range(draw(st.integers(0, 9)))
    ]  # fmt: skip


def closure(tools: list[ToolSpec], there: set[str]) -> set[str]:
    """All that can be made, by trying until nothing new comes."""
    made = set(there)
    while True:
        more = {t for tool in tools if required(tool) <= made for t in tool.produces} - made
        if not more:
            return made
        made |= more


def required(tool: ToolSpec) -> set[str]:
    return {one.type for one in tool.consumes if one.need is Need.REQUIRED}


@settings(max_examples=200)
@generated(catalogues(), st.lists(st.sampled_from(TYPES), max_size=3), st.sets(st.sampled_from(TYPES), max_size=3))
def test_every_plan_can_be_executed_and_a_goal_is_unreachable_only_if_nothing_makes_it(tools, goals, there):
    steps = made_or_missing(goals, there, tools)
    if isinstance(steps, GoalUnreachable):
        possible = closure(tools, there)
        sums_up = [tool for tool in tools if steps.goal in tool.produces and not required(tool)]
        in_vain = any(not {one.type for one in tool.consumes} & possible for tool in sums_up)
        assert steps.missing not in possible
        assert steps.goal not in possible or in_vain, "reachable, and not a summary of nothing"
        return
    done: dict[str, Step] = {}
    for step in steps:
        assert step.tool.tool_key not in done, "a tool runs once"
        assert set(step.after) <= set(done), "what it comes after is before it"
        made_before = {type_ for key in step.after for type_ in done[key].tool.produces}
        assert required(step.tool) <= made_before | there, "every required input is there or made by a dependency"
        done[step.tool.tool_key] = step
    assert set(goals) <= there | {type_ for step in steps for type_ in step.tool.produces}


def made_or_missing(goals: list[str], there: set[str], tools: list[ToolSpec]) -> list[Step] | GoalUnreachable:
    try:
        return chain(goals, there, tools)
    except GoalUnreachable as unreachable:
        return unreachable


@settings(max_examples=50)
@generated(catalogues(), st.lists(st.sampled_from(TYPES), min_size=1, max_size=3), st.randoms())
def test_the_plan_does_not_depend_on_the_order_of_the_catalogue(tools, goals, random):
    shuffled = list(tools)
    random.shuffle(shuffled)
    one, other = made_or_missing(goals, set(), tools), made_or_missing(goals, set(), shuffled)
    if isinstance(one, GoalUnreachable) or isinstance(other, GoalUnreachable):
        assert str(one) == str(other)
    else:
        assert named(one) == named(other)
