"""The gateway goes away under the console, and comes back: nothing is missed, shown twice, lost, or sent twice."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.console import Product, Tab
from tests.e2e.person import of
from tests.e2e.scene import perform, todo

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

HELLO = "뭘 할 수 있어?"


def test_a_gateway_that_is_killed_and_comes_back_is_told_and_nothing_is_missed_or_sent_twice(
    product: Product, tab: Tab
) -> None:
    tab.window.expects("ERR_CONNECTION_REFUSED")
    steps = [todo(name, "nap", *after, seconds=0.7) for name, *after in (("a",), ("b", "a"), ("c", "b"))]
    run = product.do(perform(product.person, *steps, language="ko"))
    tab.look_at(run)
    tab.button("talk.trace").click()
    expect(tab.run.locator(".todo.done")).to_have_count(1)
    link = tab.page.locator(".link")
    product.do(product.world.stack.kill("gateway"))
    try:
        expect(link).to_have_text(tab.t("link.away"))
        tab.composer.fill(HELLO)
        tab.composer.press("Enter")
        expect(tab.page.locator(".composer .failure")).to_have_text(tab.t("error.unreachable"))
        expect(tab.composer).to_have_value(HELLO)
    finally:
        product.do(product.world.stack.restart("gateway"))
    product.do(product.world.stack.wait_ready())
    expect(link).to_have_text(tab.t("link.live"))
    tab.ends()
    expect(tab.run.locator(".todo.done")).to_have_count(3)
    expect(tab.composer).to_have_value(HELLO)
    tab.composer.press("Enter")
    expect(tab.page.locator(".run")).to_have_count(2)
    expect(tab.page.locator(".composer .failure")).to_have_count(0)
    expect(tab.composer).to_have_value("")
    tab.ends()
    events = product.events(run["session_id"])
    assert [one["text"] for one in of(events, "MessageReceived")] == ["/scene", HELLO]
    shown = tab.page.locator(".trace .version").all_inner_texts()
    assert shown == [str(event["version"]) for event in events]
    expect(tab.page.locator(".run")).to_have_count(2)


def test_a_message_whose_answer_was_lost_is_sent_again_and_taken_once(product: Product, tab: Tab) -> None:
    tab.window.expects("ERR_CONNECTION_RESET")
    lost = True
    keys: list[str] = []

    def pass_on(route: Route) -> None:
        """All of it reaches the gateway, whose answer gets lost at first."""
        keys.append(route.request.headers["idempotency-key"])
        answer = route.fetch()
        route.abort("connectionreset") if lost else route.fulfill(response=answer)

    tab.open().say("고마워")
    tab.ends()
    tab.page.route(re.compile("/agent/run-async$"), pass_on)
    tab.composer.fill(HELLO)
    tab.composer.press("Enter")
    expect(tab.page.locator(".composer .failure")).to_have_text(tab.t("error.unreachable"))
    expect(tab.page.locator(".run")).to_have_count(2)  # the socket has told what came of it
    expect(tab.composer).to_have_value(HELLO)
    lost = False
    tab.composer.press("Enter")
    expect(tab.composer).to_have_value("")
    assert len(set(keys)) == 1 < len(keys)
    tab.page.unroute_all()
    tab.composer.fill(HELLO)  # what was taken and is said again is another message
    tab.composer.press("Enter")
    expect(tab.page.locator(".run")).to_have_count(3)
    tab.ends()
    assert [one["text"] for one in of(product.events(tab.session), "MessageReceived")] == ["고마워", HELLO, HELLO]


def test_what_is_written_while_a_message_is_on_its_way_stays(product: Product, tab: Tab) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    tab.open()
    tab.page.route(re.compile("/agent/run-async$"), hold)
    tab.composer.fill(HELLO)
    with tab.page.expect_request(re.compile("/agent/run-async$")):
        tab.composer.press("Enter")
    tab.composer.press("Enter")  # twice is once
    tab.composer.fill("그리고 또")
    held[0].continue_()
    tab.ends()
    expect(tab.run.locator(".you")).to_have_text(HELLO)
    assert len(held) == 1
    tab.page.get_by_role("link", name=tab.t("app.new")).click()
    expect(tab.composer).to_have_value("그리고 또")


def test_what_was_written_is_there_after_a_look_elsewhere_and_after_the_page_was_loaded_again(tab: Tab) -> None:
    tab.open().say("고마워")
    tab.ends()
    here = tab.session
    tab.composer.fill("아직 쓰는 중")
    for place in ("runs", "", f"sessions/{here}"):
        tab.go(place)
        expect(tab.page.locator(".board" if place == "runs" else ".column")).to_be_visible()
        if not place:
            expect(tab.composer).to_have_value("")  # that is another conversation
    expect(tab.composer).to_have_value("아직 쓰는 중")
    tab.page.reload()
    expect(tab.composer).to_have_value("아직 쓰는 중")
