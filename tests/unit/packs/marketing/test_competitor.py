"""Brands side by side: the counts again by hand, honest intervals, and no verdict on chance."""

import csv
import importlib
import io
import json
import math
from collections import Counter, defaultdict
from typing import Any

import polars as pl
import pytest
from PIL import Image

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import read_reviews, read_sentiment
from packs.marketing.brands.chart import labels
from packs.marketing.brands.compare import compare
from packs.marketing.brands.groups import group
from packs.marketing.brands.sentences import told
from packs.marketing.shapes import About, Quality
from packs.marketing.shapes_competitor import Competitor
from packs.marketing.tools.competitor import result_of
from tests.unit.packs.marketing.context import PACK, FakeContext

BEFORE = ("collector", "preprocessor", "sentiment")
GOOD = ["최고예요 정말 마음에 들어요", "너무 좋아서 또 샀어요", "품질이 훌륭하고 만족해요", "강력 추천합니다 좋아요"]
BAD = ["최악이에요 돈이 아깝네요", "금방 고장 나서 실망했어요", "정말 별로고 짜증나요", "환불하고 싶어요 후회합니다"]


def prepared(ctx, text):
    ctx.upload(text.encode() if isinstance(text, str) else text)
    for tool in BEFORE:
        importlib.import_module(f"packs.marketing.tools.{tool}").run({}, ctx)
    return ctx


def reviews(**brands):
    """CSV with the given numbers of good and bad reviews per product."""
    rows = [
        f"{name},{GOOD[n % 4] if n < good else BAD[n % 4]} {name}{n}"
        for name, (good, bad) in brands.items()
        for n in range(good + bad)
    ]
    return "\n".join(["상품,리뷰", *rows])


def compared(rows, wanted=(), own=None):
    """The comparison of (product, text, polarity) without the tools before it."""
    data = [{"product": product, "text": text, "polarity": polarity} for product, text, polarity in rows]
    empty = {"language": pl.lit("und"), "rating": pl.lit(None, pl.Float64), "date": pl.lit(None, pl.Date)}
    frame = pl.DataFrame(data, schema_overrides={"product": pl.String}).with_columns(**empty)
    quality = Quality(files=("x.csv",), rows_read=len(rows), rows_kept=len(rows), rows_bad=0)
    about = About(
        of="0" * 64,
        reviews=len(rows),
        products=1,
        date_from=None,
        date_to=None,
        mean_rating=None,
        rated=0,
        quality=quality,
    )
    return compare(frame, group(frame, wanted, own), about, None)


def judged(**brands):
    """The given numbers of good and bad reviews per product, as rows for `compared`."""
    return [
        (name, f"{name}{n}", "positive" if n < good else "negative")
        for name, (good, bad) in brands.items()
        for n in range(good + bad)
    ]


def polarities(ctx):
    sentiment = read_sentiment(ctx)
    assert sentiment is not None
    return sentiment[0]["polarity"]


def facts(ctx):
    return Competitor.model_validate_json(ctx.newest("insight.competitor"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The Korean demo, compared once with keywords at hand: context and result."""
    ctx = prepared(FakeContext(tmp_path_factory.mktemp("competitor")), (PACK / "data/demo_reviews_ko.csv").read_bytes())
    importlib.import_module("packs.marketing.tools.keyword").run({}, ctx)
    return ctx, importlib.import_module("packs.marketing.tools.competitor").run({"own": "하늘"}, ctx)


def test_counts_ratings_and_months_are_those_of_the_reviews(demo):
    ctx, _ = demo
    clean, sentiment = read_reviews(ctx, "reviews.clean").frame, polarities(ctx)
    rows = list(zip(clean.iter_rows(named=True), sentiment, strict=True))
    assert {brand.name for brand in facts(ctx).brands} == {row["product"] for row, _ in rows}
    for brand in facts(ctx).brands:
        mine = [(row, polarity) for row, polarity in rows if row["product"] == brand.name]
        counted = Counter(polarity for _, polarity in mine)
        tally = brand.tally
        assert (tally.reviews, tally.positive, tally.neutral, tally.negative) == (
            len(mine), counted["positive"], counted["neutral"], counted["negative"],
        )  # fmt: skip
        assert brand.share_of_voice == pytest.approx(len(mine) / len(rows), abs=1e-4)
        rated = [row["rating"] for row, _ in mine if row["rating"] is not None]
        assert brand.rated == len(rated)
        assert tally.mean_rating == pytest.approx(sum(rated) / len(rated), abs=1e-4)
        months = Counter(f"{row['date']:%Y-%m}" for row, _ in mine if row["date"])
        assert {month.name: month.reviews for month in brand.months} == months


def test_differences_are_newcombes_and_hold_for_all_brands_at_once(demo):
    ctx, _ = demo
    brands = facts(ctx).brands
    # The normal quantile of 1 - 0.05 / 3 / 2, from a table.
    z = 2.3939798

    def bounds(part, whole):
        share, spread = part / whole, z * math.sqrt(part * (whole - part) / whole**3 + z * z / 4 / whole**2)
        return share, *((share + z * z / 2 / whole + sign * spread) / (1 + z * z / whole) for sign in (-1, 1))

    for brand in brands:
        others = [other.tally for other in brands if other is not brand]
        p, low, high = bounds(brand.tally.positive, brand.tally.reviews)
        q, other_low, other_high = bounds(sum(t.positive for t in others), sum(t.reviews for t in others))
        down = p - q - math.hypot(p - low, other_high - q)
        up = p - q + math.hypot(high - p, q - other_low)
        found = brand.to_others
        assert (found.value, found.low, found.high) == pytest.approx((p - q, down, up), abs=1e-4)
        assert found.significant is (down > 0 or up < 0)


def test_what_only_the_vacuum_hears_is_its_battery(demo):
    ctx, result = demo
    vacuum = next(brand for brand in facts(ctx).brands if brand.own)
    assert vacuum.name == "하늘 무선청소기"
    assert {"배터리", "업데이트"} <= {term.term for term in vacuum.disliked}
    clean, sentiment = read_reviews(ctx, "reviews.clean").frame, polarities(ctx)
    pairs = zip(clean["text"], clean["product"], sentiment, strict=True)
    held = sum("배터리" in text and polarity == "negative" for text, product, polarity in pairs if "하늘" in product)
    assert next(term.documents for term in vacuum.disliked if term.term == "배터리") == held
    assert any("하늘 무선청소기" in said and "불만" in said and "업데이트" in said for said in result["summary"])
    # Names of the brands are no terms.
    assert not any(term.term in brand.name for brand in facts(ctx).brands for term in (*brand.liked, *brand.disliked))


def test_keywords_that_are_at_hand_are_told_brand_by_brand(demo):
    ctx, result = demo
    keywords = {item["term"]: item["tally"] for item in json.loads(ctx.newest("insight.keywords"))["keywords"]}
    assert result["topics"]
    for row in result["topics"]:
        assert sum(brand["reviews"] for brand in row["brands"]) == keywords[row["term"]]["reviews"]
        assert sum(brand["negative"] for brand in row["brands"]) == keywords[row["term"]]["negative"]


def test_the_chart_shows_every_polarity_and_both_verdicts(demo):
    ctx, _ = demo
    with Image.open(io.BytesIO(ctx.newest("chart.png"))) as image:
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20) or ()}
        assert 600 < image.width < 760, "a telephone shows it without shrinking"
    shares = {(0x1B, 0x7F, 0x6B), (0xC3, 0xCA, 0xD3), (0xC8, 0x55, 0x3D)}
    assert shares | {(0x27, 0x54, 0x8A), (0x9A, 0xA5, 0xB1)} <= colours


@pytest.mark.parametrize(
    ("language", "word"), [("ko", "우연으로 보기 어려운"), ("en", "more than chance"), ("ja", "偶然とは考えにくい")]
)
def test_a_clear_lead_is_told_in_the_persons_language(ctx, language, word):
    ctx.language = language
    found = compared(judged(가=(40, 4), 나=(10, 30)), own="나")
    assert found.lead.first == "가"
    assert found.lead.difference.significant
    said = told(ctx, found)
    assert word in said[1]
    # 10 of 40 against 40 of 44.
    assert any("나" in sentence and "65.9" in sentence for sentence in said[2:])


def test_a_small_lead_is_said_to_be_possible_chance(ctx):
    found = compared(judged(가=(6, 2), 나=(5, 3)))
    assert found.lead.difference.low < 0 < found.lead.difference.high
    assert not found.lead.difference.significant
    assert "우연일 수" in told(ctx, found)[1]


def test_a_single_happy_review_does_not_lead(ctx):
    found = compared(judged(가=(1, 0), 나=(9, 6), 다=(5, 5)))
    assert [brand.name for brand in found.brands] == ["나", "다", "가"]
    assert (found.lead.first, found.lead.second) == ("나", "다")
    assert compared(judged(가=(4, 0), 나=(2, 2))).lead is None


def test_named_brands_gather_their_products_in_any_spelling():
    rows = judged(**{"삼성 TV": (6, 1), "삼성 세탁기": (5, 2), "LG 냉장고": (4, 4), "쿠첸 밥솥": (3, 3)})
    found = compared(rows, ["Samsung", "엘지"])
    assert {brand.name: (brand.tally.reviews, brand.products) for brand in found.brands} == {
        "Samsung": (14, ("삼성 TV", "삼성 세탁기")),
        "LG 냉장고": (8, ("LG 냉장고",)),
    }
    assert found.unassigned == 6


def test_without_a_product_column_brands_are_found_in_the_texts(ctx, run):
    rows = [f"삼성 제품은 {GOOD[n % 4]} {n}" for n in range(8)] + [f"애플은 {BAD[n % 4]} {n}" for n in range(7)]
    rows += ["삼성보다 애플이 좋아요", "갤럭시가 좋아요"]
    prepared(ctx, "\n".join(["리뷰", *rows]))
    result = run("competitor", own="삼성전자")
    assert result["summary"][1].startswith("여러 브랜드를 함께 언급한 리뷰 1건")
    found = {brand["name"]: (brand["tally"]["reviews"], brand["own"]) for brand in result["brands"]}
    assert (result["source"], found) == ("text", {"Samsung": (8, True), "Apple": (7, False)})
    assert (result["shared"], result["unassigned"]) == (1, 1)
    # "삼성" is the brand itself and no praise of it.
    assert not any("삼성" in term["term"] for brand in result["brands"] for term in brand["liked"])


def test_one_brand_alone_is_refused_by_its_name(ctx, run):
    prepared(ctx, reviews(가방=(3, 3)))
    with pytest.raises(ToolError) as raised:
        run("competitor")
    assert raised.value.code == Code.NOTHING_TO_REPORT
    assert raised.value.detail["found"] == ["가방"]
    assert "가방" in raised.value.message


def test_reviews_that_name_no_brand_are_refused(ctx, run):
    prepared(ctx, "리뷰\n정말 좋아요 추천해요\n별로예요 실망입니다\n")
    with pytest.raises(ToolError) as raised:
        run("competitor")
    assert raised.value.code == Code.NOTHING_TO_REPORT
    assert raised.value.detail["found"] == []


@pytest.mark.parametrize(("given", "close"), [("달빛 전기포드", "달빛 전기포트"), ("없는 회사", None)])
def test_an_unknown_brand_is_named_with_the_known_ones(ctx, run, given, close):
    prepared(ctx, reviews(**{"달빛 전기포트": (3, 1), "하늘 청소기": (2, 2)}))
    with pytest.raises(ToolError) as raised:
        run("competitor", brands=[given, "하늘 청소기"])
    assert raised.value.code == Code.TOOL_ARGUMENTS_INVALID
    assert raised.value.detail == {"brand": given, "known": ["달빛 전기포트", "하늘 청소기"], "close": close}
    assert given in raised.value.message


def test_sentiment_of_other_reviews_is_not_used(ctx, run):
    prepared(ctx, reviews(가=(2, 1), 나=(1, 1)))
    ctx.upload(reviews(다=(2, 1), 라=(1, 1)).encode())
    for tool in ("collector", "preprocessor"):
        run(tool)
    with pytest.raises(ToolError) as raised:
        run("competitor")
    assert raised.value.code == Code.INPUT_MISSING


def test_many_products_stay_a_small_result(ctx):
    names = [f"아주 길고 길어서 끝까지 다 쓸 수 없는 상품 이름 {n}" for n in range(60)]
    found = compared(judged(**dict.fromkeys(names, (2, 1))))
    assert (len(found.brands), found.left_out) == (50, 10)
    result: dict[str, Any] = result_of(found, ctx)
    assert (len(result["brands"]), result["left_out"]) == (10, 50)
    assert len(json.dumps(result, ensure_ascii=False)) < 30_000
    # Long names that begin alike are told apart in the chart.
    drawn = labels(found.brands)
    assert len(set(drawn)) == 50


def test_real_korean_films_are_compared(ctx, run, shared):
    by_film = defaultdict(list)
    with shared("naver_movie_reviews.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            by_film[row["product"]].append(row)
    films = sorted(by_film)[:2]
    rows = [[row[name] for name in ("product", "rating", "date", "text")] for film in films for row in by_film[film]]
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["product", "rating", "date", "text"], *rows])
    prepared(ctx, buffer.getvalue())
    result = run("competitor")
    assert {brand["name"] for brand in result["brands"]} == set(films)
    by_share = [brand["tally"]["positive"] / brand["tally"]["reviews"] for brand in result["brands"]]
    ratings = [brand["tally"]["mean_rating"] for brand in result["brands"]]
    # What the texts say and what the stars say are two things; they should not point opposite ways.
    assert by_share == sorted(by_share, reverse=True)
    assert ratings[0] > ratings[-1]
