"""Order, cycles, cost and picture of a plan."""

import re

import pytest
from hypothesis import given as generated
from hypothesis import strategies as st

from contracts.errors import Code
from services.planning.domain.dependency import PlanInvalid, in_order
from services.planning.domain.plan import LIMIT, render
from services.planning.domain.todo_fields import estimate, seconds_of
from tests.unit.services.catalogues import maker, tool
from tests.unit.services.plans import todo


def refused(*todos) -> PlanInvalid:
    with pytest.raises(PlanInvalid) as caught:
        in_order(todos)
    return caught.value


def ids(todos) -> str:
    return " ".join(one.id for one in todos)


def test_dependencies_come_before_their_dependants():
    assert ids(in_order([todo("c", "b"), todo("b", "a"), todo("a")])) == "a b c"


def test_what_is_in_order_already_stays_as_it_is():
    assert ids(in_order([todo("a"), todo("b", "a"), todo("c"), todo("d", "c")])) == "a b c d"


def test_a_todo_that_waits_twice_for_the_same_is_in_order():
    assert ids(in_order([todo("b", "a", "a"), todo("a")])) == "a b"


def test_a_cycle_is_named_by_the_todos_in_it():
    error = refused(todo("x"), todo("a", "c", "x"), todo("b", "a"), todo("c", "b"))
    assert error.code is Code.PLAN_CYCLE
    assert set(error.detail["todos"].split()) == {"a", "b", "c"}


def test_a_todo_that_waits_for_itself_is_a_cycle():
    assert refused(todo("a", "a")).code is Code.PLAN_CYCLE


def test_an_unknown_dependency_is_named():
    error = refused(todo("a", "ghost"))
    assert error.code is Code.PLAN_DEPENDENCY_UNKNOWN
    assert error.detail == {"todo": "a", "missing": "ghost"}


def test_two_todos_may_not_have_the_same_id():
    error = refused(todo("a"), todo("b"), todo("b"))
    assert (error.code, error.detail) == (Code.PLAN_EDIT_INVALID, {"todo": "b"})


def test_a_plan_needs_a_todo():
    assert refused().code is Code.PLAN_EMPTY


@generated(st.integers(1, 12).flatmap(lambda size: st.tuples(st.just(size), st.randoms())))
def test_any_plan_without_a_circle_gets_an_order_and_keeps_it(drawn):
    size, random = drawn
    todos = [
        todo(f"t{n}", *random.sample([f"t{m}" for m in range(n)], random.randint(0, min(n, 3)))) for n in range(size)
    ]
    random.shuffle(todos)
    ordered = in_order(todos)
    seen: set[str] = set()
    for one in ordered:
        assert set(one.depends_on) <= seen
        seen.add(one.id)
    assert in_order(ordered) == ordered
    assert len(ordered) == size


def test_ten_thousand_todos_in_a_chain_are_put_in_order():
    todos = [todo(f"t{n}", *([f"t{n - 1}"] if n else [])) for n in range(10_000)]
    assert in_order(todos[::-1]) == tuple(todos)


def test_the_critical_path_is_the_longest_chain_and_the_total_is_the_sum():
    def timed(name, *after, seconds):
        return todo(name, *after, estimate_seconds=seconds)

    todos = [
        timed("a", seconds=1),
        timed("b", "a", seconds=10),
        timed("c", "a", seconds=2),
        timed("d", "b", "c", seconds=1),
    ]
    made = estimate(todos, {"test.work": tool("test.work", cost={"money": 0.5, "tokens": 10})})
    assert (made.total_seconds, made.critical_path_seconds) == (14.0, 12.0)
    assert (made.money, made.tokens) == (2.0, 40)


def test_more_input_takes_longer():
    assert seconds_of(tool("test.work", cost={"seconds": 1, "seconds_per_mb": 2}), 3_000_000) == 7.0
    assert seconds_of(maker("x", "a.b", seconds=2), 0) == 2.0


def test_the_picture_shows_every_todo_and_every_dependency():
    picture = render([todo("a", title="리뷰 읽기"), todo("end", "a", title="끝")])
    assert picture == 'flowchart LR\n  t1["리뷰 읽기"]\n  t2["끝"]\n  t1 --> t2'


def test_todos_whose_ids_differ_by_a_dash_are_two_nodes():
    picture = render([todo("a-b"), todo("a_b")])
    assert len(set(re.findall(r"^ {2}(\w+)\[", picture, re.MULTILINE))) == 2


@generated(st.text(min_size=1))
def test_a_title_can_neither_leave_its_label_nor_become_markup(title):
    picture = render([todo("a", title=title)])
    lines = picture.split("\n")
    assert len(lines) == 2
    label = re.fullmatch(r' {2}t1\["(.*)"\]', lines[1])
    assert label is not None
    assert not set(re.sub(r"#\d+;", "", label[1])) & set('"<>`#&[]\n\r')


def test_a_large_plan_says_how_many_todos_it_has():
    picture = render([todo(f"t{n}") for n in range(LIMIT + 1)])
    assert picture == 'flowchart LR\n  all["61 todos"]'
    assert render([todo(f"t{n}") for n in range(LIMIT)]).count("\n") == LIMIT
