"""A real browser for tests: Chromium as the system has it, never one that is downloaded."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # names of an attacker, whose DNS says that they are this machine
    "--host-resolver-rules=MAP *.attacker.test 127.0.0.1",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromium() -> str:
    return chromium_path()


def chromium_path() -> str:
    """The path of a Chromium; without one the tests fail, because nobody else looks at the pages."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail("there is no Chromium on this machine; install it with: apt-get install -y chromium")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Not for longer than a module: as long as it is there an event loop runs, and asynchronous tests find it in their
    way."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield running
        running.close()
