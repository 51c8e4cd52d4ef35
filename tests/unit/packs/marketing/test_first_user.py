"""What a first user found wrong in tools and their sentences, with other data than the user's; docs/guarantees.md has the
list. That the figures are true is `test_true_sentences.py`'s."""

import importlib
import json
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import read_reviews
from packs.marketing.keywords.terms import is_class
from packs.marketing.polarity.summary import summarize
from packs.marketing.reporting.material import Material
from packs.marketing.reporting.sentences import left_behind
from packs.marketing.shapes import About, Quality
from tests.unit.packs.marketing.context import PACK, FakeContext, Witness
from understanding.kit.data import read_data

pytestmark = pytest.mark.usefixtures("undrawn")

GOOD, BAD = "정말 마음에 들어서 강력 추천해요", "너무 실망했고 돈이 아까워요"


def ran(ctx: FakeContext, data: str | bytes, *tools: str, name: str = "reviews.csv", **params: Any) -> dict[str, Any]:
    ctx.upload(data if isinstance(data, bytes) else data.encode(), name)
    result: dict[str, Any] = {}
    for tool in ("collector", "preprocessor", *tools):
        result = importlib.import_module(f"packs.marketing.tools.{tool}").run(params.get(tool, {}), ctx)
    return result


def csv_of(rows: Sequence[tuple[object, ...]], head: str = "상품,작성일,리뷰") -> str:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)])


def test_counts_of_a_sample_are_told_as_those_of_a_sample(ctx, monkeypatch):
    """D-6"""
    monkeypatch.setattr("packs.marketing.tools.keyword.MOST_READ", 40)
    ctx.language = "en"
    rows = csv_of([("cup", "2024-01-01", f"The handle broke and the lid leaks {n}") for n in range(200)])
    (said,) = (one for one in ran(ctx, rows, "keyword")["summary"] if "sample" in one)
    assert "sample of 40 of the 200 reviews" in said


def test_the_best_product_is_the_best_of_all_and_not_of_the_largest_fifty():
    """D-7"""
    sizes = [(f"product {number:03}", 30, 12) for number in range(80)] + [("small and loved", 12, 12), ("tiny", 6, 6)]
    judged = pl.DataFrame(
        [
            {"product": name, "polarity": "positive" if at < good else "negative", "score": 0.5, "rating": None,
             "date": None, "row": 100 * which + at}
            for which, (name, size, good) in enumerate(sizes) for at in range(size)
        ],
        schema_overrides={"rating": pl.Float64, "date": pl.Date},
    )  # fmt: skip
    quality = Quality(files=("x.csv",), rows_read=judged.height, rows_kept=judged.height, rows_bad=0)
    about = About(of="0" * 64, reviews=judged.height, products=len(sizes), date_from=None, date_to=None,
                  mean_rating=None, rated=0, quality=quality)  # fmt: skip
    found = summarize(judged, pl.Series([""] * judged.height), about).extremes
    assert found is not None
    assert [one.name for one in found.best] == ["small and loved"]
    assert (found.compared, found.fewer, found.worst_level) == (81, 1, 80)


@pytest.mark.parametrize(("good", "behind"), [((30, 8, 28), "p1"), ((30, 26, 28), None), ((30, 8, 8), None)])
def test_the_first_task_is_the_product_that_is_alone_behind_by_more_than_chance(good, behind):
    judged = pl.DataFrame(
        [
            {"product": f"p{which}", "polarity": "positive" if at < liked else "negative", "score": 0.5, "rating": None,
             "date": None, "row": 100 * which + at}
            for which, liked in enumerate(good) for at in range(40)
        ],
        schema_overrides={"rating": pl.Float64, "date": pl.Date},
    )  # fmt: skip
    quality = Quality(files=("x.csv",), rows_read=judged.height, rows_kept=judged.height, rows_bad=0)
    about = About(of="0" * 64, reviews=judged.height, products=len(good), date_from=None, date_to=None,
                  mean_rating=None, rated=0, quality=quality)  # fmt: skip
    sentiment = summarize(judged, pl.Series([""] * judged.height), about)
    material = Material(about=about, sentiment=sentiment, keywords=None, trend=None, mixed=False)
    assert left_behind(material) == behind


def test_two_busy_months_are_no_level(ctx):
    """D-8"""
    months = [(f"{2020 + at // 12}-{at % 12 + 1:02}", 9) for at in range(36)] + [("2023-01", 60), ("2023-02", 25)]
    rows = [("병", f"{month}-10", f"{GOOD} {month} {n}") for month, size in months for n in range(size)]
    found = ran(ctx, csv_of(rows), "trends")
    assert not [change for change in found["changes"] if change["measure"] == "reviews"]


def test_another_mix_of_products_is_not_told_as_a_change_of_opinion(ctx):
    """D-8"""
    rows = [
        (name, f"2024-{month:02}-{n + 1:02}", f"{GOOD if name == '연필' else BAD} {month} {n}")
        for month in range(1, 13)
        for name in (["볼펜"] if month < 7 else ["연필"])
        for n in range(12)
    ]
    said = " ".join(ran(ctx, csv_of(rows), "sentiment", "trends")["summary"])
    assert "상품이 달라진 탓일 수 있습니다" in said
    assert "긍정 비율이 올랐습니다" not in said


@pytest.mark.parametrize(
    ("term", "language"),
    [
        ("영화", "ko"),
        ("매장", "ko"),
        ("movie", "en"),
        ("映画", "ja"),
        ("제품", "ko"),
        ("product", "en"),
    ],
)
def test_what_the_reviews_are_of_is_known_as_such(term, language):
    """D-9"""
    assert is_class(term, language)
    assert not is_class({"ko": "배터리", "en": "battery", "ja": "電池"}[language], language)


def test_the_class_of_the_product_is_never_the_biggest_complaint(ctx):
    """D-9"""
    rows = [("명량", "2024-01-01", f"이 영화는 소음이 심해서 {BAD} {n}") for n in range(40)]
    rows += [("괴물", "2024-01-02", f"배우가 좋아서 {GOOD} {n}") for n in range(40)]
    ran(ctx, csv_of(rows), "sentiment", "keyword")
    found = importlib.import_module("packs.marketing.tools.dashboard").run({}, ctx)
    assert found["kpis"]["complaint"] is not None
    assert found["kpis"]["complaint"]["term"] != "영화"
    compared = importlib.import_module("packs.marketing.tools.competitor").run({}, ctx)
    assert not [term for brand in compared["brands"] for term in brand["disliked"] if term["term"] == "영화"]


def test_stars_scattered_gaps_one_typing_error_and_markup_cost_nothing_else(ctx):
    """D-10"""
    stars = ["★★★★☆", "★★☆☆☆", "N/A", "★★★★★", "★☆☆☆☆"] * 6 + ["150"]
    rows = [
        (("해운대", "암살")[n % 2], star, f"<h3>볼만해요</h3> {GOOD} {n}<script>alert(1)</script>")
        for n, star in enumerate(stars)
    ]
    result = ran(ctx, csv_of(rows, "작품명,별점,한줄평"), "sentiment")
    frame = read_reviews(ctx, "reviews.clean").frame
    assert frame["rating"].drop_nulls().to_list() == [4, 2, 5, 1] * 6
    assert set(frame["product"]) == {"해운대", "암살"}
    assert not frame["text"].str.contains("script|alert|h3").any()
    assert {one["name"] for one in result["by_product"]} == {"해운대", "암살"}


def test_reviews_deep_in_json_are_all_there(ctx):
    """D-10"""
    items = [{"body": f"{GOOD} {n}", "stars": 5 - n % 3} for n in range(45)]
    result = ran(ctx, json.dumps({"page": {"next": 2}, "result": {"list": items}}), "sentiment", name="답.json")
    assert result["reviews"] == 45


def test_a_table_of_nothing_but_numbers_is_asked_about_and_never_judged(ctx):
    """D-10"""
    with pytest.raises(ToolError) as raised:
        ran(ctx, "a,b\n" + "\n".join(f"{n},{n * 2}" for n in range(30)), "sentiment")
    assert raised.value.code in (Code.TEXT_COLUMN_MISSING, Code.TABLE_EMPTY)


def stock(ctx: FakeContext, *rows: str) -> dict[str, Any]:
    head = "품목,현재고,일평균판매량,리드타임(일),안전재고,발주점,매입단가"
    ctx.upload("\n".join([head, *rows]).encode(), "재고.csv")
    found: dict[str, Any] = importlib.import_module("packs.marketing.tools.inventory").run({}, ctx)
    return found


def test_the_files_own_safety_stock_and_reorder_point_decide(ctx):
    """D-11"""
    found = stock(ctx, "충전기,18,1,2,25,,5000원", "거치대,18,1,2,,40,5000원", "케이블,18,1,2,,,5000원")
    assert {one["name"] for one in found["to_order"]} == {"충전기", "거치대"}
    assert {one["name"]: one["safety_stock"] for one in found["to_order"]}["충전기"] == 25


def test_what_customers_wait_for_comes_first_and_money_has_its_unit(ctx):
    """D-11"""
    found = stock(ctx, "다 팔린 것,0,3,2,,,5000원", "약속한 것,-7,1,2,,,4000원")
    assert [one["name"] for one in found["to_order"]] == ["약속한 것", "다 팔린 것"]
    assert found["rows_left_out"] == 0
    assert any("약속한 것" in line and "7개 부족" in line for line in found["summary"])
    assert any("원입니다" in line for line in found["summary"])


def test_each_reason_for_a_row_left_out_is_named_with_its_rows(ctx):
    """D-11"""
    found = stock(ctx, "컵,9,1,2,,,1원", "병,많음,1,2,,,1원", "솥,9,1,,,,1원", "판,적음,1,2,,,1원")
    (said,) = (line for line in found["summary"] if "뺐습니다" in line)
    assert "3, 4, 5행" in said
    assert "2건" in said, "two of one reason"


def test_who_is_level_with_the_most_reviewed_is_told_with_it(tmp_path):
    """D-17"""
    ctx = Witness(tmp_path)
    rows = [(name, "2024-01-01", f"{GOOD} {name} {n}") for name in ("봄", "여름", "가을") for n in range(20)]
    said = " ".join(ran(ctx, csv_of(rows), "sentiment", "competitor")["summary"])
    assert all(f"‘{name}’" in said for name in ("봄", "여름", "가을"))
    assert "20건씩" in said


def test_a_trend_of_a_year_alone_says_when_it_was_best_and_worst(ctx):
    """D-18"""
    rows = [
        ("탁자", f"2023-{month:02}-{n + 1:02}", 1 + (month + n) % 5, f"{GOOD} {month} {n}")
        for month in range(1, 13)
        for n in range(14)
    ]
    said = ran(
        ctx,
        csv_of(rows, "상품,작성일,평점,리뷰"),
        "trends",
        preprocessor={"date_from": "2023-01-01", "date_to": "2023-12-31"},
    )
    assert any("가장 높고" in line and "2023-" in line for line in said["summary"])


@pytest.mark.parametrize(
    ("language", "made"),
    [
        ("ko", ("리포트", "슬라이드", "대시보드", "영상", "광고", "발주", "비교")),
        ("en", ("report", "slides", "dashboard", "video", "ads", "order", "comparison")),
        ("ja", ("レポート", "スライド", "ダッシュボード", "動画", "広告", "発注", "比較")),
    ],
)
def test_the_help_of_the_pack_names_what_it_makes(language, made):
    """D-15"""
    said = read_data(PACK / "texts_understanding" / f"{language}.yaml")
    assert all(one in said["answer.capabilities.more"] for one in made)
