"""A real browser for tests: Chromium as the system has it, never one that is downloaded."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.browser.console import BUILT, DESK, Product, Tab, Window, product_running
from tests.support.distribution import ends_after_its_files

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


@pytest.fixture(scope="session")
def product(request: pytest.FixtureRequest) -> Iterator[Product]:
    """For all files that look at the console: five processes take fifteen seconds to start."""
    if not BUILT.is_file():
        pytest.fail("the web console has not been built: run `make console`")
    ends_after_its_files(request)
    with product_running() as product:
        yield product


@pytest.fixture
def windows(browser: Browser, product: Product) -> Iterator[Callable[..., Window]]:
    """Makes browser profiles, and asks each at the end what it has complained about."""
    opened: list[Window] = []

    def make(language: str = "ko", viewport: ViewportSize = DESK, locale: str = "") -> Window:
        opened.append(Window(browser, product, language, viewport, locale))
        return opened[-1]

    yield make
    for window in opened:
        window.close()
    assert [fault for window in opened for fault in window.unforeseen()] == []


@pytest.fixture
def tab(windows: Callable[..., Window]) -> Tab:
    """A Korean person's."""
    return windows().tab()
