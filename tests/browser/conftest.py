"""A real browser for tests, Chromium as the system has it, never one that is downloaded; a gateway, and a page of another
origin beside it."""

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from backbone.service import Backbone
from backbone.settings import Settings
from dream.local.embedded import EmbeddedNats
from services.gateway.app import service
from tests.browser.console import BUILT, DESK, Product, Tab, Window, product_running
from tests.conftest import _execute as execute
from tests.conftest import as_superuser, made, wait_for
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
SECRET = "금고 번호는 5150"
"""What the session says that somebody has."""


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


class Blog(BaseHTTPRequestHandler):
    """The page from elsewhere. It allows itself everything."""

    asked: ClassVar[list[str]] = []
    """The paths that somebody has asked it for."""

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>blog</title><p>hello")

    def log_message(self, *_: object) -> None:
        """Quiet."""


@dataclass(frozen=True, slots=True)
class Street:
    """The gateway, the blog next door, and a session that somebody has."""

    gateway: str
    blog: str
    session: str
    console: Path
    """The folder that the gateway takes its console from; empty."""
    backbone: Backbone
    loop: asyncio.AbstractEventLoop
    """Of the gateway, in its thread."""

    @property
    def port(self) -> str:
        return self.gateway.rpartition(":")[2]

    def versions(self) -> tuple[int, int]:
        """How many runs there are, and how far the session is."""
        runs = httpx.get(f"{self.gateway}/runs").json()["runs"]
        return len(runs), httpx.get(f"{self.gateway}/sessions/{self.session}").json()["version"]

    def keep(self, data: bytes, media_type: str) -> str:
        """The id of a file that is in the artifact store from now on, as if a tool had made it."""
        putting = self.backbone.artifacts.put(data, media_type)
        return asyncio.run_coroutine_threadsafe(putting, self.loop).result(30)[0]


@dataclass(frozen=True, slots=True)
class Served:
    """A gateway without layers behind it."""

    url: str
    owner_url: str
    """Of its database."""
    backbone: Backbone
    loop: asyncio.AbstractEventLoop


@contextmanager
def serving(
    name: str, postgres_server: Callable[[str], str], folder: Path, console: Path | None = None, **more: Any
) -> Iterator[Served]:
    """The gateway has a thread and a loop of its own: the browser's is in the way of others. `name` is of its database,
    `more` are settings."""
    admin = as_superuser(postgres_server("postgres"))
    wait_for(execute(admin, made(name)))
    nats = EmbeddedNats(folder / "nats")
    nats.start()
    settings = Settings(
        database_url=postgres_server(name),
        nats_url=nats.url,
        artifacts_url=(folder / "artifacts").as_uri(),
        port=0,
        bus_max_bytes=64 * 1024**2,
        **more,
    )
    told: dict[str, Any] = {}
    up = threading.Event()

    async def serve() -> None:
        backbone = await Backbone.connect(settings)
        gateway = service(backbone)
        if console is not None:
            gateway.app.state.console = console
        await gateway.start()
        told.update(url=gateway.url, backbone=backbone, loop=asyncio.get_running_loop(), end=asyncio.Event())
        up.set()
        await told["end"].wait()
        await gateway.stop()
        await backbone.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert up.wait(60)
        yield Served(told["url"], as_superuser(postgres_server(name)), told["backbone"], told["loop"])
    finally:
        told["loop"].call_soon_threadsafe(told["end"].set)
        thread.join(30)
        nats.stop()
        wait_for(execute(admin, f"drop database {name} with (force)"))


@pytest.fixture(scope="module")
def street(postgres_server: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Street]:
    folder: Path = tmp_path_factory.mktemp("street")
    blog = ThreadingHTTPServer(("127.0.0.1", 0), Blog)
    threading.Thread(target=blog.serve_forever, daemon=True).start()
    try:
        with serving("street", postgres_server, folder, folder / "console") as served:
            begun = httpx.post(f"{served.url}/agent/run-async", json={"text": SECRET}).json()
            yield Street(
                served.url, f"http://127.0.0.1:{blog.server_port}", begun["session_id"],
                folder / "console", served.backbone, served.loop,
            )  # fmt: skip
    finally:
        blog.shutdown()
        blog.server_close()


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
