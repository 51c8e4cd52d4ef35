"""A conversation in the console: from a sentence to what came of it, in one tab, in two, and again later."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.console import REPORT, Product, Tab, Window, reviews
from tests.e2e.person import of, only
from tests.e2e.scene import perform, todo

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


def test_a_korean_sentence_and_a_file_become_a_plan_a_report_and_charts_and_the_record_shows_how(
    product: Product, tab: Tab
) -> None:
    page = tab.open().page
    tab.attach(reviews())
    expect(page.locator(".composer .chip")).to_contain_text("상품명")
    tab.say(REPORT)
    expect(tab.run.locator(".todo")).to_have_count(5)
    expect(tab.run.locator(".todo .mark.waiting")).to_have_count(5)
    expect(tab.question).to_contain_text("5단계")
    assert not of(product.events(tab.session), "PlanApproved")
    tab.choose("승인")
    tab.ends()
    expect(tab.run.locator(".todo .mark.done")).to_have_count(5)
    expect(tab.answer.locator(".said")).to_contain_text("228건")
    for chart in tab.answer.locator("img").all():
        chart.scroll_into_view_if_needed()
        expect(chart).to_have_js_property("complete", value=True)
        assert chart.evaluate("image => image.naturalWidth") > 300
    assert tab.answer.locator("img").count() == 2
    opens_the_report(tab)
    the_record_shows_how(tab, product)
    offer = tab.answer.locator(".offers button").first
    offer.click()
    expect(tab.page.locator(".run")).to_have_count(2)
    expect(tab.run.locator(".you")).not_to_have_text(REPORT)
    expect(tab.page.locator(".run").first.locator(".offers")).to_have_count(0)


def opens_the_report(tab: Tab) -> None:
    """In the page, and as a file."""
    with tab.page.expect_response(lambda answer: answer.url.endswith(".pdf")) as loaded:
        tab.button("answer.open", name="PDF").click()
    assert (loaded.value.status, loaded.value.headers["content-type"]) == (200, "application/pdf")
    frame = tab.answer.locator("iframe")
    expect(frame).to_be_visible()
    name = frame.get_attribute("title") or ""
    tab.button("app.close", tab.answer).click()
    expect(frame).to_have_count(0)
    with tab.page.expect_download() as saved:
        tab.answer.get_by_role("link", name=tab.t("answer.download", name=name)).click()
    assert saved.value.suggested_filename == name
    assert saved.value.path().read_bytes().startswith(b"%PDF-")


def the_record_shows_how(tab: Tab, product: Product) -> None:
    """The slider goes back to before the answer, and the replay comes back to now."""
    events = product.events(tab.session)
    answered = next(event["version"] for event in events if event["event"] == "ResponseOutput")
    tab.button("talk.trace").click()
    record = tab.page.locator(".trace")
    expect(record.locator("li")).to_have_count(len(events))
    slider = record.get_by_role("slider")
    slider.fill(str(answered - 1))
    expect(tab.answer).to_have_count(0)
    expect(tab.page.locator(".composer")).to_have_count(0)
    expect(tab.page.locator(".past")).to_contain_text(str(answered - 1))
    slider.fill(str(answered))
    expect(tab.answer).to_be_visible()
    planned = next(event["version"] for event in events if event["event"] == "PlanningOutput")
    slider.fill(str(planned))
    expect(tab.run.locator(".todo .mark.waiting")).to_have_count(5)
    slider.fill("1")
    expect(tab.page.locator(".run")).to_have_count(0)
    slider.fill(str(len(events) - 2))
    tab.button("trace.play").click()
    expect(tab.composer).to_be_visible()
    tab.ends()
    record.get_by_role("searchbox").fill("planning")
    expect(record.locator("li b", has_text="PlanningOutput")).to_have_count(1)
    expect(record.locator("li b", has_text="ResponseOutput")).to_have_count(0)


def test_a_page_that_is_loaded_again_in_the_middle_and_a_second_tab_show_the_same_in_the_end(
    product: Product, tab: Tab, windows: Callable[..., Window]
) -> None:
    steps = (todo("first", "quick"), todo("asks", "gated", "first", to="김민아"), todo("last", "quick", "asks"))
    tab.look_at(product.do(perform(product.person, *steps, language="ko")))
    expect(tab.run.locator(".todo.done")).to_have_count(1)
    elsewhere = windows().tab()
    elsewhere.page.goto(tab.page.url)
    tab.page.reload()
    for one in (tab, elsewhere):
        expect(one.question.locator(".members")).to_contain_text("김민아")
        expect(one.run.locator(".todo.done")).to_have_count(1)
    elsewhere.question.get_by_role("button").first.click()
    for one in (tab, elsewhere):
        one.ends()
        expect(one.run.locator(".todo.done")).to_have_count(3)
        expect(one.page.locator(".link")).to_have_text(one.t("link.live"))
    told = [re.sub(r"\s+", " ", one.page.locator(".runs").inner_text()) for one in (tab, elsewhere)]
    assert told[0] == told[1]


def test_links_lead_to_conversations_and_back_leads_back(tab: Tab) -> None:
    tab.open()
    tab.say("뭘 할 수 있어?")
    tab.ends()
    first = tab.session
    tab.page.get_by_role("link", name=tab.t("app.new")).click()
    expect(tab.page.locator(".welcome")).to_be_visible()
    expect(tab.page.locator(".run")).to_have_count(0)
    tab.say("고마워")
    tab.ends()
    second = tab.session
    assert second != first
    tab.page.go_back()
    expect(tab.page.locator(".welcome")).to_be_visible()
    tab.page.go_back()
    expect(tab.run.locator(".you")).to_have_text("뭘 할 수 있어?")
    expect(tab.page.locator(".run")).to_have_count(1)
    expect(tab.page).to_have_title(re.compile("뭘 할 수 있어"))
    listed = tab.page.locator(".sidebar li a")
    expect(listed).to_have_text(["고마워", "뭘 할 수 있어?"])
    listed.first.click()
    expect(tab.run.locator(".you")).to_have_text("고마워")
    for _ in range(5):  # faster than any of them opens
        for session in (first, second):
            tab.go(f"sessions/{session}")
    expect(tab.run.locator(".you")).to_have_text("고마워")
    tab.page.get_by_role("button", name=tab.t("app.forget", title="고마워")).click()
    expect(listed).to_have_text(["뭘 할 수 있어?"])
    expect(tab.page.locator(".welcome")).to_be_visible()


def test_what_was_begun_in_one_tab_is_listed_in_the_other_and_stays_listed(tab: Tab) -> None:
    other = tab.window.tab().open()
    tab.open().say("고마워")
    listed = other.page.locator(".sidebar li a")
    expect(listed).to_have_text(["고마워"])
    other.say("뭘 할 수 있어?")
    expect(listed).to_have_text(["뭘 할 수 있어?", "고마워"])
    tab.page.reload()
    expect(tab.page.locator(".sidebar li a")).to_have_text(["뭘 할 수 있어?", "고마워"])


def test_a_reminder_is_shown_in_every_tab_until_it_was_seen_in_one(product: Product, tab: Tab) -> None:
    run = product.do(perform(product.person, todo("nudge", "nudge", seconds=0.5), language="ko"))
    other = tab.look_at(run).window.tab().look_at(run)
    for one in (tab, other):
        expect(one.page.locator(".reminder")).to_contain_text("물 마시기")
    elsewhere = tab.window.tab().open()
    toast = elsewhere.page.locator(".toasts .reminder")
    expect(toast).to_contain_text("물 마시기")
    elsewhere.button("reminder.seen").click()
    expect(toast).to_have_count(0, timeout=4000)  # long before what waits elsewhere is asked for again
    for one in (tab, other):
        expect(one.page.locator(".reminder")).to_have_count(0)
    other.page.reload()
    other.ends()
    expect(other.page.locator(".reminder")).to_have_count(0)
    only(product.events(run["session_id"]), "ReminderSeen")


def test_what_somebody_thinks_of_an_answer_is_recorded(product: Product, tab: Tab) -> None:
    tab.open().say("고마워")
    tab.ends()
    good, bad = tab.button("answer.good"), tab.button("answer.bad")
    good.click()
    expect(good).to_have_attribute("aria-pressed", "true")
    bad.click()
    tab.page.get_by_label(tab.t("answer.comment")).fill("더 짧게")
    tab.button("composer.send", tab.answer).click()
    expect(bad).to_have_attribute("aria-pressed", "true")
    expect(tab.answer).to_contain_text(tab.t("answer.thanks"))
    given = of(product.events(tab.session), "FeedbackGiven")
    assert [(one["rating"], one.get("comment", "")) for one in given] == [(5, ""), (1, "더 짧게")]
