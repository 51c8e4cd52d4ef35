"""A company's own title, colour and logo, and the report on a single page."""

import base64
import importlib
import io
import json

import pytest
from PIL import Image
from pypdf import PdfReader

from contracts.artifacts import BRAND
from contracts.errors import Code
from contracts.tools import ToolError
from tests.unit.packs.marketing.analysed import analysed
from tests.unit.packs.marketing.context import texts

PLUM = (0x7A, 0x1F, 0x5C)
RED = (0xDD, 0x22, 0x11)


def ran(tool, ctx, **params):
    return importlib.import_module(f"packs.marketing.tools.{tool}").run(params, ctx)


def logo() -> str:
    file = io.BytesIO()
    Image.new("RGB", (160, 60), RED).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def branded(ctx, **settings):
    data = json.dumps(settings).encode()
    ctx.save(data, name="own.brand.json", media_type="application/json", type_=BRAND)


def test_report_and_dashboard_wear_the_title_colour_and_logo_that_were_given(tmp_path_factory):
    ctx = analysed("ko", tmp_path_factory)
    branded(ctx, title="별빛상사 고객의 소리", colour="#7a1f5c", logo=logo())
    ran("report", ctx)
    first = PdfReader(io.BytesIO(ctx.newest("document.pdf"))).pages[0]
    assert "별빛상사 고객의 소리" in first.extract_text()
    # A page may hold nothing but the rest of a table.
    assert ctx.pages_with(PLUM) >= ran("report", ctx)["pages"] - 1, "every heading"
    assert ctx.pages_with(RED) == 1
    ran("dashboard", ctx)
    page = ctx.newest("document.dashboard").decode()
    assert "<h1>별빛상사 고객의 소리</h1>" in page and "--head: #7a1f5c" in page and "data:image/png;base64" in page
    picture = Image.open(io.BytesIO(ctx.newest("image.dashboard"))).convert("RGB")
    assert {PLUM, RED} <= {colour for _, colour in picture.getcolors(1 << 22) or ()}


@pytest.mark.parametrize(
    "settings",
    [
        {"colour": "red; } body { display: none"},
        {"logo": "bm8gcGljdHVyZQ=="},
        {"logo": "?"},
        {"fonts": "x"},
        {"title": ""},
    ],
)
def test_settings_that_are_none_are_told_and_never_drawn(tmp_path_factory, settings):
    ctx = analysed("en", tmp_path_factory)
    branded(ctx, **settings)
    with pytest.raises(ToolError) as raised:
        ran("report", ctx)
    assert raised.value.code == Code.TOOL_ARGUMENTS_INVALID
    assert "own.brand.json" in str(raised.value)


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_a_report_on_one_page_keeps_what_matters_and_two_charts(tmp_path_factory, language):
    ctx = analysed(language, tmp_path_factory)
    result = ran("report", ctx, form="one_page")
    assert (result["pages"], result["sections"], result["charts"]) == (1, ["summary"], ["sentiment", "trend"])
    (page,) = PdfReader(io.BytesIO(ctx.newest("document.pdf"))).pages
    text = page.extract_text()
    assert "228" in text
    # what is the matter, what to do about it, how sure that is
    places = [text.index(texts(language)[f"report.boss.{part}"]) for part in ("matter", "todo", "sure")]
    assert places == sorted(places)
    assert "2025-05" in text[places[1] : places[2]]
    assert ctx.pages_with((0xC3, 0xCA, 0xD3)) == 1
