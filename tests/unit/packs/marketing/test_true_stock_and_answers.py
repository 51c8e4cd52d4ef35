"""What a stock check, an answer about a table and a refusal say, counted again from their rows with plain code."""

import csv
import importlib
import io
from math import ceil, sqrt
from statistics import NormalDist, fmean, median
from typing import Any

import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from tests.unit.packs.marketing.context import Witness
from tests.unit.packs.marketing.told_tables import BESIDE

pytestmark = pytest.mark.usefixtures("undrawn")

Z95 = NormalDist().inv_cdf(0.95)


def ran(ctx: Witness, tool: str, **params: Any) -> dict[str, Any]:
    result: dict[str, Any] = importlib.import_module(f"packs.marketing.tools.{tool}").run(params, ctx)
    return result


def written(rows: list[dict[str, Any]]) -> bytes:
    writer = csv.DictWriter(buffer := io.StringIO(), list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def said(ctx: Witness, key: str) -> list[dict[str, str]]:
    return [{name: str(value) for name, value in values.items()} for one, values in ctx.said if one == key]


def shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:,.1f}".removesuffix(".0")


# ------------------------------------------------------------------------------------------------ stock


def item(
    name: str, stock: float | str, sold: float, lead: float | str, cost: str = "1,000원", safety: str = "", **more: Any
) -> dict[str, Any]:
    return {
        "품목": name,
        "현재고": stock,
        "일평균판매량": sold,
        "리드타임": lead,
        "단가": cost,
        "안전재고": safety,
        **more,
    }


SHELVES: dict[str, list[dict[str, Any]]] = {
    # Enough by the arithmetic alone, and not by what somebody decided; customers wait; too much; not sold at all.
    "mixed": [
        item("USB 허브", 15, 1, 3, safety="20"),
        item("주전자", 40, 2, 5),
        item("밀린 것", -5, 3, 4),
        item("텅 빈 것", 0, 4, 4),
        item("넘치는 것", 900, 2, 5),
        item("조금 넘치는 것", 400, 2, 5),
        item("거의 없는 것", 2, 2, 5),
        item("다음 것", 4, 2, 5),
        item("고장 난 줄", "없음", 2, 5),
        item("납기 모름", 5, 2, ""),
        item("단가 모름", 80, 2, 5, cost="비밀"),
    ],
    "fine": [item("컵", 60, 2, 5, cost="3"), item("접시", 90, 2, 5, cost="4")],
    "dead": [item("안 팔리는 것", 70, 0, 5, cost="9"), item("빈 컵", 1, 2, 5, cost="9")],
    "long": [item(f"물건 {number}", number % 3, 1, 5, cost="7") for number in range(40)],
}


def worked_out(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By name: what the formulas of any textbook give, for the rows that have what they need."""
    found = {}
    for row in rows:
        try:
            stock, sold, lead = float(row["현재고"]), float(row["일평균판매량"]), float(row["리드타임"])
        except ValueError:
            continue
        sigma, days = sold / 2, lead + 7
        safety = float(row["안전재고"]) if row["안전재고"] else Z95 * sqrt(lead) * sigma
        point = sold * lead + safety
        level = max(point, sold * days + max(Z95 * sqrt(days) * sigma, float(row["안전재고"] or 0)))
        due = (sold > 0 or stock < 0) and stock <= point
        cover = max(0.0, stock) / sold if sold else None
        status = "out" if stock <= 0 else "order_now" if due else "ok"
        if status == "ok" and (cover is None or (cover > 90 and stock > level)):
            status = "overstock"
        order = max(1, ceil(level - stock - 1e-9)) if due else 0
        found[row["품목"]] = {"status": status, "order": order, "cover": cover, "stock": stock, "sold": sold, **row}
    return found


@pytest.mark.parametrize("name", SHELVES)
@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_a_stock_check_says_what_its_rows_say(name, language, tmp_path):  # noqa: PLR0915  # one check, sentence by sentence
    ctx = Witness(tmp_path, language=language)
    rows = SHELVES[name]
    ctx.upload(written(rows), "재고.csv")
    result = ran(ctx, "inventory")
    known = worked_out(rows)
    statuses = [one["status"] for one in known.values()]
    counts = {status: f"{statuses.count(status):,}" for status in ("out", "order_now", "ok", "overstock")}
    assert said(ctx, "inventory.summary.standing") == [{"items": str(len(known)), **counts}]
    owed = sorted((one["stock"], which) for which, one in known.items() if one["stock"] < 0)
    assert said(ctx, "inventory.summary.owed_of") == [{"name": which, "units": shown(-stock)} for stock, which in owed]
    assert len(said(ctx, "inventory.summary.owed")) == bool(owed)

    due = {which: one for which, one in known.items() if one["order"]}
    named = said(ctx, "inventory.summary.order")
    assert len(named) == min(3, len(due))
    for one in named:
        mine = due[one["name"]]
        assert (one["order"], one["days"]) == (f"{mine['order']:,}", shown(mine["cover"]))
    key = "inventory.summary.orders_more" if len(due) > 3 else "inventory.summary.orders"
    if due:
        assert said(ctx, key)[0] | {"named": ""} == {
            "number": str(len(due)),
            "named": "",
            "more": str(max(0, len(due) - 3)),
        }
        assert not owed or named[0]["name"] == owed[0][1], "who is waited for comes first"
        cost = sum(one["order"] * float(one["단가"].replace(",", "").removesuffix("원")) for one in due.values())
        money = (
            f"{shown(cost)} 원"
            if "원" in next(iter(due.values()))["단가"]
            else ctx.text("inventory.value_unnamed", value=shown(cost))
        )
        assert said(ctx, "inventory.summary.value") == [{"value": money}]
    else:
        assert said(ctx, "inventory.summary.nothing")
    over = {which: one for which, one in known.items() if one["status"] == "overstock"}
    for one in (*said(ctx, "inventory.summary.overstock"), *said(ctx, "inventory.summary.unmoved")):
        mine = over[one["name"]]
        assert mine["stock"] == max(other["stock"] for other in over.values())
        assert (one["number"], one["units"]) == (str(len(over)), shown(mine["stock"]))
        assert one["days"] == shown(mine["cover"] or 0.0)
    assert bool(over) == bool(said(ctx, "inventory.summary.overstock") or said(ctx, "inventory.summary.unmoved"))
    assert said(ctx, "inventory.summary.horizon") == [
        {"days": "90", "units": shown(90 * sum(one["sold"] for one in known.values()))}
    ]
    own = sum(bool(one["안전재고"]) for one in known.values())
    assert [one["items"] for one in said(ctx, "inventory.summary.own")] == ([str(own)] if own else [])
    assumed = sum(one["sold"] > 0 for one in known.values())
    assert [one["items"] for one in said(ctx, "inventory.summary.assumed")] == ([str(assumed)] if assumed else [])
    lines = [number for number, row in enumerate(rows, 2) if row["품목"] not in known]
    bad = said(ctx, "inventory.summary.bad_rows")
    assert [(one["rows"], one["lines"]) for one in bad] == (
        [(str(len(lines)), ", ".join(map(str, lines)))] if lines else []
    )
    reasons = said(ctx, "inventory.reason_counted")
    assert sum(int(one["rows"]) for one in reasons) == len(lines)
    unreadable = sum("비밀" in row["단가"] for row in rows)
    assert [one["values"] for one in said(ctx, "inventory.summary.bad_values")] == (
        [str(unreadable)] if unreadable else []
    )
    if len(known) > 20:
        assert said(ctx, "inventory.chart.part")[0] == {"shown": "20", "items": str(len(known))}
    for one in said(ctx, "inventory.chart.order"):
        assert any(
            (f"{mine['cover']:,.0f}", f"{mine['order']:,}") == (one["days"], one["order"]) for mine in due.values()
        )
    for one in said(ctx, "inventory.chart.lasts"):
        assert any(mine["cover"] is not None and f"{mine['cover']:,.0f}" == one["days"] for mine in known.values())
    assert {one["says"] for one in result["evidence"]} >= {"inventory.summary.standing", "inventory.summary.horizon"}
    assert all(one["n"] <= len(rows) for one in result["evidence"])

    ran(ctx, "dashboard")
    assert said(ctx, "dashboard.summary.to_order") == [{"number": str(len(due))}]
    assert [one["number"] for one in said(ctx, "dashboard.orders.more")][:1] == (
        [str(len(due) - 8)] if len(due) > 8 else []
    )
    assert not due or len(said(ctx, "dashboard.orders.none")) <= 1
    ran(ctx, "report")
    assert said(ctx, "report.stock.method")[0] == {"level": "95%", "days": "7"}
    assert [one["number"] for one in said(ctx, "report.stock.more")] == ([str(len(due) - 15)] if len(due) > 15 else [])


# ------------------------------------------------------------------------------------------------ answers

STAYS: list[dict[str, Any]] = [
    {
        "지점": f"{('강남', '서초', '송파', '마포')[at % 4] if at < 60 else f'작은 점 {at}'}점",
        "작성일": f"2024-{1 + at % 6:02}-{1 + at % 28:02}",
        "금액": 1000 * (at % 37),
        "평점": "" if at % 23 == 0 else 1 + (at * 7) % 5,
        "후기": ("주차가 너무 불편해요 좁아요" if (at * 7) % 5 < 2 else "직원이 친절해서 좋아요") + f" {at}",
    }
    for at in range(72)
]
RATED = [one for one in STAYS if one["평점"] != ""]


def of(branch: str) -> list[dict[str, Any]]:
    return [one for one in STAYS if one["지점"] == branch]


def mean(rows: list[dict[str, Any]]) -> str:
    return f"{fmean(one['평점'] for one in rows if one['평점'] != ''):,.2f}"


PAID = [one["금액"] for one in STAYS]
ASKED: list[tuple[str, str, dict[str, str]]] = [
    # what is asked, a text of the answer, what it says
    ("모두 몇 건이야?", "ask.count", {"value": "72"}),
    ("모두 몇 건이야?", "ask.scope.all", {"total": "72", "left": "72"}),
    ("강남점 후기는 몇 건이야?", "ask.count", {"value": str(len(of("강남점")))}),
    ("강남점 후기는 몇 건이야?", "ask.scope", {"total": "72", "left": str(len(of("강남점")))}),
    ("강남점 평균 평점 알려줘", "ask.mean", {"value": mean(of("강남점"))}),
    ("평점 평균이 얼마야?", "ask.without", {"count": str(len(STAYS) - len(RATED))}),
    ("금액 합계는 얼마야?", "ask.sum", {"value": f"{sum(PAID):,}"}),
    ("금액 중앙값 알려줘", "ask.median", {"value": f"{median(PAID):,.0f}"}),
    ("지점은 몇 군데나 있어?", "ask.distinct", {"value": str(len({one["지점"] for one in STAYS}))}),
    ("금액 최댓값은?", "ask.max", {"value": f"{max(PAID):,}"}),
    ("금액 최솟값은?", "ask.min", {"value": f"{min(PAID):,}"}),
    ("평점 5점은 몇 퍼센트야?", "ask.share", {
        "count": str(sum(one["평점"] == 5 for one in STAYS)), "rows": "72",
        "value": f"{100 * sum(one['평점'] == 5 for one in STAYS) / 72:,.2f}"}),
    ("월별 후기 수", "ask.groups", {"groups": "6"}),
    ("월별 후기 수", "ask.group.count", {"name": "2024-01 (1월)", "value": "12"}),
    ("지점별 평균 평점 높은 순으로", "ask.groups.high", {"groups": str(len({one["지점"] for one in STAYS}))}),
    ("지점별 평균 평점 높은 순으로", "ask.more", {"count": str(len({one["지점"] for one in RATED}) - 12)}),
    ("지점별 평균 평점 높은 순으로", "ask.few", {"fewest": "10"}),
    ("지점별 평균 평점 낮은 순으로", "ask.groups.low", {"groups": str(len({one["지점"] for one in STAYS}))}),
    ("강남점이랑 서초점 평균 평점 비교해줘", "ask.group", {"name": "강남점", "value": mean(of("강남점")), "rows": str(len(of("강남점")))}),
    ("강남점이랑 서초점 금액 합계는 차이가 얼마야?", "ask.apart", {
        "difference": f"{abs(sum(one['금액'] for one in of('강남점')) - sum(one['금액'] for one in of('서초점'))):,}"}),
    ("이 표에 열이 뭐가 있어?", "ask.preview", {"rows": "72", "columns": "5"}),
    ("1점짜리 원문 보여줘", "ask.examples", {"shown": "5", "count": str(sum(one["평점"] == 1 for one in STAYS))}),
    ("전체 금액에서 강남점이 차지하는 비중은?", "ask.share_of", {
        "column": "금액", "value": f"{100 * sum(one['금액'] for one in of('강남점')) / sum(PAID):,.2f}"}),
    ("평점 비어 있는 후기 목록 보여줘", "ask.rows", {"count": str(len(STAYS) - len(RATED))}),
    ("금액이 가장 높은 후기 하나만 원문으로", "ask.rows.high", {"column": "금액", "shown": str(PAID.count(max(PAID)))}),
    ("평점 비어 있는 후기는 몇 건이야? 지점도 알려줘", "ask.named", {
        "column": "지점", "names": ", ".join(dict.fromkeys(one["지점"] for one in STAYS if one["평점"] == ""))}),
    ("금액이 1000 이상인 건 몇 건이야? 작성일도 알려줘", "ask.named_more", {
        "column": "작성일", "more": str(len({one["작성일"] for one in STAYS if one["금액"] >= 1000}) - 40)}),
    # what is told beside it
    ("강남점 평균 평점 알려줘", "ask.beside.whole.all", {
        "rows": "72", "share": f"{100 * len(of('강남점')) / 72:,.2f}", "figures": f", 평점 평균 {mean(STAYS)}"}),
    ("강남점 1점짜리는 몇 건이야?", "ask.beside.whole", {
        "rows": str(len(of("강남점"))), "figures": "",
        "share": f"{100 * sum(one['평점'] == 1 for one in of('강남점')) / len(of('강남점')):,.2f}"}),
    ("평점 5점은 몇 퍼센트야?", "ask.beside.filled", {
        "rows": str(len(RATED)), "value": f"{100 * sum(one['평점'] == 5 for one in RATED) / len(RATED):,.2f}"}),
    ("금액 합계는 얼마야?", "ask.beside.figures", {
        "figures": f"금액 평균 {fmean(PAID):,.2f}, 금액 중앙값 {median(PAID):,.0f}, 금액 최솟값 0, 금액 최댓값 {max(PAID):,}"}),
    ("평점 평균이 얼마야?", "ask.beside.figures.filled", {"filled": str(len(RATED))}),
    ("월별 후기 수", "ask.beside.together", {"rows": "72", "figures": "건수 72"}),
    ("후기가 가장 많은 달은?", "ask.beside.others", {"by": "작성일 (월)"}),
    ("금액이 가장 낮은 후기 하나만 원문으로", "ask.rows.low", {"column": "금액", "shown": str(PAID.count(min(PAID)))}),
]  # fmt: skip


@pytest.mark.parametrize(("question", "key", "expected"), ASKED)
def test_an_answer_says_what_the_rows_say(question, key, expected, tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written(STAYS), "후기.csv")
    result = ran(ctx, "ask", question=question)
    found = said(ctx, key)
    assert any(expected.items() <= one.items() for one in found), (result["summary"], found)
    assert key in {one["says"] for one in result["evidence"]}


@pytest.mark.parametrize(
    ("months", "key"), [((1, 2), "ask.change.down"), ((2, 1), "ask.change.down"), ((1, 1), "ask.change.same")]
)
def test_how_much_more_or_less_is_worked_out_again(months, key, tmp_path):
    """Two months side by side, the later one against the earlier."""
    paid = {1: 5000, 2: 3000} if months[0] == 1 else {1: 3000, 2: 5000}
    rows = [
        {
            "작성일": f"2024-0{month}-{day:02}",
            "금액": paid[month] if key != "ask.change.same" else 700,
            "후기": "좋아요",
        }
        for month in (1, 2)
        for day in range(1, 11)
    ]
    ctx = Witness(tmp_path)
    ctx.upload(written(rows), "후기.csv")
    named = [("1월", "2024-01-01", "2024-01-31"), ("2월", "2024-02-01", "2024-02-29")]
    periods = [{"said": said_, "start": start, "end": end} for said_, start, end in named]
    result = ran(ctx, "ask", question="1월이랑 2월 금액 합계 비교하면 얼마나 늘었어?", periods=periods)
    up, first, last = months == (2, 1), sum(paid.values()) and 10 * paid[1], 10 * paid[2]
    told = next(one for one in result["evidence"] if one["says"].startswith("ask.change"))
    if key == "ask.change.same":
        assert told["says"] == key
        return
    assert told["says"] == ("ask.change.up" if up else "ask.change.down")
    assert told["values"]["difference"] == f"{abs(last - first):,}"
    change = 100 * (last - first) / first
    less = "" if up else f"{abs(change):.2f} %, "
    assert told["values"]["share"] == f" ({less}{change:+.2f} %)"


def test_one_column_by_another_is_worked_out_again(tmp_path):
    made, bad = [100 + at % 9 for at in range(40)], [at % 7 for at in range(40)]
    rows = [{"공장": "구미" if at % 3 else "창원", "생산량": made[at], "불량 수": bad[at]} for at in range(40)]
    ctx = Witness(tmp_path)
    ctx.upload(written(rows), "검사.csv")
    ran(ctx, "ask", question="불량 수를 생산량으로 나눈 값은 얼마야?")
    (told,) = said(ctx, "ask.ratio")
    share = sum(bad) / sum(made)
    assert told["value"] == f"{share:.4f} ({100 * share:.2f} %)"


def test_what_no_row_has_is_said_to_be_of_no_row(tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written([one for one in STAYS if one["평점"] == "" or one["지점"] == "마포점"]), "후기.csv")
    result = ran(ctx, "ask", question="금액 90만원 이상은 몇 건이야?")
    assert "ask.nothing" in {one["says"] for one in result["evidence"]}
    assert next(one["n"] for one in result["evidence"] if one["says"] == "ask.nothing") == 0


# ------------------------------------------------------------------------------------------------ refusals

WEEK = [
    {"상품": ("가방", "신발")[at % 2], "작성일": f"2024-03-{1 + at:02}", "리뷰": f"정말 좋아요 추천합니다 {at}"}
    for at in range(8)
]
UNDATED = [{"리뷰": one["리뷰"]} for one in WEEK]
REFUSED: list[tuple[str, list[dict[str, Any]], list[tuple[str, dict[str, Any]]], dict[str, str]]] = [
    ("collector.error.no_texts", [{"리뷰": "", "평점": 3}, {"리뷰": "", "평점": 4}], [("collector", {"mapping": {"리뷰": "text"}})], {"rows": "2"}),
    ("preprocessor.error.period", WEEK, [("collector", {}), ("preprocessor", {"date_from": "2025-01-01"})],
     {"reviews": "8", "start": "2024-03-01", "end": "2024-03-08"}),
    ("preprocessor.error.no_dates", UNDATED, [("collector", {}), ("preprocessor", {"date_from": "2025-01-01"})], {"reviews": "8"}),
    ("preprocessor.error.products", WEEK, [("collector", {}), ("preprocessor", {"products": ["모자"]})], {"known": "가방, 신발", "products": "모자"}),
    ("preprocessor.error.products_then", WEEK,
     [("collector", {}), ("preprocessor", {"products": ["신발"], "date_from": "2024-03-01", "date_to": "2024-03-01"})], {"known": "가방"}),
    ("trends.error.no_dates", UNDATED, [("collector", {}), ("preprocessor", {}), ("trends", {})], {"reviews": "8"}),
    ("competitor.error.one_brand", [one for one in WEEK if one["상품"] == "가방"],
     [("collector", {}), ("preprocessor", {}), ("sentiment", {}), ("competitor", {})], {"reviews": "4", "found": "가방"}),
    ("competitor.error.no_brand", UNDATED,
     [("collector", {}), ("preprocessor", {}), ("sentiment", {}), ("competitor", {})], {"reviews": "8"}),
    ("sales_material.error.unknown_product", WEEK,
     [("collector", {}), ("preprocessor", {}), ("sentiment", {}), ("sales_material", {"product": "모자"})], {"known": "가방, 신발"}),
    ("inventory.error.nothing_usable", [item("컵", "없음", 1, 2), item("병", 3, 1, "")], [("inventory", {})], {"rows": "2"}),
]  # fmt: skip


@pytest.mark.parametrize(("key", "rows", "steps", "expected"), REFUSED, ids=[one[0] for one in REFUSED])
def test_a_refusal_says_what_the_rows_are(key, rows, steps, expected, tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written(rows), "표.csv")
    *before, (last, params) = steps
    for tool, given in before:
        ran(ctx, tool, **given)
    with pytest.raises(ToolError) as raised:
        ran(ctx, last, **params)
    assert raised.value.code in (
        Code.TABLE_EMPTY,
        Code.DATE_COLUMN_MISSING,
        Code.NOTHING_TO_REPORT,
        Code.TOOL_ARGUMENTS_INVALID,
    )
    (found,) = said(ctx, key)
    assert expected.items() <= found.items()


def test_dates_that_may_be_read_in_two_ways_are_counted_and_other_reviews_are_said_to_be_others(tmp_path):
    ctx = Witness(tmp_path)
    rows = [{"작성일": f"0{1 + at % 9}/0{1 + at % 7}/2024", "리뷰": f"정말 좋아요 추천합니다 {at}"} for at in range(18)]
    ctx.upload(written(rows), "표.csv")
    for tool in ("collector", "preprocessor", "sentiment"):
        ran(ctx, tool)
    ctx.upload(written(WEEK), "다른 표.csv")
    for tool in ("collector", "preprocessor", "keyword"):
        ran(ctx, tool)
    result = ran(ctx, "dashboard")
    assert said(ctx, "report.limit.date_order") == [{"reviews": "18"}]
    assert "report.limit.mixed" in {one["says"] for one in result["evidence"]}


RECOUNTED = (
    {key for key, *_ in REFUSED} | {key for _, key, _ in ASKED} | {key for _, _, key, _ in BESIDE} | {"ask.ratio"}
    | {f"inventory.summary.{name}" for name in (
        "standing", "owed", "owed_of", "nothing", "orders", "orders_more", "order", "value", "overstock", "unmoved",
        "horizon", "own", "assumed", "bad_rows", "bad_values")}
    | {"inventory.value_unnamed", "inventory.reason_counted", "inventory.chart.part", "inventory.chart.order",
       "inventory.chart.lasts", "report.stock.more", "report.stock.method", "dashboard.orders.more",
       "dashboard.orders.none", "dashboard.summary.to_order", "ask.nothing", "report.limit.date_order", "report.limit.mixed",
       # Which of the level ones are told beside how many, see `_best_and_worst` and `_voice`.
       "report.named_more",
       # Told before a plan is approved: tests/unit/packs/marketing/test_wish.py and test_ask_words.py.
       "ask.change.up", "ask.change.down", "ask.change.same",
       # tests/unit/packs/marketing/test_ask_as_people_say.py and test_ask_sums.py
       "ask.beside.off_scale", "ask.times",
       # tests/unit/packs/marketing/test_overview.py
       "overview.about", "overview.most",
       "wish.no_such_days", "collector.error.none_asked", "ask.no_value", "ask.chart.of"}
)  # fmt: skip
