"""Who can use the console, and on what: with the keys alone, on a telephone, in each language, in the dark."""

from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Locator, ViewportSize, expect

from tests.browser.console import DESK, LOCALES, TELEPHONE, Product, Tab, Window, csv, sentences
from tests.e2e.person import Json
from tests.e2e.scene import perform, todo

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

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


@pytest.fixture(scope="module")
def wordy(product: Product) -> Json:
    """A run whose words are longer than any line, and which asks about a call that has some, and about a failure."""
    steps = (
        todo("a", "gated", to="y" * 400) | {"title": "z" * 190},
        todo("b", "fails", on_error="ask"),
        todo("c", "nudge", seconds=0),
    )
    run = product.do(perform(product.person, *steps, said="/scene"))
    for kind in ("tool", "error"):
        product.do(product.person.question(run["session_id"], kind))
    product.do(product.person.say("x" * 300, session_id=run["session_id"]))
    return run


# --- keys -------------------------------------------------------------------------------------------------------------


# Whether the focus is there, and what has it without a sign of it. Of the box to write in, the frame is the sign.
FOCUS = """wanted => {
  const at = document.activeElement ?? document.body;
  const {outlineStyle: line, outlineWidth: width} = getComputedStyle(at);
  const shown = (line !== 'none' && parseFloat(width) >= 1) || at.matches('body, .composer textarea');
  return [at === wanted, shown ? null : at.outerHTML];
}"""


def reach(tab: Tab, wanted: Locator, most: int = 60) -> None:
    """Goes there with Tab alone; wherever that leads, one sees where one is."""
    element = wanted.element_handle()
    for _ in range(most):
        tab.page.keyboard.press("Tab")
        there, unseen = tab.page.evaluate(FOCUS, element)
        assert unseen is None
        if there:
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


def test_a_file_is_chosen_with_the_keys_dropped_or_pasted_and_the_page_stays_where_one_misses(tab: Tab) -> None:
    tab.page.on(
        "filechooser", lambda _: None
    )  # or the browser learns while the key is pressed that it is to tell of one
    chips = tab.open().page.locator(".composer .chip a")
    reach(tab, tab.button("composer.attach"))
    with tab.page.expect_file_chooser() as picker:
        tab.page.keyboard.press("Enter")
    picker.value.set_files(csv("chosen.csv", "a,b\n1,2\n"))
    expect(chips).to_have_text(["chosen.csv"])
    put = """([kind, name, on]) => {
      const carried = new DataTransfer();
      carried.items.add(new File([`a,b\n${name},2\n`], name, {type: 'text/csv'}));
      const how = {bubbles: true, cancelable: true, [kind === 'paste' ? 'clipboardData' : 'dataTransfer']: carried};
      return document.querySelector(on).dispatchEvent(new {drop: DragEvent, paste: ClipboardEvent}[kind](kind, how));
    }"""
    assert tab.page.evaluate(put, ["drop", "dropped.csv", ".composer"]) is False
    expect(chips).to_have_text(["chosen.csv", "dropped.csv"])
    assert tab.page.evaluate(put, ["paste", "pasted.csv", ".composer textarea"]) is False
    expect(chips).to_have_text(["chosen.csv", "dropped.csv", "pasted.csv"])
    assert tab.page.evaluate(put, ["drop", "missed.csv", ".sidebar"]) is False
    tab.page.get_by_role("button", name=tab.t("composer.detach", name="dropped.csv")).click()
    expect(chips).to_have_text(["chosen.csv", "pasted.csv"])


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

# What is seen but stands out of the window, or of a box that hides it, and parts of the page that scroll sideways. Within
# them a table may be wide, and scroll by itself.
PARTS = "main, aside, nav, header, form, dialog"
CUT = """parts => {
  const cut = [...document.querySelectorAll(parts)].filter(part => part.scrollWidth > part.clientWidth).map(part => part.className);
  for (const one of document.querySelectorAll('#root *, dialog *')) {
    const box = one.getBoundingClientRect();
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!box.width || !box.height || (!own && !one.matches('button, input, textarea, img, select'))) continue;
    const scrolls = at => at && !at.matches(parts) &&
      (/auto|scroll/.test(getComputedStyle(at).overflowX) || scrolls(at.parentElement));
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
    assert page.evaluate(CUT, PARTS) == []
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


@pytest.mark.parametrize("viewport", [TELEPHONE, DESK], ids=["telephone", "desk"])
def test_words_that_are_longer_than_a_line_are_broken(
    viewport: ViewportSize, wordy: Json, windows: Callable[..., Window]
) -> None:
    tab = windows(viewport=viewport).tab().look_at(wordy)
    expect(tab.page.locator(".run")).to_have_count(2)
    first = tab.page.locator(".run").first
    expect(first.locator(".decision")).to_have_count(2)
    is_in_order(tab)
    tab.button("talk.trace").click()
    for event in tab.page.locator(".trace summary", has_text="PlanningOutput").all():
        event.click()
    is_in_order(tab)
    tab.go("runs")
    expect(tab.page.locator(".toasts .reminder")).to_be_visible()
    expect(tab.page.locator(f"a[href='#/sessions/{wordy['session_id']}']", has_text="x" * 100)).to_be_visible()
    is_in_order(tab)


def test_a_browser_in_another_language_shows_english_and_says_so(windows: Callable[..., Window]) -> None:
    tab = windows("en", locale="fr-FR").tab().open()
    expect(tab.page.get_by_text(tab.t("welcome.title"))).to_be_visible()
    tab.button("app.settings").click()
    language = tab.page.get_by_label(tab.t("settings.language"))
    expect(language).to_have_value("en")
    language.select_option("ja")
    expect(tab.page.get_by_text(sentences("ja")["welcome.title"])).to_be_attached()
    tab.page.reload()
    expect(tab.page.get_by_text(sentences("ja")["welcome.title"])).to_be_visible()


def test_a_table_is_sorted_by_any_of_its_columns(answered: Json, tab: Tab) -> None:
    table = tab.look_at(answered).answer.locator("table")
    first = table.locator("tbody tr").first
    head = table.locator("th").first
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(first).to_contain_text("상품 0")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(first).to_contain_text("상품 9")
    table.locator("th").last.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "none")


# Texts whose contrast with what is behind them is below 4.5 to 1, but those of what cannot be pressed.
PALE = """() => {
  const pen = Object.assign(document.createElement('canvas'), {width: 1, height: 1})
    .getContext('2d', {willReadFrequently: true});
  const parts = colour => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return pen.getImageData(0, 0, 1, 1).data;
  };
  const light = colour => {
    const [r, g, b] = [...parts(colour)].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = one => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (parts(colour)[3] > 250) return colour;
    }
    return 'white';
  };
  return [...document.querySelectorAll('#root *')]
    .filter(one => one.getBoundingClientRect().width && !one.closest(':disabled, .mark') &&
      [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    .map(one => {
      const pair = [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => b - a);
      return [one.innerText.slice(0, 30), Math.round((pair[0] + 0.05) / (pair[1] + 0.05) * 10) / 10];
    })
    .filter(([, ratio]) => ratio < 4.5);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_in_the_light_and_in_the_dark(
    scheme: Literal["light", "dark"], product: Product, answered: Json, tab: Tab
) -> None:
    run = product.do(perform(product.person, todo("a", "quick"), budget={"tool_calls": 0}, language="ko"))
    tab.page.emulate_media(color_scheme=scheme)
    tab.look_at(answered)
    expect(tab.answer.locator("table")).to_be_visible()
    tab.button("talk.trace").click()
    expect(tab.page.locator(".trace li").first).to_be_visible()
    assert tab.page.evaluate(PALE) == []
    tab.look_at(run)
    tab.question.get_by_role("button").first.click()
    expect(tab.question.get_by_role("button", pressed=True)).to_be_visible()
    assert tab.page.evaluate(PALE) == []
    tab.go("runs")
    expect(tab.page.locator(".dot.person").first).to_be_visible()
    assert tab.page.evaluate(PALE) == []


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
