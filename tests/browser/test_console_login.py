"""The console before a gateway that asks for keys: who has none sees nothing, and who leaves leaves nothing behind."""

import asyncio
import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from backbone.ledger import access_keys
from contracts.access import Role
from services.gateway.http import authentication
from tests.browser.conftest import Served, serving
from tests.browser.console import BUILT, LISTEN, sentences

TEXTS = sentences("en")


@pytest.fixture(scope="module")
def guarded(postgres_server: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if not BUILT.is_file():
        pytest.fail("the web console has not been built: run `make console`")
    with (
        pytest.MonkeyPatch.context() as patched,
        serving("guarded", postgres_server, tmp_path_factory.mktemp("guarded"), auth="keys") as served,
    ):
        patched.setattr(authentication, "LOOK_SECONDS", 0.2)
        patched.setattr(authentication, "FRESH_SECONDS", 0.2)
        yield served


@pytest.fixture
def page(browser: Browser, guarded: Served) -> Iterator[Page]:
    """Asks at the end whether the browser has complained about anything but that it was refused."""
    faults: list[str] = []
    context = browser.new_context(locale="en-GB")
    context.add_init_script(LISTEN)
    context.on("console", lambda told: faults.append(told.text) if told.type in ("error", "warning") else None)
    context.on("weberror", lambda told: faults.append(str(told.error)))
    page = context.new_page()
    page.goto(f"{guarded.url}/")
    yield page
    context.close()
    assert [fault for fault in faults if "401" not in fault] == []


def key_of(guarded: Served, user: str, role: Role = Role.PERSON) -> str:
    making = access_keys.create(guarded.owner_url, user, role, "", None)
    return asyncio.run_coroutine_threadsafe(making, guarded.loop).result(30)


def log_in(page: Page, key: str) -> None:
    page.get_by_label(TEXTS["login.key"]).fill(key)
    page.keyboard.press("Enter")


def test_a_person_logs_in_talks_and_leaves_nothing_behind(page: Page, guarded: Served) -> None:
    key = key_of(guarded, "kim")
    expect(page.locator(".sidebar")).to_have_count(0)
    log_in(page, key[:-1] + "x")
    expect(page.get_by_role("alert")).to_contain_text("2000")
    log_in(page, key)
    expect(page.locator(".sidebar")).to_contain_text("kim")
    expect(page.get_by_role("link", name=TEXTS["app.runs"])).to_have_count(0)
    page.locator(".composer textarea").fill("my secret is 5150")
    page.keyboard.press("Enter")
    expect(page.locator(".run .you")).to_have_text("my secret is 5150")
    page.reload()
    expect(page.locator(".run .you")).to_have_text("my secret is 5150")
    link = page.url
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert key not in kept
    assert json.loads(kept)[2] == ""  # the cookie is not for scripts
    page.locator(".composer textarea").fill("and 5150 once more")
    page.get_by_role("button", name=TEXTS["app.leave"].format(user="kim")).click()
    expect(page.get_by_label(TEXTS["login.key"])).to_be_visible()
    log_in(page, key_of(guarded, "lee"))
    expect(page.locator(".sidebar li a")).to_have_count(0)
    expect(page.locator(".composer textarea")).to_have_value("")
    assert "5150" not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    page.goto(link)
    page.reload()
    expect(page.locator(".empty", has_text=TEXTS["link.unknown"])).to_be_visible()


def test_an_operator_sees_the_boards(page: Page, guarded: Served) -> None:
    log_in(page, key_of(guarded, "oncall", Role.OPERATOR))
    page.get_by_role("link", name=TEXTS["app.runs"]).click()
    expect(page.locator(".board h1")).to_have_text(TEXTS["runs.title"])
    expect(page.locator(".board .failure")).to_have_count(0)


def test_whose_key_is_revoked_is_asked_for_another_one(page: Page, guarded: Served) -> None:
    key = key_of(guarded, "jun")
    log_in(page, key)
    page.locator(".composer textarea").fill("hello")
    page.keyboard.press("Enter")
    expect(page.locator(".run .you")).to_have_text("hello")
    revoking = access_keys.revoke(guarded.owner_url, key.split("_")[1])
    assert asyncio.run_coroutine_threadsafe(revoking, guarded.loop).result(30)
    expect(page.get_by_label(TEXTS["login.key"])).to_be_visible()
