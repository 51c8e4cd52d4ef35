"""The slides open again, hold the numbers of the data in charts that can be edited, and nothing runs over its box."""

import csv
import importlib
import io
import re
from collections import Counter
from functools import cache
from typing import Any

import pytest
from PIL import ImageFont
from pptx import Presentation
from pptx.opc.constants import RELATIONSHIP_TYPE

from backbone import packs
from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.charts.style import ACCENT, COLOURS, INK
from packs.marketing.reporting import fonts
from packs.marketing.slides import theme
from services.planning.domain.chain import chain
from tests.unit.packs.marketing.analysed import BEFORE, analysed, demo
from tests.unit.packs.marketing.context import texts

SECTIONS = ["title", "facts", "likes", "sentiment", "trend", "voices", "objections", "next"]


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    return cache(lambda language: analysed(language, tmp_path_factory))


@pytest.fixture(scope="module")
def make(contexts):
    @cache
    def made(language: str, wish: tuple[tuple[str, str], ...]) -> tuple[dict[str, Any], bytes]:
        ctx = contexts(language)
        result = importlib.import_module("packs.marketing.tools.sales_material").run(dict(wish), ctx)
        return result, ctx.newest("document.slides")

    def call(language: str, **wish: str) -> tuple[dict[str, Any], Any]:
        result, pptx = made(language, tuple(wish.items()))
        return result, Presentation(io.BytesIO(pptx))

    return call


def reviews(language: str) -> list[list[str]]:
    """The demo's reviews without bad rows and repetitions, counted apart from the pack."""
    data = demo(language).read_text(encoding="utf-8")
    rows = [row for row in csv.reader(io.StringIO(data)) if len(row) == 6 and row[4].strip() not in ("", "N/A")][1:]
    return list({(re.sub(r"\W", "", row[4]).lower(), row[1]): row for row in reversed(rows)}.values())


def charts(deck) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, slide in enumerate(deck.slides):
        for shape in slide.shapes:
            if shape.has_chart:
                found.setdefault(number, []).append(shape)
    return found


def written(deck) -> str:
    return "\n".join(shape.text_frame.text for slide in deck.slides for shape in slide.shapes if shape.has_text_frame)


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_each_section_is_a_slide_with_its_title_in_the_language_and_notes_for_the_speaker(make, language):
    result, deck = make(language)
    assert result["sections"] == SECTIONS
    assert result["slides"] == len(deck.slides) == len(SECTIONS)
    assert (deck.slide_width, deck.slide_height) == (12192000, 6858000)
    said = texts(language)
    titles = [slide.shapes.title.text_frame.text for slide in deck.slides]
    assert titles == [said["sales_material.title"], *(said[f"sales_material.heading.{name}"] for name in SECTIONS[1:])]
    source = said["sales_material.source"].split("{")[0].strip()
    for slide in deck.slides:
        notes = slide.notes_slide.notes_text_frame.text.split("\n")
        assert len(notes) >= 2
        assert any(note.startswith(source) or "demo_reviews" in note for note in notes)


def test_the_sentiment_chart_holds_the_shares_of_every_product(make, contexts):
    _, deck = make("ko")
    (frame,) = charts(deck)[3]
    total = Counter(row[1] for row in reviews("ko"))
    drawn = frame.chart.plots[0]
    names = list(drawn.categories)
    assert names[0].endswith(f"({sum(total.values())})")
    assert {re.sub(r" \(\d+\)$", "", name): int(name.rsplit("(", 1)[1][:-1]) for name in names[1:]} == dict(total)
    judged = contexts("ko").inputs("insight.sentiment")[-1].path
    import polars as pl

    table = pl.read_parquet(judged)
    for place, product in enumerate(name.rsplit(" (", 1)[0] for name in names[1:]):
        part = table.filter(pl.col("product") == product)["polarity"].to_list()
        for series, side in zip(drawn.series, ("positive", "neutral", "negative"), strict=True):
            assert series.values[place + 1] == pytest.approx(part.count(side) / total[product], abs=1e-4)


def test_the_trend_charts_hold_every_month_of_the_file(make):
    _, deck = make("ko")
    line, columns = charts(deck)[4]
    months = Counter(row[3][:7] for row in reviews("ko") if re.fullmatch(r"2025-0\d-\d\d", row[3]))
    assert dict(zip(columns.chart.plots[0].categories, columns.chart.plots[0].series[0].values, strict=True)) == months
    assert list(line.chart.plots[0].categories) == sorted(months)
    assert all(0 <= value <= 1 for value in line.chart.plots[0].series[0].values)


def test_liked_terms_are_in_as_many_reviews_as_the_chart_says_at_least(make):
    _, deck = make("en")
    (frame,) = charts(deck)[2]
    said = [row[4].lower() for row in reviews("en")]
    pairs = list(zip(frame.chart.plots[0].categories, frame.chart.plots[0].series[0].values, strict=True))
    assert len(pairs) >= 5
    for term, positive in pairs:
        assert 0 < positive <= sum(term in text for text in said), term


def test_charts_can_be_edited_and_are_described_to_those_who_do_not_see_them(make):
    _, deck = make("en")
    frames = [frame for found in charts(deck).values() for frame in found]
    assert len(frames) == 4
    for frame in frames:
        assert frame.chart.part.chart_workbook.xlsx_part.blob.startswith(b"PK")
        described = frame._element.nvGraphicFramePr.cNvPr.get("descr")
        assert re.sub(r" \(\d+\)$", "", str(next(iter(frame.chart.plots[0].categories)))) in described


def test_the_numbers_on_the_facts_slide_are_those_of_the_file(make):
    _, deck = make("ko")
    ratings = [int(row[2]) for row in reviews("ko") if row[2] in set("12345")]
    page = "\n".join(shape.text_frame.text for shape in deck.slides[1].shapes if shape.has_text_frame)
    assert f"{len(reviews('ko'))}" in page
    assert f"{sum(ratings) / len(ratings):.2f} / 5" in page


@pytest.mark.parametrize(("language", "font"), [("ko", "Noto Sans KR"), ("en", "Noto Sans KR"), ("ja", "Noto Sans JP")])
def test_the_templates_have_the_colours_of_all_pictures_and_a_font_of_the_language(language, font):
    deck = theme.blank(language)
    look = deck.slide_master.part.part_related_by(RELATIONSHIP_TYPE.THEME).blob.decode()
    colours = dict(re.findall(r'<a:(\w+)><a:srgbClr val="(\w{6})"/></a:\1>', look))
    drawn = {"dk1": INK, "accent1": ACCENT, "accent2": COLOURS["positive"], "accent3": COLOURS["negative"]}
    assert {name: f"#{colours[name].lower()}" for name in drawn} == drawn
    assert look.count(f'typeface="{font}"') == 4
    assert [layout.name for layout in deck.slide_layouts] == ["Title Slide", "Title Only"]
    assert not list(deck.slides)


def test_a_product_narrows_every_number_to_its_own_reviews(make):
    result, deck = make("en", product="cordless VACUUM", audience="Harbour Retail")
    assert "Harbour Retail" in written(deck)
    own = [row for row in reviews("en") if row[1] == "Skyline Cordless Vacuum"]
    assert result["reviews"] == len(own)
    assert "Skyline Cordless Vacuum" in deck.slides[0].shapes.title.text_frame.text
    _, columns = charts(deck)[4]
    assert sum(columns.chart.plots[0].series[0].values) == len([row for row in own if row[3].startswith("2025-")])
    assert "Moonlight" not in written(deck)


def test_a_product_without_reviews_is_refused_with_those_that_have_some(make):
    with pytest.raises(ToolError) as raised:
        make("en", product="Toaster")
    assert raised.value.code == Code.TOOL_ARGUMENTS_INVALID
    assert "Moonlight Kettle" in raised.value.message


def test_a_comparison_with_competitors_becomes_a_slide_when_it_has_sentences(tmp_path_factory):
    ctx = analysed("en", tmp_path_factory)
    rivals = b'{"summary": ["We lead Brand B by ten points.", 7, "Brand B is quieter."], "other": 1}'
    ctx.save(rivals, name="c.json", media_type="application/json", type_="insight.competitor")
    result = importlib.import_module("packs.marketing.tools.sales_material").run({}, ctx)
    assert "competitor" in result["sections"]
    assert "Brand B is quieter." in written(Presentation(io.BytesIO(ctx.newest("document.slides"))))


def test_our_own_comparison_of_products_becomes_a_slide(tmp_path_factory):
    ctx = analysed("en", tmp_path_factory)
    compared = importlib.import_module("packs.marketing.tools.competitor").run({}, ctx)
    result = importlib.import_module("packs.marketing.tools.sales_material").run({}, ctx)
    assert "competitor" in result["sections"]
    deck = Presentation(io.BytesIO(ctx.newest("document.slides")))
    assert all(sentence in written(deck) for sentence in compared["summary"][:2])
    assert_it_fits(deck, "en")


def test_markup_and_letters_that_xml_cannot_hold_do_no_harm(ctx, run):
    names = ("<script>alert(1)</script>\ufffe", "=1+1 & \u2028]]>\uffff")
    lines = [
        f'"it is awful \ufffe and broken <a:t> {n}",{1 + 4 * (n % 2)},"{names[n % 2]}",2024-0{n % 6 + 1}-03'
        for n in range(24)
    ]
    ctx.upload("\n".join(["review,rating,product,date", *lines]).encode(), "<x>.csv")
    for tool in BEFORE:
        run(tool)
    run("sales_material", title="T\x01 & <b>")
    deck = Presentation(io.BytesIO(ctx.newest("document.slides")))
    assert deck.slides[0].shapes.title.text_frame.text == "T & <b>"
    drawn = [frame.chart.plots[0].categories for found in charts(deck).values() for frame in found]
    assert any(name.startswith("<script>alert(1)") for categories in drawn for name in categories)
    assert run("dashboard", title="T\x01")["kpis"]["reviews"] == 24


def test_without_any_insight_there_are_no_slides(ctx, run):
    with pytest.raises(ToolError) as raised:
        run("sales_material")
    assert raised.value.code == Code.NOTHING_TO_REPORT


def test_one_insight_is_enough_and_the_result_keeps_its_schema(ctx, run):
    ctx.upload(b"text\nI love it\nI hate it\n")
    for tool in ("collector", "preprocessor", "sentiment"):
        run(tool)
    result = run("sales_material", title="T" * 80, audience="A" * 80)
    assert {"title", "facts", "sentiment", "next"} <= set(result["sections"])
    assert_it_fits(Presentation(io.BytesIO(ctx.newest("document.slides"))), ctx.language)


@pytest.mark.parametrize(
    ("language", "wish"),
    [
        ("ko", {}),
        ("ja", {}),
        ("en", {"title": "A title that is much longer than a title of a presentation has any right to be, no?"[:80]}),
        ("ko", {"title": "가" * 80, "audience": "나" * 80, "product": "무선청소기"}),
    ],
)
def test_no_text_runs_over_its_box_or_off_the_slide(make, language, wish):
    assert_it_fits(make(language, **wish)[1], language)


def assert_it_fits(deck, language: str) -> None:
    """Measured with the real font, unlike the estimate of the pack."""
    checked = 0
    for slide in deck.slides:
        for shape in slide.shapes:
            assert 0 <= shape.left <= shape.left + shape.width <= deck.slide_width, shape.name
            assert 0 <= shape.top <= shape.top + shape.height <= deck.slide_height, shape.name
            if (
                not shape.has_text_frame
                or not shape.text_frame.text
                or shape.name.startswith(("Slide Number", "Footer"))
            ):
                continue
            frame = shape.text_frame
            room = (shape.width - frame.margin_left - frame.margin_right) / 12700
            needed = sum(height(paragraph, room, language) for paragraph in frame.paragraphs)
            assert needed <= (shape.height - frame.margin_top - frame.margin_bottom) / 12700 + 0.5, frame.text
            assert min(run.font.size.pt for paragraph in frame.paragraphs for run in paragraph.runs) >= 11
            checked += 1
    assert checked > 10


def height(paragraph, room: float, language: str) -> float:
    words = re.findall(r"\s+|[^\s]" if language == "ja" else r"\s+|[^\s]+", paragraph.text)
    size = paragraph.runs[0].font.size.pt if paragraph.runs else 0.0
    lines, used = 1, 0.0
    for word in words:
        wide = font(language).getlength(word) * size / 100
        if used + wide > room and not word.isspace():
            lines, used = lines + int(wide // room) + (used > 0), wide % room
        else:
            used = min(room, used + wide)
    return float(lines * paragraph.line_spacing.pt) if paragraph.runs else 0.0


@cache
def font(language: str) -> Any:
    place = 1 if language == "ja" else 0
    return ImageFont.truetype(str(next(fonts.folders()[place].glob("NotoSans??-Regular.otf"))), 100)


def test_a_plain_wish_for_slides_is_planned_over_all_insights_and_nothing_else():
    catalogue = packs.load(("marketing",))
    intent = next(one for one in catalogue.packs["marketing"].intents if one.intent == "OPERATION.sales")
    steps = chain(intent.goals, ("file.table",), catalogue.tools.values())
    names = [step.tool.tool_key.removeprefix("marketing.") for step in steps]
    assert names[-1] == "sales_material"
    assert set(names) == {*BEFORE, "sales_material"}
