"""The difference between two lists of todos."""

import copy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.client.patch import EditRefused, difference, falling, moved, with_parameter, with_step, without
from tests.unit.dream.scripts import TODOS

VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=3)
TODO = st.fixed_dictionaries(
    {"id": st.sampled_from(["t1", "t2", "t3", "a~b"])},
    optional={
        "title": st.text(max_size=5),
        "params": st.dictionaries(st.text(max_size=3), VALUES, max_size=3),
        "a/b": VALUES,
    },
)
LISTS = st.lists(TODO, max_size=4, unique_by=lambda todo: str(todo["id"]))


def by_id(todos: list[Any]) -> dict[str, Any]:
    return {todo["id"]: todo for todo in todos}


@given(LISTS, LISTS)
def test_the_patch_leads_from_one_list_to_the_other(before: list[Any], after: list[Any]) -> None:
    patched = jsonpatch.apply_patch(copy.deepcopy(before), difference(before, after))
    assert by_id(patched) == by_id(after)
    assert len(patched) == len(after)


@given(LISTS)
def test_what_is_not_changed_needs_no_patch(todos: list[Any]) -> None:
    assert difference(todos, copy.deepcopy(todos)) == []


def test_a_removed_todo_is_waited_for_by_nobody() -> None:
    after = without([TODOS[0], TODOS[1], {**TODOS[2], "wants": ["t2"]}], "t2")
    assert [todo["id"] for todo in after] == ["t1", "t3"]
    assert after[1]["depends_on"] == ["t1"]


def test_what_needs_a_removed_todo_goes_with_it() -> None:
    assert [todo["id"] for todo in falling(TODOS, "t1")] == ["t2", "t3"]
    assert without(TODOS, "t1") == []


@pytest.mark.parametrize(
    ("text", "tool", "params"),
    [
        ("trends grain=month", "marketing.trends", {"grain": "month"}),
        ("other.tool", "other.tool", {}),
        ('ads title="둘 다"', "marketing.ads", {"title": "둘 다"}),
    ],
)
def test_a_step_is_added_by_its_tool_and_what_it_is_told(text: str, tool: str, params: dict[str, Any]) -> None:
    before = [{"id": "t1", "tool": "marketing.collector"}]
    *_, new = with_step(before, text)
    assert (new["tool"], new["params"]) == (tool, params)
    assert new["id"].startswith("t2-")


@pytest.mark.parametrize("text", ["", "trends month", 'trends title="', "trends grain="])
def test_a_step_that_says_no_tool_or_no_value_is_refused(text: str) -> None:
    with pytest.raises(EditRefused):
        with_step(TODOS, text)


@pytest.mark.parametrize("text", ["t1 after t3", "t3 before t1"])
def test_a_moved_todo_waits_for_what_comes_first(text: str) -> None:
    todos: list[Any] = [{"id": "t1"}, {"id": "t3"}]
    after = by_id(moved(todos, text))
    assert after["t1"]["depends_on"] == after["t1"]["wants"] == ["t3"]


@pytest.mark.parametrize("text", ["t1", "t1 beside t2", "t1 after t1", "t1 after t9"])
def test_a_move_that_says_no_order_is_refused(text: str) -> None:
    with pytest.raises(EditRefused):
        moved(TODOS, text)


def test_the_patch_fits_a_server_that_spells_out_defaults() -> None:
    after = with_parameter(TODOS, "t1", "rows", 10)
    spelled_out = [{"params": {}, "depends_on": [], **todo} for todo in copy.deepcopy(TODOS)]
    patched = jsonpatch.apply_patch(spelled_out, difference(TODOS, after))
    assert patched[0]["params"] == {"rows": 10}


def test_editing_leaves_the_plan_as_it_was() -> None:
    before = copy.deepcopy(TODOS)
    with_parameter(TODOS, "t2", "grain", "month")
    without(TODOS, "t1")
    assert before == TODOS


@pytest.mark.parametrize("edit", [lambda: without(TODOS, "t9"), lambda: with_parameter(TODOS, "t9", "a", 1)])
def test_an_unknown_todo_is_refused_by_name(edit) -> None:
    with pytest.raises(EditRefused, match="t9"):
        edit()


def test_the_same_todo_twice_is_refused() -> None:
    with pytest.raises(EditRefused, match="t1"):
        difference(TODOS, [TODOS[0], TODOS[0]])


def test_a_todo_may_be_named_by_the_first_part_of_its_id() -> None:
    report = {"id": "t2-report", "depends_on": ["t1-collector"], "wants": ["t1-collector"]}
    todos: list[dict[str, Any]] = [{"id": "t1-collector"}, report]
    assert without(todos, "t1") == [{"id": "t2-report", "depends_on": [], "wants": []}]


def test_a_first_part_that_two_todos_share_is_refused() -> None:
    with pytest.raises(EditRefused, match="t1"):
        without([{"id": "t1-a"}, {"id": "t1-b"}], "t1")
