"""Keywords and trends: what stands out, and when it changed."""

import json

import numpy as np
import polars as pl
import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import read_json
from packs.marketing.series.course import name, points, slope
from packs.marketing.series.levels import segment_starts
from packs.marketing.shapes import Keywords, Trend

pytestmark = pytest.mark.usefixtures("undrawn")


def prepare(ctx, run, csv, *tools):
    ctx.upload(csv.encode())
    for tool in ("collector", "preprocessor", *tools):
        run(tool)


def test_korean_keywords_are_nouns_with_their_counts_and_polarity(ctx, run):
    rows = [f"{n}번째 구매인데 배터리가 금방 닳아서 실망했어요" for n in range(15)]
    rows += [f"디자인이 예쁘고 색상도 마음에 들어요 {n}" for n in range(10)]
    prepare(ctx, run, "\n".join(["리뷰", *rows]), "sentiment")
    found = {keyword["term"]: keyword for keyword in run("keyword")["keywords"]}
    assert found["배터리"]["documents"] == 15
    assert found["배터리"]["tally"]["negative"] >= 12
    assert found["디자인"]["tally"]["positive"] >= 8
    assert "구매" not in found


def test_a_compound_that_people_write_as_one_word_stays_one(ctx, run):
    prepare(ctx, run, "\n".join(["리뷰", *(f"고객센터 연결이 안 돼요 {n}" for n in range(25))]))
    assert "고객센터" in {keyword["term"] for keyword in run("keyword")["keywords"]}


def test_english_and_japanese_keywords_are_found(ctx, run):
    rows = [f"The battery drains quickly and the screen flickers {n}" for n in range(12)]
    rows += [f"バッテリーがすぐ切れるので画面が消えます {n}" for n in range(12)]
    prepare(ctx, run, "\n".join(["text", *rows]))
    result = run("keyword")
    found = {(keyword["language"], keyword["term"]) for keyword in result["keywords"]}
    assert {("en", "battery"), ("ja", "バッテリー")} <= found
    assert not result["with_polarity"]


def test_sentiment_of_other_reviews_is_not_mixed_in(ctx, run):
    prepare(ctx, run, "text\n배터리가 최고예요 정말 좋아요\n배터리가 오래가요\n", "sentiment")
    prepare(ctx, run, "text\n화면이 선명해요\n화면이 밝아요\n")
    result = run("keyword")
    assert not result["with_polarity"]
    assert result["reviews"] == 4


def test_the_keyword_artifact_reads_back(ctx, run):
    prepare(ctx, run, "text\n배터리가 최고예요\n배터리가 오래가요\n")
    run("keyword", top=5)
    keywords = read_json(ctx, "insight.keywords", Keywords)
    assert keywords is not None
    assert keywords.keywords[0].term == "배터리"


def test_months_without_reviews_are_points_too(ctx, run):
    prepare(ctx, run, "text,date,rating\nfirst review here,2024-01-05,5\nsecond review here,2024-04-06,1\n")
    result = run("trends")
    assert [(point["period"], point["reviews"], point["gap"]) for point in result["points"]] == [
        ("2024-01", 1, False),
        ("2024-02", 0, True),
        ("2024-03", 0, True),
        ("2024-04", 1, False),
    ]
    assert result["points"][1]["mean_rating"] is None
    assert result["gaps"] == 2


@pytest.mark.parametrize(
    ("grain", "first", "periods"),
    [
        ("day", "2023-12-31", 3),
        ("week", "2023-W52", 2),
        ("month", "2023-12", 2),
        ("quarter", "2023-Q4", 2),
        ("year", "2023", 2),
    ],
)
def test_periods_follow_the_grain(ctx, run, grain, first, periods):
    prepare(ctx, run, "text,date\nfirst review here,2023-12-31\nsecond review here,2024-01-02\n")
    result = run("trends", grain=grain)
    assert result["points"][0]["period"] == first
    assert result["periods"] == periods


def test_a_drop_in_ratings_is_found_at_its_month(ctx, run):
    rows = []
    for month in range(1, 13):
        good = month < 8
        rows += [
            f"review {month} {n},{(5 if n % 4 else 4) if good else (2 if n % 4 else 3)},2024-{month:02}-1{n}"
            for n in range(8)
        ]
    prepare(ctx, run, "\n".join(["text,rating,date", *rows]), "sentiment")
    result = run("trends")
    drop = [change for change in result["changes"] if change["measure"] == "mean_rating"]
    levels = [
        (one["period"], one["since"], one["before"], one["before_n"], one["after"], one["after_n"]) for one in drop
    ]
    assert levels == [("2024-08", "2024-01", 4.75, 56, 2.25, 40)]
    assert {item["measure"]: item["direction"] for item in result["slopes"]}["mean_rating"] == "falling"


def test_undated_reviews_are_counted_apart(ctx, run):
    prepare(ctx, run, "text,date\nfirst review here,2024-01-05\nsecond review here,\n")
    assert run("trends")["undated"] == 1


def test_without_dates_there_is_no_trend(ctx, run):
    prepare(ctx, run, "text\nfirst review here\nsecond review here\n")
    with pytest.raises(ToolError) as raised:
        run("trends")
    assert raised.value.code == Code.DATE_COLUMN_MISSING


def test_the_trend_artifact_has_every_point(ctx, run):
    prepare(ctx, run, "text,date\nfirst review here,2020-01-05\nsecond review here,2024-01-05\n")
    result = run("trends", grain="week")
    trend = read_json(ctx, "insight.trend", Trend)
    assert trend is not None
    assert len(trend.points) == result["periods"] > len(result["points"]) == 60


def test_segments_are_those_of_ruptures():
    ruptures = pytest.importorskip("ruptures", reason="the oracle of this test is not installed")
    chance = np.random.default_rng(7)
    for _ in range(40):
        length = int(chance.integers(6, 50))
        values = chance.normal(size=length) + 3.0 * (np.arange(length) > length // 2)
        penalty = 3.0 * float(np.log(length))
        least = int(chance.integers(2, 7))
        expected = ruptures.Pelt("l2", min_size=least, jump=1).fit(values.reshape(-1, 1)).predict(pen=penalty)
        assert segment_starts(values, penalty, least) == [0, *expected[:-1]]


def test_a_flat_series_has_no_slope():
    found = slope("mean_rating", [(str(n), 4.0) for n in range(12)])
    assert found is not None
    assert found.direction == "flat"


def test_a_thousand_days_are_no_burden(ctx, run):
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2024, 12, 31), "1d", eager=True)
    series = points(pl.DataFrame({"date": days, "rating": [4.0] * len(days)}), "day")
    assert len(series) == len(days)
    assert name(series[0].start, "day") == "2020-01-01"
    assert json.loads(series[0].model_dump_json())["start"] == "2020-01-01"
