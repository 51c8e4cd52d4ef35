"""The web console as a person has it: tabs of a real browser, before the whole product in processes of its own."""

import asyncio
import json
import re
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Self, TypeVar

from playwright.sync_api import Browser, BrowserContext, FilePayload, Locator, Page, ViewportSize, expect

from tests.e2e.person import Json, Person
from tests.e2e.world import EFFECTS, PLAIN, ROOT, STAGE, World, folder_for, running
from tests.packs.effects.tools.nap import WAKE

T = TypeVar("T")
BUILT = ROOT / "services/gateway/console/index.html"
TEXTS = ROOT / "console/src/texts"
PATIENCE = 40.0
"""Seconds for what takes some on a machine with nothing else to do."""
DESK, TELEPHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=800)
REPORT = "이 리뷰들 감성 분석하고 월별 트렌드 리포트 만들어줘"
LOCALES = {"ko": "ko-KR", "en": "en-GB", "ja": "ja-JP"}
# what the page's policy forbids is told to the console by Chromium alone; the event is the standard's
LISTEN = """addEventListener('securitypolicyviolation', violation => console.error(
  `policy: ${violation.violatedDirective} ${violation.blockedURI} ${violation.sourceFile}`));"""

expect.set_options(timeout=PATIENCE * 1000)


class Product:
    """The whole product in a thread with an event loop of its own: the browser's is in the way of others."""

    def __init__(self, world: World, person: Person, loop: asyncio.AbstractEventLoop) -> None:
        self.world = world
        self.person = person
        self._loop = loop

    @property
    def url(self) -> str:
        return self.world.stack.url

    def do(self, work: Coroutine[Any, Any, T], seconds: float = 3 * PATIENCE) -> T:
        """Waits for what tests of the protocol await."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def begin(self, work: Coroutine[Any, Any, T]) -> "asyncio.Future[T]":
        """What goes on meanwhile; its result is had with `until`."""
        return self.do(_started(work))

    def until(self, begun: "asyncio.Future[T]") -> T:
        return self.do(_ended(begun))

    def wake(self) -> None:
        """Ends the nap that a tool takes in a process of its own."""
        (self.world.outbox / WAKE).touch()

    def events(self, session: str) -> list[Json]:
        return self.do(self.person.events(session))


async def _started(work: Coroutine[Any, Any, T]) -> "asyncio.Future[T]":
    return asyncio.ensure_future(work)


async def _ended(begun: "asyncio.Future[T]") -> T:
    return await begun


@contextmanager
def product_running() -> Iterator[Product]:
    """All five services over real servers, with the tools that tests have, and the offline model."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def do(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(300)

    parts = AsyncExitStack()
    try:
        with folder_for("console") as folder:
            try:
                world = do(parts.enter_async_context(running(folder, f"{PLAIN},{EFFECTS},{STAGE}")))
                person = do(parts.enter_async_context(Person(world.stack.url)))
                yield Product(world, person, loop)
            finally:
                do(parts.aclose())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


class Tab:
    """One page of the console, in the language that it is shown in."""

    def __init__(self, window: "Window", page: Page) -> None:
        self.window = window
        self.page = page

    def open(self, place: str = "") -> Self:
        """Loads the page, and waits until it is there; `place` is what stands behind the #."""
        self.page.goto(f"{self.window.product.url}/console/#/{place}")
        expect(self.page.locator(".sidebar")).to_be_attached()
        return self

    def look_at(self, run: Json) -> Self:
        return self.open(f"sessions/{run['session_id']}")

    def go(self, place: str) -> None:
        """To another place of the page, as a link does."""
        self.page.evaluate("place => { location.hash = `/${place}`; }", place)

    def t(self, key: str, **values: object) -> str:
        """The page's sentence of a key."""
        return sentences(self.window.language)[key].format(**values)

    def button(self, key: str, within: Locator | None = None, **values: object) -> Locator:
        """The button with the page's sentence."""
        return (within or self.page).get_by_role("button", name=self.t(key, **values), exact=True)

    @property
    def composer(self) -> Locator:
        return self.page.locator(".composer textarea")

    @property
    def run(self) -> Locator:
        """The newest run."""
        return self.page.locator(".run").last

    @property
    def question(self) -> Locator:
        return self.run.locator(".decision")

    @property
    def answer(self) -> Locator:
        return self.run.locator("article.answer:not([aria-busy])")

    @property
    def session(self) -> str:
        """The id in the address, as soon as there is one."""
        self.page.wait_for_url(re.compile("#/sessions/"), timeout=PATIENCE * 1000)
        return self.page.url.rpartition("/")[2]

    def attach(self, *put: FilePayload) -> None:
        """Files, as the picker gives them; returns when they are stored."""
        self.page.locator(".composer input[type=file]").set_input_files(list(put))
        for file in put:
            expect(self.page.locator(".composer .chip a", has_text=file["name"])).to_be_visible()

    def say(self, text: str) -> None:
        """Writes and sends; returns when it has been taken."""
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.composer).to_have_value("")
        expect(self.run.locator(".you")).to_have_text(re.compile(re.escape(text)))

    def choose(self, option: str) -> None:
        """Answers the question with the option of this label."""
        self.question.get_by_role("button", name=option, exact=True).click()

    def ends(self, status: str = "completed") -> None:
        expect(self.run).to_have_attribute("data-status", status)


class Window:
    """A browser profile: its tabs share what the browser keeps."""

    def __init__(
        self, browser: Browser, product: Product, language: str, viewport: ViewportSize, locale: str = ""
    ) -> None:
        self.product = product
        self.language = language
        self.faults: list[str] = []
        self.expected: list[str] = []
        self.context: BrowserContext = browser.new_context(locale=locale or LOCALES[language], viewport=viewport)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.add_init_script(LISTEN)
        self.context.on(
            "console", lambda told: self.faults.append(told.text) if told.type in ("error", "warning") else None
        )
        self.context.on("weberror", lambda told: self.faults.append(str(told.error)))

    def tab(self) -> Tab:
        return Tab(self, self.context.new_page())

    def expects(self, fault: str) -> None:
        """A part of what the browser is going to complain about, as often as it likes, and once at least."""
        self.expected.append(fault)

    def close(self) -> None:
        self.context.close()

    def unforeseen(self) -> list[str]:
        """What the browser has complained about and nobody expected, and what was expected in vain."""
        faults = [fault for fault in self.faults if not any(part in fault for part in self.expected)]
        return faults + [f"no {part}" for part in self.expected if not any(part in fault for fault in self.faults)]


def sentences(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((TEXTS / f"{language}.json").read_text(encoding="utf-8"))
    return found


def csv(name: str, text: str | bytes) -> FilePayload:
    content = text if isinstance(text, bytes) else text.encode()
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def reviews(name: str = "리뷰.csv") -> FilePayload:
    """The demo reviews of the product."""
    return csv(name, (Path(str(files("packs.marketing") / "data")) / "demo_reviews_ko.csv").read_bytes())
