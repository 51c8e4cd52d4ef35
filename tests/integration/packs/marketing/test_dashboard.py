"""The dashboard parses, its numbers are those of the data, it needs no network, and text from outside stays text."""

import csv
import importlib
import io
import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest
from fontTools.ttLib import TTFont
from PIL import Image

from backbone import packs
from contracts.errors import Code
from contracts.tools import ToolError
from services.planning.domain.chain import chain
from tests.unit.packs.marketing.analysed import BEFORE, analysed, demo
from tests.unit.packs.marketing.context import texts

VOID = {"meta", "img", "br", "input", "link", "hr"}
SCRIPT, IMAGE = "<script>alert(1)</script>", '"><img src=x onerror=alert(1)> it is bad, awful and broken'
STOCK = """sku,name,on hand,daily sales,lead time
A1,<b>Kettle</b>,3,4,10
A2,Vacuum,90,0.1,1
A3,Purifier,0,80,5
"""


class Page(HTMLParser):
    """Tags with attributes, visible text, and whether everything that was opened is closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.parts: list[str] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()
        self.text = " ".join(part for part in self.parts if part)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.parts.append(" ".join(data.split()))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module", params=["ko", "en", "ja"])
def made(request, tmp_path_factory):
    """The dashboard of a demo: language, result, page, picture, and the demo's reviews counted by hand."""
    language = request.param
    ctx = analysed(language, tmp_path_factory)
    data = demo(language).read_bytes()
    result = importlib.import_module("packs.marketing.tools.dashboard").run({}, ctx)
    rows = [
        row for row in csv.reader(io.StringIO(data.decode())) if len(row) == 6 and row[4].strip() not in ("", "N/A")
    ]
    reviews = list({(re.sub(r"\W", "", row[4]).lower(), row[1]): row for row in reversed(rows[1:])}.values())
    return ctx, result, ctx.newest("document.dashboard").decode(), reviews


def judged(ctx) -> list[dict[str, Any]]:
    return pl.read_parquet(ctx.inputs("insight.sentiment")[-1].path).to_dicts()


def test_the_key_figures_are_those_of_the_data(made):
    ctx, result, source, reviews = made
    kpis, page = result["kpis"], Page(source).text
    ratings = [int(row[2]) for row in reviews if row[2] in set("12345")]
    rows = judged(ctx)
    share = sum(row["polarity"] == "positive" for row in rows) / len(reviews)
    negative = sum(row["polarity"] == "negative" for row in rows) / len(reviews)
    assert kpis["reviews"] == len(reviews) == len(rows)
    assert kpis["mean_rating"] == pytest.approx(sum(ratings) / len(ratings), abs=1e-3)
    assert (kpis["positive_share"], kpis["negative_share"]) == pytest.approx((share, negative), abs=1e-4)
    for shown in (
        str(len(reviews)),
        f"{100 * share:.1f}%",
        f"{100 * negative:.1f}%",
        f"{sum(ratings) / len(ratings):.2f} / 5",
    ):
        assert shown in page


def test_the_change_is_that_from_the_month_before(made):
    ctx, result, _, _ = made
    rows = judged(ctx)

    def share(month: str) -> float:
        sides = [row["polarity"] for row in rows if row["date"] and f"{row['date']:%Y-%m}" == month]
        return sides.count("positive") / len(sides)

    kpis = result["kpis"]
    assert (kpis["previous_period"], kpis["period"]) == ("2025-07", "2025-08")
    assert kpis["positive_change"] == pytest.approx(share("2025-08") - share("2025-07"), abs=2e-4)


def test_the_top_complaint_is_in_as_many_reviews_as_it_says(made):
    _, result, _, reviews = made
    complaint = result["kpis"]["complaint"]
    holders = sum(complaint["term"] in row[4].lower() for row in reviews)
    assert complaint["negative"] <= complaint["reviews"] <= holders


def test_the_page_needs_nothing_but_itself_and_forbids_itself_everything_else(made):
    _, _, source, _ = made
    page = Page(source)
    assert page.open == []
    bare = re.sub(r"url\(data:font/woff;base64,[\w+/=]+\)|'sha256-[^']+'", "", source)
    assert not re.search(r"(?i)https?:|//[a-z0-9]|url\((?!#)|@import", bare)
    data, script = page.named("script")
    assert (data, script) == ({"type": "application/json", "id": "data"}, {})
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", source)) <= set(ids)
    assert all(not attrs.keys() & {"src", "href", "xlink:href", "srcset"} for _, attrs in page.tags)
    assert all(not key.startswith("on") for _, attrs in page.tags for key in attrs)
    policies = [meta["content"] for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    # the one script that may run is ours, whatever a review or a product is called
    run = sha256(source.rsplit("<script>", 1)[1].split("</script>")[0].encode()).digest()
    own = f"'sha256-{b64encode(run).decode()}'"
    allowed = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; script-src {own}"
    assert policies == [allowed]


def test_the_page_speaks_its_language_and_every_chart_has_words_and_a_table(made):
    ctx, result, source, _ = made
    page, said = Page(source), texts(ctx.language)
    assert page.named("html")[0]["lang"] == ctx.language
    assert said["dashboard.title"] in page.text
    assert [tag for tag, _ in page.tags].count("h1") == 1
    assert result["sections"] == ["trend", "sentiment", "keywords", "quotes"]
    pictures = page.named("svg")
    assert len(pictures) == 6
    assert all(svg["role"] == "img" and len(svg["aria-label"] or "") > 20 for svg in pictures)
    assert len(page.named("table")) == 3
    for heading in ("report.chart.trend", "report.chart.sentiment", "dashboard.heading.quality"):
        assert said[heading] in page.text
    assert "demo_reviews" in page.text
    assert "prefers-color-scheme: dark" in source


def embedded(source: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(source.split('id="data">', 1)[1].split("</script>", maxsplit=1)[0])
    return found


def test_what_the_page_filters_adds_up_to_the_reviews(made):
    ctx, _, source, reviews = made
    data, rows = embedded(source), judged(ctx)
    assert sum(group[3] for group in data["groups"]) == len(reviews)
    ratings = [row["rating"] for row in rows if row["rating"] is not None]
    assert sum(group[4] for group in data["groups"]) == pytest.approx(sum(ratings))
    assert sum(group[5] for group in data["groups"]) == len(ratings)
    side = ("negative", "neutral", "positive")
    for place, product in enumerate(data["products"]):
        for when, month in enumerate(data["periods"]):
            counted = dict.fromkeys(side, 0)
            for group in data["groups"]:
                if group[:2] == [place, when]:
                    counted[side[group[2]]] += group[3]
            there = [
                row for row in rows if row["product"] == product and row["date"] and f"{row['date']:%Y-%m}" == month
            ]
            assert counted == {name: sum(row["polarity"] == name for row in there) for name in side}


def test_the_page_has_a_font_with_each_of_its_letters_and_few_more(made):
    _, _, source, _ = made
    face = source.split("url(data:font/woff;base64,", 1)[1].split(")", 1)[0]
    with TTFont(io.BytesIO(b64decode(face))) as font:
        letters = set(font.getBestCmap())
    shown = {ord(letter) for letter in Page(source).text if letter > " "}
    # what no font of ours has, such as the sign that a browser draws itself, may be missing
    assert len(shown - letters) <= 2
    assert len(face) < 600_000


def test_the_newest_negative_reviews_are_quoted(made):
    ctx, _, source, _ = made
    newest = max(row["date"] for row in judged(ctx) if row["polarity"] == "negative" and row["date"])
    assert (
        newest.isoformat()
        in Page(source).text[Page(source).text.index(texts(ctx.language)["dashboard.heading.quotes"]) :]
    )


def test_the_picture_is_a_whole_one(made):
    ctx, result, _, _ = made
    assert result["picture"] == "dashboard_2025-09-15.png"
    picture = Image.open(io.BytesIO(ctx.newest("image.dashboard"))).convert("RGB")
    assert picture.width == 1600
    assert 900 < picture.height < 3000
    low, high = zip(*picture.getextrema(), strict=True)
    assert max(low) < 90
    assert min(high) == 255
    # every quarter shows something
    for top in range(4):
        part = picture.crop((0, top * picture.height // 4, 1600, (top + 1) * picture.height // 4))
        assert len(part.getcolors(1_000_000) or []) > 50


def hostile(ctx) -> None:
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["review", "rating", "product", "date"])
    for number in range(24):
        product = SCRIPT if number % 2 else "</style></svg><iframe>"
        writer.writerow([f"{IMAGE} number {number}", 1, product, f"2024-0{number % 6 + 1}-03"])
    ctx.upload(rows.getvalue().encode(), "<img onerror=1>.csv")


def test_markup_from_outside_stays_text(ctx, run):
    ctx.language = "en"
    hostile(ctx)
    for tool in BEFORE:
        run(tool)
    stock = checked(ctx, run)
    result = run("dashboard", title="<u>Board</u> & ${x} $x")
    source = ctx.newest("document.dashboard").decode()
    page = Page(source)
    names = {tag for tag, _ in page.tags}
    assert not names & {"img", "iframe", "u", "b"}
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert page.open == []
    assert all(not key.startswith("on") for _, attrs in page.tags for key in attrs)
    assert SCRIPT in page.text
    assert '"><img src=x onerror=alert(1)>' in page.text
    assert "<u>Board</u> & ${x} $x" in page.text
    assert "<b>Kettle</b>" in page.text
    assert result["kpis"]["to_order"] == 2
    assert all(f"{one['order_quantity']:,}" in page.text for one in stock["to_order"])
    assert "Vacuum" not in page.text


def checked(ctx, run):
    """A stock check of a table of its own."""
    reviews, ctx.saved = ctx.saved, []
    ctx.upload(STOCK.encode(), "stock.csv")
    result = run("inventory")
    ctx.saved = reviews + ctx.saved[1:]
    return result


def test_a_stock_check_alone_makes_a_dashboard_with_what_to_order(ctx, run):
    ctx.language = "en"
    with pytest.raises(ToolError) as raised:
        run("dashboard")
    assert raised.value.code == Code.NOTHING_TO_REPORT
    stock = checked(ctx, run)
    result = run("dashboard")
    assert result["sections"] == ["orders"]
    assert result["kpis"]["reviews"] is None
    text = Page(ctx.newest("document.dashboard").decode()).text
    for one in stock["to_order"]:
        assert one["name"] in text
        assert f"{one['order_quantity']:,}" in text


def test_reviews_without_dates_ratings_or_products_make_one_too(ctx, run):
    ctx.upload(b"text\nI love it\nI hate it\n")
    for tool in ("collector", "preprocessor", "sentiment"):
        run(tool)
    assert run("dashboard")["kpis"]["positive_change"] is None


def test_a_plain_wish_for_a_dashboard_is_planned_over_all_insights_and_nothing_else():
    catalogue = packs.load(("marketing",))
    intent = next(one for one in catalogue.packs["marketing"].intents if one.intent == "OPERATION.dashboard")
    steps = chain(intent.goals, ("file.table",), catalogue.tools.values())
    names = [step.tool.tool_key.removeprefix("marketing.") for step in steps]
    assert names[-1] == "dashboard"
    assert set(names) == {*BEFORE, "dashboard"}
    assert {key.removeprefix("marketing.") for key in steps[-1].after} == {
        "preprocessor",
        "sentiment",
        "keyword",
        "trends",
    }
