"""One sentence per tool and per output format through `dream ask`, and every file opened again. CI asks each case in one
language; `make gallery` asks all of them in all, and of three tables."""

import io
from collections.abc import AsyncIterator
from itertools import cycle
from pathlib import Path

import av
import polars as pl
import pytest
import pytest_asyncio
from openpyxl import load_workbook
from PIL import Image
from playwright.async_api import Browser, async_playwright
from pptx import Presentation
from pypdf import PdfReader
from rich.console import Console

from bench.gallery import LANGUAGES, Exhibit, GalleryCase, cases, index, make
from dream.client.target import Target
from dream.local.stack import LocalStack
from dream.texts import Texts
from tests.browser.conftest import FLAGS, chromium_path
from tests.e2e.world import folder_for

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

NAMES = list(dict.fromkeys(case.name for case in cases()))
SHOWN = [case for name, language in zip(NAMES, cycle(LANGUAGES), strict=False) for case in cases([name], [language])]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gallery() -> AsyncIterator[tuple[Path, Target]]:
    with folder_for("gallery") as folder:
        async with LocalStack(folder / "stack") as stack:
            yield folder, Target(stack.url, ours=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Starting one takes longer than what it is asked to look at."""
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        yield running
        await running.close()


@pytest.mark.parametrize("case", SHOWN, ids=lambda case: f"{case.name}-{case.language}")
async def test_a_sentence_becomes_files_that_open_again(
    case: GalleryCase, gallery: tuple[Path, Target], browser: Browser
) -> None:
    folder, server = gallery
    (exhibit,) = await make([case], folder, server, Texts("en"), Console(quiet=True))
    assert exhibit.faults == []
    assert str((exhibit.outcome.response or {})["text"]).strip()
    for attachment in exhibit.outcome.attachments:
        await opens_again(Path(str(attachment["path"])), case, browser)
    await page_shows(exhibit, folder)


async def opens_again(path: Path, case: GalleryCase, browser: Browser) -> None:
    """By what it is; an unknown kind of file is a fault of this test."""
    match path.suffix:
        case ".pdf":
            text = "\n".join(page.extract_text() for page in PdfReader(path).pages)
            assert in_language(text, case.language) and len(text) > 300
        case ".png":
            image = Image.open(path)
            assert min(image.size) >= 100 and not is_blank(image)
        case ".mp4":
            film_plays(path)
        case ".pptx":
            slides = Presentation(str(path)).slides
            texts = [shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame]
            assert len(slides) >= 5 and in_language("\n".join(texts), case.language)
        case ".html":
            await browser_shows(path, case.language, browser)
        case ".xlsx":
            sheet = load_workbook(path).worksheets[0]
            assert sheet.max_row > 1
            assert in_language("\n".join(str(cell) for row in sheet.values for cell in row), case.language)
        case ".csv":
            assert pl.read_csv(path).height > 0
        case ".json" | ".md" | ".vtt":
            assert in_language(read(path), case.language)
        case _:
            pytest.fail(f"nobody opens {path.name}")


def film_plays(path: Path) -> None:
    with av.open(str(path)) as film:
        stream = film.streams.video[0]
        looked_at, count = (12, stream.frames // 2), 0
        shown = []
        for count, frame in enumerate(film.decode(video=0), 1):
            if count in looked_at:
                shown.append(frame.to_ndarray(format="gray"))
        duration = (film.duration or 0) / av.time_base
    assert stream.codec_context.name == "h264"
    seconds = count / float(stream.average_rate or 1)
    assert 5 <= seconds <= 61 and abs(seconds - duration) < 0.5
    first, middle = shown
    assert first.std() > 1 and middle.std() > 1
    assert abs(first.astype(int) - middle).mean() > 1, "nothing moves"


async def browser_shows(path: Path, language: str, browser: Browser) -> None:
    page = await browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(request.url))
    await page.goto(path.as_uri())
    assert in_language(await page.inner_text("body"), language)
    picture = Image.open(io.BytesIO(await page.screenshot()))
    await page.close()
    assert faults == []
    assert not is_blank(picture)


def is_blank(picture: Image.Image) -> bool:
    return len(set(picture.convert("L").resize((64, 64)).tobytes())) < 3


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


async def page_shows(exhibit: Exhibit, folder: Path) -> None:
    html = index([exhibit], folder).read_text(encoding="utf-8")
    assert exhibit.case.sentence in html
    for attachment in exhibit.outcome.attachments:
        assert Path(str(attachment["path"])).name in html


def in_language(text: str, language: str) -> bool:
    """Korean has Hangul, Japanese kana; English has words and none."""
    hangul = sum("\uac00" <= letter <= "\ud7a3" for letter in text)
    if language == "ja":
        return sum("\u3040" <= letter <= "\u30ff" for letter in text) > 20
    return hangul > 20 if language == "ko" else hangul < len(text) / 3 and any(map(str.isascii, text.split()))
