"""Who can use the console, and on what: with the keys alone, on a telephone, in each language; and the boards."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Locator, expect

from backbone.ledger.port import DeadLetter
from backbone.ledger.postgres import PostgresLedger
from contracts import subjects
from contracts.envelope import to_headers
from contracts.errors import Code
from tests.browser.console import LOCALES, TELEPHONE, Product, Tab, Window, csv, sentences
from tests.e2e.person import Json
from tests.e2e.world import World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

QUESTION = "상품별로 별점 1점이 몇 개야?"


@pytest.fixture(scope="module")
def waiting(product: Product) -> Json:
    """A run with a plan that nobody has answered yet."""
    run = product.do(product.person.say("/chain", language="ko"))
    product.do(product.person.question(run["session_id"]))
    return run


@pytest.fixture(scope="module")
def answered(product: Product) -> Json:
    """A run with a table in its answer."""
    person = product.person
    names = [f"아주 긴 이름의 상품 {number} (2026년형 하늘색 무선)" for number in range(12)]
    rows = "".join(f"{name},{stars},좋아요 {stars}\n" for name in names for stars in (1, 5))
    file = csv("이름이_아주_긴_리뷰_파일_2026년_하반기_전체_상품.csv", f"상품,별점,내용\n{rows}")
    stored = product.do(person.upload(file["name"], file["buffer"]))
    run = product.do(person.say(QUESTION, attachments=[stored], auto_approve=True))
    product.do(person.end_of(run))
    return run


# --- keys -------------------------------------------------------------------------------------------------------------


def reach(tab: Tab, wanted: Locator, most: int = 60) -> None:
    """Goes there with Tab alone; wherever that leads, one sees where one is."""
    for _ in range(most):
        tab.page.keyboard.press("Tab")
        style = "one => [getComputedStyle(one).outlineStyle, parseFloat(getComputedStyle(one).outlineWidth)]"
        focused = tab.page.locator(":focus")
        if focused.count() == 0:
            continue  # the browser's own, or the page as a whole
        line, width = focused.evaluate(style)
        framed = focused.evaluate("one => Boolean(one.closest('.composer:focus-within'))")
        assert (line != "none" and width >= 1) or framed, focused.evaluate("one => one.outerHTML")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    pytest.fail(f"not with {most} times Tab: {wanted}")


def test_a_plan_is_asked_for_and_approved_with_the_keys_alone(tab: Tab) -> None:
    keys = tab.open().page.keyboard
    expect(tab.composer).to_be_focused()
    keys.type("/chain")
    keys.press("Enter")
    expect(tab.question).to_be_visible()
    expect(tab.composer).to_be_focused()
    reach(tab, tab.question.get_by_role("button", name="Edit", exact=True))
    keys.press("Enter")
    steps = tab.run.locator("form .todo")
    reach(tab, steps.last.get_by_role("checkbox"))
    keys.press("Space")
    reach(tab, tab.button("plan.save"))
    keys.press("Enter")
    expect(tab.run.locator(".todo")).to_have_count(2)
    reach(tab, tab.question.get_by_role("button", name="Approve", exact=True))
    keys.press("Enter")
    tab.ends()


def test_enter_that_ends_a_syllable_sends_nothing_and_shift_enter_begins_a_line(tab: Tab) -> None:
    sent: list[str] = []
    tab.open().page.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)
    tab.composer.fill("고마워")
    tab.composer.press("Shift+Enter")
    expect(tab.composer).to_have_value("고마워\n")
    tab.composer.evaluate(
        """box => box.dispatchEvent(new KeyboardEvent('keydown',
             {key: 'Enter', code: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"""
    )
    expect(tab.composer).to_have_value("고마워\n")
    assert sent == []
    tab.composer.press("Enter")
    expect(tab.run.locator(".you")).to_have_text("고마워")
    assert len(sent) == 1


# --- a telephone, and languages ---------------------------------------------------------------------------------------

# What is seen but stands out of the window, or of a box that hides it; what scrolls by itself may be wide.
CUT = """() => {
  const cut = [];
  for (const one of document.querySelectorAll('#root *, dialog *')) {
    const box = one.getBoundingClientRect();
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!box.width || !box.height || (!own && !one.matches('button, input, textarea, img, select'))) continue;
    const scrolls = at => at && (/auto|scroll/.test(getComputedStyle(at).overflowX) || scrolls(at.parentElement));
    const style = getComputedStyle(one);
    const hidden = style.overflowX === 'hidden' && one.scrollWidth > one.clientWidth + 1 && style.textOverflow !== 'ellipsis';
    if (scrolls(one.parentElement)) continue;
    if (hidden || box.left < -1 || box.right > innerWidth + 1) cut.push(one.outerHTML.slice(0, 160));
  }
  return cut;
}"""
# Everything that is shown or read aloud.
SAID = """() => [document.title, document.body.innerText, ...[...document.querySelectorAll('*')].flatMap(one =>
  ['aria-label', 'title', 'placeholder', 'alt'].map(name => one.getAttribute(name) ?? ''))].join('\\n')"""


def is_in_order(tab: Tab) -> None:
    """As wide as the window, and in its language: no key is left of a text."""
    page = tab.page
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(CUT) == []
    said = page.evaluate(SAID)
    assert [key for key in sentences("en") if key in said] == []
    assert page.evaluate("document.documentElement.lang") == tab.window.language


@pytest.mark.parametrize("language", LOCALES)
def test_every_page_fits_a_telephone_in_its_language(
    language: str, waiting: Json, answered: Json, windows: Callable[..., Window]
) -> None:
    tab = windows(language, TELEPHONE).tab().open()
    page = tab.page
    expect(page.get_by_text(tab.t("welcome.title"))).to_be_visible()
    is_in_order(tab)
    tab.go(f"sessions/{waiting['session_id']}")
    expect(tab.question).to_be_visible()
    is_in_order(tab)
    tab.button("plan.edit", tab.run.locator(".plan")).click()
    expect(tab.button("plan.save")).to_be_visible()
    is_in_order(tab)
    tab.button("talk.trace").click()
    expect(page.locator(".trace li").first).to_be_visible()
    is_in_order(tab)
    tab.go(f"sessions/{answered['session_id']}")
    expect(tab.answer.locator("table")).to_be_visible()
    is_in_order(tab)
    tab.go("runs")
    expect(page.get_by_role("heading", name=tab.t("runs.title"))).to_be_visible()
    expect(page.get_by_role("link", name="/chain").first).to_be_visible()
    is_in_order(tab)
    tab.go("dead-letters")
    expect(page.get_by_role("heading", name=tab.t("letters.title"))).to_be_visible()
    is_in_order(tab)
    through_the_menu(tab)


def through_the_menu(tab: Tab) -> None:
    """It opens above the page, leads on, and is closed again."""
    menu, sidebar = tab.button("app.menu"), tab.page.locator(".sidebar")
    expect(sidebar).to_be_hidden()
    menu.click()
    expect(sidebar).to_be_visible()
    is_in_order(tab)
    tab.button("app.settings").click()
    expect(tab.page.get_by_role("dialog")).to_be_visible()
    is_in_order(tab)
    tab.page.keyboard.press("Escape")
    expect(tab.page.get_by_role("dialog")).to_have_count(0)
    tab.page.get_by_role("link", name=tab.t("app.runs")).click()
    expect(tab.page.get_by_role("heading", name=tab.t("runs.title"))).to_be_visible()
    expect(sidebar).to_be_hidden()


# --- boards -----------------------------------------------------------------------------------------------------------


def test_a_run_that_waits_for_a_person_blinks_among_the_open_runs_and_leads_to_its_conversation(
    waiting: Json, tab: Tab
) -> None:
    row = tab.open("runs").page.locator("tr", has=tab.page.locator(f"a[href='#/sessions/{waiting['session_id']}']"))
    expect(row).to_contain_text(tab.t("run.waiting"))
    dot = row.locator(".dot.person")
    assert dot.evaluate("dot => getComputedStyle(dot).animationName") != "none"
    stuck = tab.page.get_by_label(tab.t("runs.stuck"))
    stuck.check()
    expect(row).to_have_count(0)
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
    product: Product, waiting: Json, answered: Json, tab: Tab
) -> None:
    for run, reason in ((waiting, "first"), (waiting, "second"), (answered, "<b>third</b>")):
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
