"""The boards of the console: whose turn it is in the open runs, and what nobody could handle."""

import re
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Locator, Route, expect

from backbone.ledger.port import DeadLetter
from backbone.ledger.postgres import PostgresLedger
from contracts import subjects
from contracts.envelope import to_headers
from contracts.errors import Code
from tests.browser.console import Product, Tab
from tests.e2e.person import Json
from tests.e2e.world import World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def waiting(product: Product) -> Json:
    """A run with a plan that nobody has answered yet."""
    run = product.do(product.person.say("/chain", language="ko"))
    product.do(product.person.question(run["session_id"]))
    return run


def test_a_run_that_waits_for_a_person_blinks_among_the_open_runs_and_leads_to_its_conversation(
    waiting: Json, tab: Tab
) -> None:
    link = f"a[href='#/sessions/{waiting['session_id']}']"
    row = tab.open("runs").page.locator("tr", has=tab.page.locator(link))
    expect(row).to_contain_text(tab.t("run.waiting"))
    dot = row.locator(".dot.person")
    assert dot.evaluate("dot => getComputedStyle(dot).animationName") != "none"
    expect(tab.page).to_have_title(f"{tab.t('runs.title')} · Dream Agent")
    stuck = tab.page.get_by_label(tab.t("runs.stuck"))
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    asked = re.compile("/runs.*stuck=false")
    tab.page.route(asked, hold)
    with tab.page.expect_request(asked):
        pass
    stuck.check()
    expect(row).to_have_count(0)
    tab.page.evaluate(
        """link => new MutationObserver(() => { window.came ||= document.querySelector(link) !== null; })
             .observe(document.body, {childList: true, subtree: true})""",
        link,
    )
    with tab.page.expect_response(asked):  # what was asked before, and comes after
        held[0].continue_()
    with tab.page.expect_response(re.compile("/runs.*stuck=true")):
        pass
    assert not tab.page.evaluate("window.came")
    tab.page.unroute_all(behavior="ignoreErrors")
    stuck.uncheck()
    expect(row).to_have_count(1)
    row.get_by_role("link").click()
    expect(tab.question).to_be_visible()


async def given_up(world: World, run: Json, reason: str) -> None:
    """The message that begins the run, as a letter of a handler that could not take it."""
    message = (await world.books.read(run["session_id"]))[1]
    subject = subjects.event(message.session_id, message.producer, message.type)
    letter = DeadLetter(
        uuid4(), "planning", subject, UUID(str(message.event_id)), to_headers(message), message.data, Code.INTERNAL, reason, 6
    )  # fmt: skip
    ledger = await PostgresLedger.connect(world.stack.database_url, min_size=1, max_size=1)
    try:
        await ledger.keep_dead_letter(letter)
    finally:
        await ledger.close()


def test_dead_letters_are_sent_again_or_discarded_and_a_refusal_is_told(
    product: Product, waiting: Json, tab: Tab
) -> None:
    over = product.do(product.person.say("/chain", auto_approve=True))
    product.do(product.person.end_of(over))
    for run, reason in ((waiting, "first"), (waiting, "second"), (over, "<b>third</b>")):
        product.do(given_up(product.world, run, reason))

    def letter(reason: str) -> Locator:
        return tab.page.locator("tr", has_text=reason)

    tab.open("dead-letters")
    tab.button("letters.retry", letter("first")).click()
    expect(letter("first")).to_have_count(0)
    tab.page.once("dialog", lambda asked: asked.dismiss())
    tab.button("letters.discard", letter("second")).click()
    expect(letter("second")).to_have_count(1)
    tab.page.once("dialog", lambda asked: asked.accept())
    tab.button("letters.discard", letter("second")).click()
    expect(letter("second")).to_have_count(0)
    tab.window.expects("409")  # the run is over
    tab.button("letters.retry", letter("<b>third</b>")).click()
    expect(letter("<b>third</b>")).to_contain_text(tab.t("error.code", code=9010))
    for state, reason in (("retried", "first"), ("discarded", "second"), ("dead", "<b>third</b>")):
        tab.button(f"letters.{state}").click()
        expect(letter(reason)).to_have_count(1)
