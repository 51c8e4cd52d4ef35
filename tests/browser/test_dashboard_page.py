"""The dashboard in a real browser: quiet, readable, and no wider than a telephone."""

import importlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.unit.packs.marketing.analysed import analysed
from tests.unit.packs.marketing.context import texts

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory) -> Path:
    ctx = analysed("ko", tmp_path_factory)
    importlib.import_module("packs.marketing.tools.dashboard").run({}, ctx)
    page: Path = ctx.folder / "dashboard.html"
    page.write_bytes(ctx.newest("document.dashboard"))
    return page


@pytest.fixture
def faults() -> list[str]:
    """What the browser complained about, and what it asked for besides the page."""
    return []


@pytest.fixture(params=["light", "dark"])
def page(request, browser: Browser, dashboard: Path, faults: list[str]) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=request.param)
    opened.on("console", lambda message: faults.append(message.text))
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("request", lambda asked: faults.append(asked.url) if asked.url != dashboard.as_uri() else None)
    opened.goto(dashboard.as_uri())
    yield opened
    opened.close()


def test_the_page_is_quiet_readable_and_shows_its_figures(page: Page, faults: list[str]):
    assert page.locator("h1").inner_text() == texts("ko")["dashboard.title"]
    figures = page.locator(".figures li")
    assert figures.count() == 5
    assert figures.nth(0).is_visible()
    assert "228" in figures.nth(0).inner_text()
    assert page.locator("figure svg:visible").count() == 3
    page.locator("summary").first.click()
    assert page.locator("table:visible").count() == 1
    assert faults == []


def test_filters_count_anew_without_a_network(page: Page, faults: list[str]):
    figures, before = page.locator(".figures"), page.locator(".figures").inner_text()
    page.select_option("select[name=product]", index=2)
    first = figures.inner_text()
    assert page.locator(".live:visible").count() == 4
    assert not page.locator(".summary").is_visible()
    assert page.locator("figure svg:visible").count() == 0
    shown = page.locator(".live blockquote cite").all_inner_texts()
    chosen = page.locator("select[name=product] option").nth(2).inner_text()
    assert shown
    assert all(chosen in source for source in shown)
    page.select_option("select[name=from]", index=6)
    assert len({before, first, figures.inner_text()}) == 3
    page.click("button[name=reset]")
    expect(page.locator(".live")).to_have_count(0)  # asked again and again from outside: the page allows no eval
    assert figures.inner_text() == before
    assert page.evaluate("[...document.fonts].map(font => font.status)") == ["loaded"]
    assert faults == []


def test_letters_stand_out_from_what_they_are_on(page: Page):
    """The contrast of every text in HTML is at least 4.5 to 1, in the light and in the dark."""
    assert page.evaluate(CONTRAST) == []


def test_a_telephone_shows_it_without_scrolling_sideways(page: Page):
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.locator("figure svg.narrow:visible").count() == 3
    smallest = page.evaluate(SMALLEST)
    assert smallest >= 10.5
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    assert len(picture.getcolors(1_000_000) or []) > 100


# Sizes of letters as they appear, charts included, which are scaled with their box.
SMALLEST = """() => Math.min(...[...document.querySelectorAll('h1,h2,p,li,td,cite,svg.narrow text')]
  .filter(one => one.getBoundingClientRect().width > 0)
  .map(one => {
    const svg = one.closest('svg');
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    return scale * parseFloat(getComputedStyle(one).fontSize);
  }))"""

CONTRAST = """() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = parts(colour).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = one => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('h1,h2,p,li,strong,cite,summary,th,td')]
    .filter(one => one.getBoundingClientRect().width > 0 && one.innerText.trim())
    .map(one => {
      const pair = [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => b - a);
      return [one.innerText.slice(0, 30), Math.round((pair[0] + 0.05) / (pair[1] + 0.05) * 10) / 10];
    })
    .filter(([, ratio]) => ratio < 4.5);
}"""
