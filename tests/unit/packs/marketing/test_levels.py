"""The month that is named is the first one of the new level, wherever in the series that is."""

from collections.abc import Sequence
from datetime import date

import numpy as np
import polars as pl
import pytest

from packs.marketing.series.course import _of_products
from packs.marketing.series.levels import level_starts

pytestmark = pytest.mark.usefixtures("undrawn")


def months(levels: Sequence[float], reviews: int = 12) -> str:
    """Ratings around a level for each month, no two reviews alike."""
    rows = [
        f"review {month} of number {n},{min(5, max(1, int(level + 2 * n / reviews - 0.5)))},2026-{month:02}-{n % 28 + 1:02},A"
        for month, level in enumerate(levels, start=1)
        for n in range(reviews)
    ]
    return "\n".join(["text,rating,date,product", *rows])


def named(ctx, run, csv: str, measure: str = "mean_rating") -> list[str]:
    ctx.upload(csv.encode())
    for tool in ("collector", "preprocessor"):
        run(tool)
    result = run("trends")
    return [change["period"] for change in result["changes"] if change["measure"] == measure]


@pytest.mark.parametrize("months_after", range(1, 9))
def test_a_fall_is_named_by_its_first_month_however_late_or_early_it_is(ctx, run, months_after):
    levels = [4.0] * (10 - months_after) + [2.0] * months_after
    assert named(ctx, run, months(levels)) == [f"2026-{11 - months_after:02}"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "2026-07부터 평균 평점이 내렸습니다"),
        ("en", "From 2026-07 on, the mean rating is down"),
        ("ja", "2026-07から"),
    ],
)
def test_what_a_person_reads_names_that_month(ctx, run, language, said):
    ctx.language = language
    ctx.upload(months([4.0] * 6 + [2.0] * 3).encode())
    for tool in ("collector", "preprocessor"):
        run(tool)
    lines = run("trends")["summary"]
    assert any(said in line for line in lines), lines


def test_months_with_a_handful_of_reviews_do_not_move_it(ctx, run):
    csv = months([4.0] * 6 + [2.0] * 3)
    kept = [line for line in csv.splitlines() if "-07-" not in line or line.startswith("review 7 of number 0")]
    assert named(ctx, run, "\n".join(kept)) == ["2026-07"]


def test_one_odd_month_is_no_level(ctx, run):
    assert named(ctx, run, months([4.0] * 5 + [2.0] + [4.0] * 4)) == []


def test_an_odd_first_month_of_a_new_level_belongs_to_it(ctx, run):
    assert named(ctx, run, months([4.0] * 6 + [1.0, 2.4, 2.4, 2.4], reviews=40)) == ["2026-07"]


def test_a_steady_fall_has_no_month_at_which_it_happened(ctx, run):
    levels = [4.2, 3.98, 3.76, 3.54, 3.32, 3.1, 2.88, 2.66, 2.44, 2.22]
    ctx.upload(months(levels, reviews=60).encode())
    for tool in ("collector", "preprocessor"):
        run(tool)
    result = run("trends")
    assert [change for change in result["changes"] if change["measure"] == "mean_rating"] == []
    assert any("10개 기간에 걸쳐 평균 평점이" in line for line in result["summary"]), result["summary"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "상품 ‘B’의 평균 평점은 2026-07부터 내렸습니다"),
        ("en", "“B” is down from 2026-07"),
        ("ja", "「B」の平均評価は2026-07から"),
    ],
)
def test_the_product_that_has_fallen_is_named_while_the_others_stay(ctx, run, language, said):
    ctx.language = language
    steady = [months([4.0] * 9, reviews=30).replace(",A", f",{name}").partition("\n")[2] for name in "ACD"]
    fallen = months([4.0] * 6 + [2.6] * 3).replace(",A", ",B")
    ctx.upload("\n".join([fallen, *steady]).encode())
    for tool in ("collector", "preprocessor"):
        run(tool)
    summary = run("trends")["summary"]
    assert sum(said in line for line in summary) == 1, summary
    assert not any(f"{mark}" in line for line in summary for mark in ("‘A’", "“C”", "「D」")), summary


def test_of_one_product_it_is_said_once(ctx, run):
    ctx.language = "en"
    ctx.upload(months([4.0] * 6 + [2.0] * 3).encode())
    for tool in ("collector", "preprocessor"):
        run(tool)
    assert sum("is down" in line for line in run("trends")["summary"]) == 1


def test_of_many_products_that_stay_hardly_any_is_said_to_change():
    chance = np.random.default_rng(8)
    alarms = 0
    for _ in range(10):
        rows = [
            (date(2025, 1 + month, 9), float(rating), f"P{product}")
            for product in range(20)
            for month in range(10)
            for rating in chance.choice([1, 2, 3, 4, 5], size=8, p=[0.1, 0.1, 0.1, 0.3, 0.4])
        ]
        frame = pl.DataFrame(rows, schema={"date": pl.Date, "rating": pl.Float64, "product": pl.String}, orient="row")
        alarms += len(_of_products(frame, "month"))
    assert alarms <= 2, "of 200 products"


def test_a_few_busy_months_are_no_level_and_are_put_nowhere_else():
    counts = np.array([20.0, 22, 19, 21, 20, 18, 21, 20, 22, 45, 47, 44])
    assert level_starts(counts, np.ones(12), least=6) == []
    assert level_starts(np.append(counts, [46.0, 45, 44]), np.ones(15), least=6) == [9]


def test_noise_alone_hardly_ever_looks_like_a_change():
    chance = np.random.default_rng(11)
    ones = np.ones(24)
    for least in (1, 6):
        alarms = [bool(level_starts(chance.normal(size=24), ones, 1.0, least)) for _ in range(200)]
        assert sum(alarms) <= 12


def test_a_flat_series_has_no_change():
    assert level_starts(np.full(12, 4.0), np.full(12, 9.0)) == []


@pytest.mark.parametrize("wobble", [0.0, 0.15])
def test_made_series_are_told_at_their_month(wobble):
    """Shifts of 1.2 of a rating at every place of 9, 12 and 24 months, with 20 reviews a month."""
    chance = np.random.default_rng(3)
    told = exact = 0
    for length in (9, 12, 24):
        for at in range(2, length):
            reviews = chance.poisson(20, length).astype(np.float64) + 1.0
            means = (
                4.2 - 1.2 * (np.arange(length) >= at) + chance.normal(size=length) * (1 / reviews + wobble**2) ** 0.5
            )
            found = level_starts(means, reviews, 1.0)
            told += bool(found)
            exact += found[-1:] == [at]
    assert told >= 30
    assert exact >= 0.9 * told
