"""The parts of the stock check by themselves: names of columns, numbers, and the formulas at their borders."""

import math

import pytest

from packs.marketing.stock.columns import find_columns
from packs.marketing.stock.history import Rate
from packs.marketing.stock.items import Given, Item, read_items
from packs.marketing.stock.numbers import days, fraction, quantity
from packs.marketing.stock.policy import Advice, Policy, advise
from packs.marketing.stock.sources import Faults, understand
from packs.marketing.tables.delimited import parse_delimited
from tests.unit.packs.marketing.context import NOW


@pytest.mark.parametrize(
    ("header", "per_day"),
    [
        ("주간판매량", 30 / 7),
        ("월평균 판매량", 30 * 12 / 365.25),
        ("최근 15일 판매량", 2),
        ("판매량", 1),
        ("sales last 2 weeks", 30 / 14),
        ("日販", 30),
    ],
)
def test_the_name_of_a_sales_column_says_over_how_many_days_it_runs(header, per_day):
    stock = parse_delimited(f"품목,현재고,{header},리드타임(주)\n가방,0,30,2\n", "utf-8")
    (item,) = read_items([understand("stock.csv", stock, {})], Given(sales_days=30), NOW.date(), Faults())
    assert item.rate.demand == pytest.approx(per_day)
    assert item.lead_days == 14


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (["품번", "상품명", "안전재고", "현재고", "판매가", "매입단가", "발주량", "입고예정수량"], ["item", "name", "safety", "stock", None, "cost", None, "incoming"]),
        (["商品コード", "品名", "在庫金額", "在庫数", "販売数", "納期日数", "発注残"], ["item", "name", None, "stock", "sold", "lead", "incoming"]),
        (["SKU", "ItemName", "Safety Stock", "Qty On Hand", "Selling price", "Unit_Cost", "LeadTime (weeks)"], ["item", "name", "safety", "stock", None, "cost", "lead"]),
        (["코드", "본사창고 재고", "재고일수", "일판매량"], ["item", "stock", None, "daily"]),
    ],
)  # fmt: skip
def test_columns_are_known_by_many_names_and_look_alikes_are_not_taken(names, roles):
    found = {index: role for role, index in find_columns(names).where.items()}
    assert [found.get(index) for index in range(len(names))] == roles


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,200", 1200), ("12,5", 12.5), ("₩12,000", 12000), ("30개", 30), ("(5)", -5), ("−3", -3), ("１２", 12), ("1e9", None), ("12-5", None), ("nan", None), ("12,34,5", None), ("5 boxes of", None)],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them_or_not_at_all(cell, value):
    assert quantity(cell) == value


def test_lengths_of_time_and_rates_are_read_in_their_units():
    assert (days("2주"), days("10 days"), days("3", 7.0), days("soon")) == (14, 10, 21, None)
    assert (fraction("20%"), fraction("0.2"), fraction("20"), fraction("-1")) == (0.2, 0.2, 0.2, None)


def advised(
    policy: Policy, on_hand: float, incoming: float, demand: float, sigma: float, lead_days: float, *costs: float
) -> Advice:
    ordering, holding = costs or (None, None)
    rate = Rate(demand, sigma)
    item = Item("1", "a", "f", 1, on_hand, incoming, lead_days, rate, "given", None, ordering, holding)
    return advise(item, sigma, policy)


def test_orders_cover_lead_time_and_review_without_costs_and_whole_lots_with_them():
    advice = advised(Policy(service_level=0.975, review_days=7), 20, 10, 10, 4, 9)
    z = 1.959964
    assert advice.reorder_point == pytest.approx(90 + z * 3 * 4, abs=1e-4)
    assert advice.order == math.ceil(160 + z * 4 * 4 - 30)
    assert (advice.method, advice.cover_days, advice.status) == ("up_to", 2.0, "order_now")
    lots = advised(Policy(), 0, 0, 10, 4, 9, 1.0, 7.3)
    assert lots.economic == pytest.approx(math.sqrt(1000))
    assert lots.position + lots.order > lots.reorder_point
    assert lots.order == math.ceil(math.sqrt(1000) * 4)


@pytest.mark.parametrize(
    ("needs", "status", "order"),
    [
        ((0, 0, 1, 0, 1), "out", 8),
        ((0, 500, 1, 0, 1), "out", 0),
        ((1, 0, 1, 0, 1), "order_now", 7),
        ((2, 0, 1, 0, 1), "ok", 0),
        ((90, 0, 1, 0, 1), "ok", 0),
        ((91, 0, 1, 0, 1), "overstock", 0),
        ((5, 0, 0, 0, 1), "overstock", 0),
        ((0, 0, 0, 0, 1), "out", 0),
        ((91, 0, 1, 0, 120), "order_now", 36),
    ],
)
def test_every_status_has_its_border(needs, status, order):
    advice = advised(Policy(), *needs)
    assert (advice.status, advice.order) == (status, order)


def test_a_better_service_needs_more_stock():
    points = [advised(Policy(service_level=level), 0, 0, 10, 4, 9).reorder_point for level in (0.5, 0.9, 0.95, 0.999)]
    assert points[0] == 90
    assert points == sorted(points)
