"""What a person decides in the console: about a plan before it runs and while it runs, and about every question that comes
up on the way."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.console import Product, Tab, reviews
from tests.e2e.person import Json, of, only
from tests.e2e.scene import control, let_time_pass, perform, todo

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


def titles(tab: Tab) -> Locator:
    return tab.run.locator(".todo .title")


def dispatched(product: Product, run: Json) -> list[tuple[str, str]]:
    """Ids and titles of what was begun, in order."""
    return [(one["todo"]["id"], one["todo"]["title"]) for one in of(happened(product, run), "TodoDispatched")]


def happened(product: Product, run: Json) -> list[Json]:
    return product.events(run["session_id"])


def acting(product: Product, tab: Tab, *todos: Json, **say: Any) -> Json:
    """A run of these todos, approved, in the tab."""
    run = product.do(perform(product.person, *todos, language="ko", **say))
    tab.look_at(run)
    return run


# --- the plan ---------------------------------------------------------------------------------------------------------


def test_a_plan_is_edited_shown_anew_and_runs_as_it_was_edited(product: Product, tab: Tab) -> None:
    tab.open().say("/chain")
    run = {"session_id": tab.session}
    expect(titles(tab)).to_have_count(3)
    names = titles(tab).all_inner_texts()
    tab.choose("Edit")
    steps = tab.run.locator("form .todo")
    steps.nth(1).get_by_role("checkbox").click()
    expect(steps.nth(0).get_by_role("checkbox")).to_be_checked()
    expect(steps.nth(2).get_by_role("checkbox")).not_to_be_checked()
    steps.nth(2).get_by_role("checkbox").click()  # what it builds on comes back with it
    expect(steps.nth(1).get_by_role("checkbox")).to_be_checked()
    steps.nth(2).get_by_role("checkbox").click()
    steps.nth(0).get_by_label(tab.t("plan.rename")).fill("첫 단계")
    tab.button("plan.save").click()
    expect(titles(tab)).to_have_text(["첫 단계", names[1]])
    expect(tab.run.locator(".plan")).to_contain_text(tab.t("plan.version", version=2))
    assert dispatched(product, run) == []
    tab.choose("Approve")
    tab.ends()
    assert dispatched(product, run) == [("first", "첫 단계"), ("second", names[1])]
    assert only(happened(product, run), "PlanApproved")["plan_version"] == 2


def test_a_plan_that_is_edited_runs_with_one_press(product: Product, tab: Tab) -> None:
    tab.open().say("/chain")
    tab.choose("Edit")
    tab.run.locator("form .todo").last.get_by_role("checkbox").click()
    expect(tab.question).to_have_count(0)  # it asks about the plan as it was
    tab.button("plan.save_and_run").click()
    tab.ends()
    assert [name for name, _ in dispatched(product, {"session_id": tab.session})] == ["first", "second"]
    assert only(product.events(tab.session), "PlanApproved")["plan_version"] == 2


def test_a_plan_that_is_rejected_with_a_reason_comes_back_revised_and_without_one_the_run_ends(
    product: Product, tab: Tab
) -> None:
    tab.open().attach(reviews())
    tab.say("이 리뷰들 감성이랑 키워드 분석하고 월별 트렌드까지 리포트로 만들어줘")
    expect(titles(tab)).to_have_count(6)
    tab.choose("거부")
    tab.page.get_by_label(tab.t("decision.reason")).fill("키워드는 빼줘")
    tab.question.locator(".more").get_by_role("button").click()
    expect(titles(tab)).to_have_count(5)
    expect(tab.run.locator(".settled")).to_contain_text("키워드는 빼줘")
    expect(tab.run.locator(".plan")).to_contain_text(tab.t("plan.version", version=2))
    tab.choose("거부")
    tab.question.locator(".more").get_by_role("button").click()
    tab.ends("rejected")
    expect(tab.run.locator(".ending")).to_contain_text(tab.t("status.rejected"))
    expect(tab.question).to_have_count(0)
    assert not of(product.events(tab.session), "TodoDispatched")


def test_a_run_that_is_paused_is_edited_and_goes_on_as_edited(product: Product, tab: Tab) -> None:
    nap = todo("a", "nap", seconds=60) | {"tool": "effects.nap", "executor": "bulky"}
    run = acting(product, tab, nap, todo("b", "quick", "a"), todo("c", "quick", "b"))
    expect(tab.run.locator(".todo.running")).to_have_count(1)
    tab.button("control.pause").click()
    expect(tab.page.locator(".run-bar .state")).to_have_text(tab.t("status.paused"))
    product.wake()
    expect(tab.run.locator(".todo.done")).to_have_count(1)
    tab.button("plan.edit").click()
    editor = tab.run.locator("form .todo")
    expect(editor.nth(0).get_by_role("checkbox")).to_be_disabled()
    editor.nth(1).get_by_label(tab.t("plan.rename")).fill("짧은 낮잠")
    editor.nth(2).get_by_role("checkbox").click()
    tab.button("plan.save").click()
    expect(titles(tab)).to_have_text(["a", "짧은 낮잠"])
    assert dispatched(product, run) == [("a", "a")]
    tab.button("control.resume").click()
    tab.ends()
    assert dispatched(product, run) == [("a", "a"), ("b", "짧은 낮잠")]


def test_a_run_that_is_stopped_does_it_again_and_one_that_is_cancelled_ends(product: Product, tab: Tab) -> None:
    run = acting(product, tab, todo("a", "nap", seconds=60), todo("b", "quick"))
    expect(tab.run.locator(".todo.done")).to_have_count(1)
    tab.button("control.interrupt").click()
    expect(tab.run.locator(".todo .mark.waiting")).to_have_count(1)
    expect(tab.page.locator(".run-bar .state")).to_have_text(tab.t("status.paused"))
    tab.button("control.resume").click()
    expect(tab.run.locator(".todo.running")).to_contain_text(tab.t("plan.attempt", attempt=2))
    tab.page.once("dialog", lambda asked: asked.dismiss())
    tab.button("control.cancel").click()
    expect(tab.run.locator(".todo.running")).to_have_count(1)
    assert [one["control"] for one in of(happened(product, run), "RunControlRequested")] == ["interrupt", "resume"]
    tab.page.once("dialog", lambda asked: asked.accept())
    tab.button("control.cancel").click()
    tab.ends("cancelled")
    expect(tab.page.locator(".run-bar")).to_have_count(0)
    expect(tab.run.locator(".ending")).to_contain_text(tab.t("status.cancelled"))


# --- questions --------------------------------------------------------------------------------------------------------


def test_what_is_meant_is_answered_by_an_option(product: Product, tab: Tab) -> None:
    tab.open().attach(reviews())
    tab.say("분석해줘")
    option = tab.question.get_by_role("button").first
    label = option.inner_text()
    option.click()
    expect(tab.run.locator(".settled")).to_contain_text(label)
    expect(tab.run.locator(".plan")).to_be_visible()
    assert len(of(product.events(tab.session), "MessageReceived")) == 1


def test_what_is_meant_is_answered_in_own_words(product: Product, tab: Tab) -> None:
    tab.open().attach(reviews())
    tab.say("분석해줘")
    tab.page.get_by_label(tab.t("decision.text")).fill("키워드 뽑아줘")
    tab.button("decision.send").click()
    expect(tab.run.locator(".settled")).to_contain_text("키워드 뽑아줘")
    expect(titles(tab).last).to_have_text("키워드 뽑기")
    assert of(product.events(tab.session), "CognitiveOutput")[-1]["plan_hint"]["goals"] == ["insight.keywords"]


def test_a_file_that_is_missing_is_given_with_the_answer(product: Product, tab: Tab) -> None:
    tab.open().say("이 리뷰들 감성 분석해줘")
    tab.question.locator("input[type=file]").set_input_files([reviews()])
    expect(tab.question.locator(".chip a")).to_have_text("리뷰.csv")
    tab.button("decision.send").click()
    expect(tab.run.locator(".plan")).to_be_visible()
    understood = of(product.events(tab.session), "CognitiveOutput")[-1]
    assert [file["name"] for file in understood["attachments"]] == ["리뷰.csv"]


@pytest.mark.parametrize(("option", "status"), [("approve", "completed"), ("reject", "partial")])
def test_a_tool_is_approved_with_its_arguments_or_left_out(
    option: str, status: str, product: Product, tab: Tab
) -> None:
    run = acting(product, tab, todo("a", "gated", to="김민아"), todo("b", "quick"))
    expect(tab.question.locator(".members")).to_contain_text("김민아")
    expect(tab.run.locator(".todo.done")).to_have_count(1)
    label = tab.question.get_by_role("button").nth(["approve", "reject"].index(option)).inner_text()
    tab.choose(label)
    if option == "reject":
        tab.page.get_by_label(tab.t("decision.reason")).fill("아직 아니에요")
        tab.question.locator(".more").get_by_role("button").click()
    tab.ends(status)
    expect(tab.run.locator(".todo").first).to_have_class(re.compile("done" if option == "approve" else "skipped"))
    (answer,) = [one["answer"] for one in of(happened(product, run), "DecisionAnswered") if one["kind"] == "tool"]
    assert answer == {"action": option} | ({"reason": "아직 아니에요"} if option == "reject" else {})


def test_a_tool_that_is_busy_is_waited_for_in_line(product: Product, tab: Tab) -> None:
    holder = product.do(perform(product.person, todo("holder", "device", seconds=60)))
    tab.look_at(holder)
    expect(tab.run.locator(".todo.running")).to_have_count(1)
    run = acting(product, tab, todo("b", "screen", seconds=0.1))
    tab.question.get_by_role("button").first.click()
    expect(tab.run.locator(".todo")).to_contain_text(tab.t("plan.place", place=1))
    product.do(control(product.person, holder, "cancel"))
    tab.ends()
    assert len(of(happened(product, run), "ToolBusy")) == 1


def test_a_step_that_failed_is_tried_again_or_left_out(product: Product, tab: Tab) -> None:
    again = acting(product, tab, todo("a", "moody", times=1, on_error="ask", retries=0), todo("b", "quick", "a"))
    expect(tab.question).to_contain_text("지금은 어렵습니다.")
    tab.question.get_by_role("button").nth(0).click()
    tab.ends()
    assert [name for name, _ in dispatched(product, again)] == ["a", "a", "b"]
    acting(product, tab, todo("a", "fails", on_error="ask"), todo("b", "quick", "a"), todo("c", "quick"))
    tab.question.get_by_role("button").nth(1).click()
    tab.ends("partial")
    expect(tab.run.locator(".todo.failed")).to_contain_text("오늘은 무대를 열지 않습니다.")
    expect(tab.run.locator(".todo.skipped")).to_contain_text(tab.t("skip.dependency_failed"))


def test_a_question_that_nobody_answered_in_time_says_so_and_what_was_done(product: Product, tab: Tab) -> None:
    run = acting(product, tab, todo("a", "fails", on_error="ask"), todo("b", "quick"))
    skip = tab.question.get_by_role("button").nth(1).inner_text()
    question = product.do(product.person.question(run["session_id"], "error"))
    product.do(let_time_pass(product.world, question))
    tab.ends("partial")
    expect(tab.question).to_have_count(0)
    told = tab.run.locator(".settled").last
    expect(told).to_contain_text(tab.t("decision.expired"))
    expect(told).to_contain_text(tab.t("decision.default", answer=skip))
    expect(told).not_to_contain_text(tab.t("decision.taken", answer=""))


def test_a_budget_that_is_used_up_is_raised_by_figures(product: Product, tab: Tab) -> None:
    chain = [todo("a", "write"), todo("b", "write", "a"), todo("c", "write", "b")]
    run = acting(product, tab, *chain, budget={"tool_calls": 2})
    tab.question.get_by_role("button").first.click()
    tab.question.get_by_label(tab.t("budget.tool_calls")).fill("3")
    tab.question.locator(".more").get_by_role("button").click()
    tab.ends()
    answers = [one["answer"] for one in of(happened(product, run), "DecisionAnswered")]
    assert answers[-1] == {"action": "raise", "budget": {"tool_calls": 3}}


def test_a_question_that_was_answered_in_another_tab_is_gone_from_this_one(product: Product, tab: Tab) -> None:
    run = acting(product, tab, todo("a", "gated"))
    other = tab.window.tab().look_at(run)
    expect(other.question).to_have_count(1)
    tab.question.get_by_role("button").first.click()
    for one in (tab, other):
        one.ends()
        expect(one.question).to_have_count(0)
        expect(one.run.locator(".todo.done")).to_have_count(1)


def test_typing_an_answer_answers_and_begins_nothing(product: Product, tab: Tab) -> None:
    tab.open().say("/chain")
    expect(tab.question).to_have_count(1)
    expect(tab.composer).to_have_attribute("placeholder", tab.t("composer.answer"))
    # what was written before the question could be read is no answer to it
    tab.page.wait_for_function("since => Date.now() - since > 1100", arg=tab.page.evaluate("Date.now()"))
    tab.composer.fill("approve")
    tab.composer.press("Enter")
    tab.ends()
    expect(tab.composer).to_have_value("")
    expect(tab.page.locator(".run")).to_have_count(1)
    assert len(of(product.events(tab.session), "MessageReceived")) == 1
