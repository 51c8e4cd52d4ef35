"""What comes from people and files is text in the console, whatever it looks like, and no link of theirs breaks it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.console import Product, Tab, csv, reviews
from tests.e2e.person import Json, Person

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.usefixtures("long_session")]

IMAGE = "<img src=x onerror=window.struck=1>"
SCRIPT = "<script>window.struck=1</script>"
LINK = "[여기](javascript:window.struck=1) javascript:window.struck=1"
ATTACK = f"{IMAGE} {SCRIPT} {LINK}"


def is_text(tab: Tab, *texts: str) -> None:
    """All of it can be read, and nothing of it has become a part of the page."""
    seen = tab.page.locator("#root").inner_text()
    assert [text for text in texts if text not in seen] == []
    assert tab.page.evaluate("window.struck ?? null") is None
    for made in ("img[src=x]", "#root script", "[onerror]", "a[href^='javascript']"):
        assert tab.page.locator(made).count() == 0, made


def test_a_sentence_that_looks_like_markup_is_text(tab: Tab) -> None:
    tab.open().say(ATTACK)
    expect(tab.page.locator(".run[data-status]:not([data-status=running]), .decision")).not_to_have_count(0)
    is_text(tab, ATTACK)
    expect(tab.page.locator(".sidebar li a")).to_have_text(ATTACK)
    tab.button("talk.trace").click()
    is_text(tab, ATTACK)
    tab.go("runs")
    expect(tab.page.locator(".board")).to_be_visible()
    is_text(tab)


def test_names_of_files_and_columns_and_an_answer_that_look_like_markup_are_text(tab: Tab) -> None:
    rows = "".join(f"{product},{stars},좋아요 {stars}\n" for product in (IMAGE, "펜") for stars in range(1, 6))
    tab.open().attach(csv(f"{IMAGE}.csv", f"상품,별점,{SCRIPT}\n{rows}"))
    expect(tab.page.locator(".composer .chip small")).to_contain_text(SCRIPT)
    tab.page.get_by_label(tab.t("composer.approve")).check()
    tab.say("상품별로 별점 1점이 몇 개야?")
    tab.ends()
    expect(tab.answer).to_contain_text(IMAGE)
    expect(tab.run.locator(".you .chip a")).to_have_text(f"{IMAGE}.csv")
    is_text(tab, IMAGE)


def test_a_title_of_a_step_that_looks_like_markup_is_text(tab: Tab) -> None:
    tab.open().say("/chain")
    tab.choose("Edit")
    tab.page.get_by_label(tab.t("plan.rename")).first.fill(ATTACK)
    tab.button("plan.save").click()
    expect(tab.run.locator(".todo .title").first).to_have_text(ATTACK)
    tab.button("plan.graph").click()
    expect(tab.run.locator(".react-flow__node").first).to_contain_text(IMAGE)
    tab.choose("Approve")
    tab.ends()
    is_text(tab)


NOBODYS = (
    "00000000-0000-4000-8000-000000000000", "not-a-session", "..", "%2e%2e%2fruns", "../runs", "%E0%A4%A",
    "a?after=0&x=", "#/runs", IMAGE, "9" * 3000,
)  # fmt: skip


def test_a_link_to_no_conversation_says_so_and_leads_on(tab: Tab) -> None:
    for session in NOBODYS:
        tab.page.goto("about:blank")
        tab.open(f"sessions/{session}")
        expect(tab.page.get_by_text(tab.t("link.unknown"))).to_be_visible()
        is_text(tab)
    tab.page.get_by_role("link", name=tab.t("app.new")).click()
    expect(tab.page.locator(".welcome")).to_be_visible()
    expect(tab.page.locator(".sidebar li a")).to_have_count(0)
    tab.say("고마워")
    tab.ends()


def test_a_file_that_is_refused_is_told_why_and_the_others_stay(tab: Tab) -> None:
    tab.window.expects("415")
    notes = FilePayload(name="메모.md", mimeType="text/markdown", buffer="배송이 빨랐습니다.".encode())
    tab.open().attach(reviews(), notes)
    program = FilePayload(name="setup.exe", mimeType="application/octet-stream", buffer=b"MZ" + bytes(100))
    tab.page.locator(".composer input[type=file]").set_input_files(program)
    told = tab.page.locator(".composer .failure")
    expect(told).to_contain_text("setup.exe")
    expect(told).to_contain_text(tab.t("error.code", code=1004))
    expect(tab.page.locator(".composer .chip a")).to_have_text(["리뷰.csv", "메모.md"])
    expect(tab.button("composer.send")).to_be_disabled()
    tab.composer.fill("분석해줘")
    expect(tab.button("composer.send")).to_be_enabled()


@pytest.fixture(scope="module")
def long_session(product: Product) -> Iterator["asyncio.Future[Json]"]:
    """A conversation of more than 2,000 events, which is held while other tests look elsewhere."""
    begun = product.begin(_hold(product.person))
    yield begun
    product.until(begun)


async def _hold(person: Person) -> Json:
    first = await person.say("/errand 100", auto_approve=True)
    await person.end_of(first)
    for _ in range(9):
        run = await person.say("/errand 100", auto_approve=True, session_id=first["session_id"])
        await person.end_of(run)
    return first


@contextmanager
def at_most(seconds: float, tab: Tab) -> Iterator[None]:
    """Of processor time that the page works: what a person waits for who has the machine to themselves."""
    session = tab.page.context.new_cdp_session(tab.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        told = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return float(told["TaskDuration"])

    before = worked()
    yield
    assert 0 < worked() - before < seconds
    session.detach()


def test_a_conversation_of_two_thousand_events_opens_in_three_seconds_and_scrolls(
    long_session: "asyncio.Future[Json]", product: Product, tab: Tab
) -> None:
    run = product.until(long_session)
    assert len(product.events(run["session_id"])) > 2000
    tab.open()
    with at_most(3, tab):
        tab.go(f"sessions/{run['session_id']}")
        expect(tab.page.locator(".run")).to_have_count(10)
        tab.ends()
        expect(tab.answer).to_be_in_viewport()
    runs = tab.page.locator("main.runs")
    tall, seen = runs.evaluate("box => [box.scrollHeight, box.clientHeight]")
    assert tall > 10 * seen
    tab.page.mouse.move(640, 400)
    for _ in range(10):
        tab.page.mouse.wheel(0, -tall)
    expect(runs).to_have_js_property("scrollTop", 0)
    expect(tab.page.locator(".run").first.locator(".you")).to_be_in_viewport()
    tab.button("talk.trace").click()
    slider = tab.page.get_by_role("slider")
    with at_most(3, tab):
        slider.fill("300")
        expect(tab.page.locator(".run")).to_have_count(2)
        slider.fill("2000")
        expect(tab.page.locator(".run")).to_have_count(10)
