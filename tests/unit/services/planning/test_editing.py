"""A person edits a plan: JSON Patch over its todos."""

import copy
from contextlib import suppress

import pytest
from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st

from contracts.cognitive import PlanHint
from contracts.errors import Code
from contracts.planning import Plan
from contracts.shape import JsonObject, JsonValue
from services.planning.domain.adding import Registry
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.editing import edit
from services.planning.domain.plan import make, plan_hash
from tests.unit.services.catalogues import maker
from tests.unit.services.given import named
from tests.unit.services.plans import todo

TOP = {"type": "object", "additionalProperties": False, "properties": {"top": {"type": "integer", "minimum": 5}}}
TOOLS = {
    spec.tool_key: spec
    for spec in (
        maker("read", "reviews.raw", "file.table"),
        maker("clean", "reviews.clean", "reviews.raw"),
        maker("words", "insight.keywords", "reviews.clean").model_copy(update={"params_schema": TOP}),
        maker("report", "document.pdf", wants="insight.keywords reviews.clean"),
    )
}


def step(name: str, *after: str, **fields):
    return todo(name, *after, **{"tool": f"test.{name}"} | fields)


def plan() -> Plan:
    todos = [
        step("read"),
        step("clean", "read"),
        step("words", "clean"),
        step("report", "words", "clean", title="리포트"),
    ]
    return make(named("plan"), 1, PlanHint(goals=("document.pdf",)), todos, TOOLS)


def edited(*patch) -> Plan:
    before = plan()
    kept = copy.deepcopy(before)
    after = edit(before, patch, TOOLS)
    assert before == kept, "the old plan is as it was"
    assert (after.plan_id, after.version, after.goals) == (before.plan_id, 2, before.goals)
    return after


def refused(*patch) -> PlanInvalid:
    before = plan()
    with pytest.raises(PlanInvalid) as caught:
        edit(before, patch, TOOLS)
    assert before == plan()
    return caught.value


def ids(made: Plan) -> list[str]:
    return [one.id for one in made.todos]


def test_a_todo_that_is_merely_wanted_can_be_removed_and_who_wanted_it_goes_on_without():
    after = edited({"op": "remove", "path": "/2"})
    assert ids(after) == ["read", "clean", "report"]
    assert after.todos[2].depends_on == ("clean",)


def test_a_todo_that_another_requires_cannot_be_removed():
    error = refused({"op": "remove", "path": "/1"})
    assert error.code is Code.PLAN_EDIT_INVALID
    assert error.text == "error.4006.needed"
    assert error.detail == {"todo": "words", "gone": "clean"}


def test_all_that_falls_with_a_removed_todo_is_named():
    assert refused({"op": "remove", "path": "/0"}).detail == {"todo": "clean, words", "gone": "read"}


def test_an_editor_that_takes_out_the_link_with_the_todo_is_refused_as_well():
    error = refused({"op": "replace", "path": "/1/depends_on", "value": []}, {"op": "remove", "path": "/0"})
    assert error.text == "error.4006.needed"


def added(*values: JsonObject, files: tuple[str, ...] = ("file.table",), before: Plan | None = None, begun=()) -> Plan:
    known = Registry(TOOLS, lambda tool: tool.tool_key.upper(), files)
    return edit(before or plan(), [{"op": "add", "path": "/-", "value": one} for one in values], TOOLS, begun, known)


def test_an_added_step_needs_a_tool_and_its_arguments_alone():
    start = edit(plan(), [{"op": "remove", "path": "/2"}], TOOLS)
    after = added({"tool": "test.words", "params": {"top": 7}}, before=start)
    (new,) = [one for one in after.todos if one.tool == "test.words"]
    assert (new.params, new.title, new.depends_on) == ({"top": 7}, "TEST.WORDS", ("clean",))
    report = next(one for one in after.todos if one.id == "report")
    assert new.id in report.depends_on and new.id in report.wants, "who would take what it makes waits for it"


@pytest.mark.parametrize("op", [{"op": "replace", "path": ""}, {"op": "add", "path": ""}])
def test_an_edit_leaves_no_more_steps_than_it_may(op: JsonObject):
    known = Registry(TOOLS, lambda tool: tool.tool_key, ("file.table",), most=5)
    many: list[JsonValue] = [{"tool": "test.read"} for _ in range(5000)]
    with pytest.raises(PlanInvalid) as error:
        edit(plan(), [{**op, "value": many}], TOOLS, known=known)
    assert (error.value.code, error.value.text) == (Code.PLAN_EDIT_INVALID, "error.4006.many")
    assert error.value.detail["limit"] == "5"
    within = edit(plan(), [{**op, "value": many[:5]}], TOOLS, known=known)
    assert len(within.todos) == 5


def test_steps_that_come_along_count_too():
    alone = make(named("plan"), 1, PlanHint(goals=("reviews.raw",)), [step("read")], TOOLS)
    known = Registry(TOOLS, lambda tool: tool.tool_key, ("file.table",), most=2)
    with pytest.raises(PlanInvalid) as error:
        edit(alone, [{"op": "add", "path": "/-", "value": {"tool": "test.words"}}], TOOLS, known=known)
    assert error.value.text == "error.4006.many"


def test_a_plan_of_more_steps_may_keep_them():
    known = Registry(TOOLS, lambda tool: tool.tool_key, ("file.table",), most=1)
    there = len(plan().todos)
    changed = edit(plan(), [{"op": "replace", "path": "/1/title", "value": "x"}], TOOLS, known=known)
    assert len(changed.todos) == there > 1
    with pytest.raises(PlanInvalid):
        edit(plan(), [{"op": "add", "path": "/-", "value": {"tool": "test.read"}}], TOOLS, known=known)


def test_what_an_added_step_needs_comes_with_it():
    alone = make(named("plan"), 1, PlanHint(goals=("reviews.raw",)), [step("read")], TOOLS)
    after = added({"tool": "test.words"}, before=alone)
    assert [one.tool for one in after.todos] == ["test.read", "test.clean", "test.words"]
    assert [one.depends_on for one in after.todos[1:]] == [("read",), (after.todos[1].id,)]


def test_a_step_that_has_begun_waits_for_no_new_one():
    start = edit(plan(), [{"op": "remove", "path": "/2"}], TOOLS)
    after = added({"tool": "test.words"}, before=start, begun=("read", "clean", "report"))
    assert next(one for one in after.todos if one.id == "report").depends_on == ("clean",)


@pytest.mark.parametrize(
    ("tool", "files", "code", "text"),
    [
        ("test.poem", ("file.table",), Code.PLAN_TOOL_UNKNOWN, "error.4003"),
        ("test.other", (), Code.PLAN_EDIT_INVALID, "error.4006.lacking"),
    ],
)
def test_a_step_that_cannot_be_added_is_refused_by_name(tool: str, files: tuple[str, ...], code: Code, text: str):
    known = Registry(
        TOOLS | {"test.other": maker("other", "insight.other", "file.image")}, lambda one: one.tool_key, files
    )
    with pytest.raises(PlanInvalid) as caught:
        edit(plan(), [{"op": "add", "path": "/-", "value": {"tool": tool}}], TOOLS, (), known)
    assert (caught.value.code, caught.value.text) == (code, text)


def test_a_todo_and_all_that_requires_it_can_be_removed_together():
    assert ids(edited(*({"op": "remove", "path": "/1"},) * 3)) == ["read"]


def test_a_removed_todo_may_be_replaced_by_another_that_makes_the_same():
    other = step("clean").model_dump(mode="json") | {"id": "other", "depends_on": ["read"]}
    after = edited(
        {"op": "remove", "path": "/1"},
        {"op": "add", "path": "/-", "value": other},
        {"op": "add", "path": "/1/depends_on/-", "value": "other"},
    )
    assert ids(after) == ["read", "other", "words", "report"]


def test_a_changed_parameter_makes_a_new_version_of_that_todo_alone():
    after = edited({"op": "add", "path": "/2/params/top", "value": 10})
    assert after.todos[2].params == {"top": 10}
    assert [one.version for one in after.todos] == [1, 1, 2, 1]


def test_versions_are_counted_by_us_whatever_the_patch_says():
    after = edited(
        {"op": "replace", "path": "/2/version", "value": 99}, {"op": "replace", "path": "/3/title", "value": "PDF"}
    )
    assert [one.version for one in after.todos] == [1, 1, 1, 2]


def test_todos_can_be_put_in_another_order_as_far_as_their_dependencies_allow():
    value = step("report").model_dump(mode="json") | {"id": "extra"}
    after = edited({"op": "add", "path": "/-", "value": value}, {"op": "move", "from": "/4", "path": "/0"})
    assert ids(after) == ["extra", "read", "clean", "words", "report"]
    assert ids(edited({"op": "move", "from": "/3", "path": "/0"})) == ["read", "clean", "words", "report"]


def test_an_added_todo_gets_inputs_and_outputs_from_its_tool():
    value = {
        "id": "extra",
        "title": "x",
        "tool": "test.report",
        "executor": "data",
        "depends_on": ["clean"],
        "produces": ["a.b"],
    }
    extra = edited({"op": "add", "path": "/-", "value": value}).todos[-1]
    assert (extra.consumes, extra.produces, extra.version) == (
        ("insight.keywords", "reviews.clean"),
        ("document.pdf",),
        1,
    )


def test_a_whole_todo_can_be_copied_under_another_id():
    after = edited({"op": "copy", "from": "/3", "path": "/-"}, {"op": "replace", "path": "/4/id", "value": "again"})
    assert ids(after) == ["read", "clean", "words", "report", "again"]


def test_the_estimate_and_the_picture_are_those_of_the_new_plan():
    after = edited(
        {"op": "replace", "path": "/3/title", "value": "끝"},
        {"op": "replace", "path": "/0/estimate_seconds", "value": 9},
    )
    assert "끝" in after.mermaid
    assert after.estimate.total_seconds == 9


def test_no_change_is_a_new_version_of_the_same_todos():
    assert edited().todos == plan().todos


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"op": "replace", "path": "/0/tool", "value": "test.unheard_of"}, Code.PLAN_TOOL_UNKNOWN),
        ({"op": "add", "path": "/2/params/top", "value": 1}, Code.PLAN_ARGUMENTS_INVALID),
        ({"op": "add", "path": "/2/params/size", "value": 1}, Code.PLAN_ARGUMENTS_INVALID),
        ({"op": "replace", "path": "/2/executor", "value": "ops"}, Code.PLAN_ARGUMENTS_INVALID),
        ({"op": "add", "path": "/0/depends_on/-", "value": "report"}, Code.PLAN_CYCLE),
        ({"op": "add", "path": "/0/depends_on/-", "value": "ghost"}, Code.PLAN_DEPENDENCY_UNKNOWN),
        ({"op": "replace", "path": "/1/id", "value": "read"}, Code.PLAN_EDIT_INVALID),
        ({"op": "replace", "path": "", "value": []}, Code.PLAN_EMPTY),
    ],
)
def test_an_edit_that_makes_no_plan_is_refused_with_its_code(patch, code):
    assert refused(patch).code is code


MALFORMED = [
    {},
    {"op": "remove"},
    {"path": "/0"},
    {"op": "remove", "path": "/9"},
    {"op": "remove", "path": 0},
    {"op": "remove", "path": None},
    {"op": "remove", "path": "0"},
    {"op": "remove", "path": ""},
    {"op": "remove", "path": "/-"},
    {"op": "remove", "path": "/0/no/such"},
    {"op": "fly", "path": "/0"},
    {"op": 7, "path": "/0"},
    {"op": None, "path": "/0"},
    {"op": ["remove"], "path": "/0"},
    {"op": "add", "path": "/0"},
    {"op": "add", "path": "/x", "value": 1},
    {"op": "add", "path": "/-", "value": 7},
    {"op": "add", "path": "/-", "value": None},
    {"op": "add", "path": "/99", "value": {}},
    {"op": "add", "path": "/0/title/deep", "value": 1},
    {"op": "move", "path": "/0"},
    {"op": "move", "from": "/0", "path": "/0/params/x"},
    {"op": "move", "from": 3, "path": "/0"},
    {"op": "copy", "from": "", "path": "/-"},
    {"op": "copy", "path": "/-"},
    {"op": "copy", "from": "/0/params", "path": "/0/params/x"},
    {"op": "test", "path": "/0/id", "value": "not it"},
    {"op": "test", "path": "/0/id"},
    {"op": "replace", "path": "", "value": 5},
    {"op": "replace", "path": "", "value": {"a": 1}},
    {"op": "replace", "path": "", "value": "text"},
    {"op": "replace", "path": "/0", "value": {"id": "A B"}},
    {"op": "replace", "path": "/0/retries", "value": -1},
    {"op": "replace", "path": "/0/retries", "value": "many"},
    {"op": "replace", "path": "/0/join_count", "value": 10**40},
    {"op": "replace", "path": "/0/unheard_of", "value": 1},
    {"op": "add", "path": "/0/unheard_of", "value": 1},
    {"op": "replace", "path": "/~2", "value": 1},
]


@pytest.mark.parametrize("operation", MALFORMED, ids=str)
def test_a_malformed_patch_is_refused_with_its_code_and_nothing_else(operation):
    error = refused(operation)
    assert error.code is Code.PLAN_EDIT_INVALID
    assert error.message


def test_copies_cannot_make_a_plan_grow_without_end():
    assert refused(*({"op": "copy", "from": "", "path": "/-"},) * 64).code is Code.PLAN_EDIT_INVALID


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
pointers = st.lists(st.sampled_from(["0", "1", "-", "params", "id", "depends_on", "~", "", "x"]), max_size=3).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
operations = st.fixed_dictionaries(
    {},
    optional={
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "x"]) | json,
        "path": pointers | json,
        "from": pointers | json,
        "value": json,
    },
)


@settings(max_examples=300)
@generated(st.lists(operations, max_size=3))
def test_whatever_the_patch_the_answer_is_a_plan_or_a_refusal(patch):
    after = None
    with suppress(PlanInvalid):
        after = edit(plan(), patch, TOOLS)
    assert after is None or after.version == 2


def test_the_hash_of_a_plan_is_the_same_for_the_same_plan_and_differs_for_any_other():
    assert plan_hash(plan()) == plan_hash(plan()) == plan_hash(Plan.model_validate_json(plan().model_dump_json()))
    assert plan_hash(plan()) != plan_hash(edited())
    assert plan_hash(edited()) != plan_hash(edited({"op": "add", "path": "/2/params/top", "value": 6}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timeout_seconds", 1e308), ("timeout_seconds", 300.5), ("retries", 3), ("retries", 10),
        ("tokens", 1), ("tokens", 2**70), ("money", 0.01), ("money", 1e300), ("estimate_seconds", 1e308),
    ],
)  # fmt: skip
def test_nobody_gets_more_of_a_tool_than_it_has(field: str, value: float):
    new = {"id": "more", "title": "more", "tool": "test.read", "executor": "data", field: value}
    for patch in ({"op": "replace", "path": f"/0/{field}", "value": value}, {"op": "add", "path": "/-", "value": new}):
        why = refused(patch)
        assert why.code is Code.PLAN_ARGUMENTS_INVALID
        assert (why.text, why.detail["field"]) == ("error.4004.limit", field)
        assert why.detail["limit"] in str(why)


def test_less_is_a_persons_to_ask_for_and_what_nobody_says_is_as_the_tool_says():
    tools = {**TOOLS, "test.read": TOOLS["test.read"].model_copy(update={"timeout_seconds": 40.0, "retries": 1})}
    tools["test.read"] = tools["test.read"].model_copy(
        update={"cost": tools["test.read"].cost.model_copy(update={"money": 0.5})}
    )
    new: JsonObject = {"id": "more", "title": "more", "tool": "test.read", "executor": "data", "timeout_seconds": 7}
    after = edit(plan(), [{"op": "add", "path": "/-", "value": new}], tools)
    added = next(todo for todo in after.todos if todo.id == "more")
    assert (added.timeout_seconds, added.retries, added.money) == (7, 1, 0.5)
    free: JsonObject = {**new, "money": 0, "tokens": 0}
    after = edit(plan(), [{"op": "add", "path": "/-", "value": free}], tools)
    assert next(todo for todo in after.todos if todo.id == "more").money == 0.5, "a forecast is no wish"


def test_what_a_pack_allows_one_of_its_todos_stays_allowed():
    todos = [step("read", timeout_seconds=900.0, retries=7)]
    before = make(named("plan"), 1, PlanHint(), todos, TOOLS)
    after = edit(before, [{"op": "replace", "path": "/0/title", "value": "slowly"}], TOOLS)
    assert (after.todos[0].timeout_seconds, after.todos[0].retries) == (900.0, 7)
    with pytest.raises(PlanInvalid):
        edit(before, [{"op": "replace", "path": "/0/timeout_seconds", "value": 901}], TOOLS)
