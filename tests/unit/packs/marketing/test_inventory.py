"""Stock tables become orders: the arithmetic again by hand, and nothing bad is used in silence."""

import csv
import io
import math

import pytest
from PIL import Image

from bench.demo.stock import BAD, FOLDER, HERE, Words, render
from contracts.errors import Code
from contracts.tools import ToolError, ToolSpec
from services.planning.domain.chain import chain
from tests.unit.packs.marketing.context import PACK
from understanding.kit.data import read_data

HEADER = "sku,on hand,daily sales,daily std dev,lead time\n"
# The 95 % quantile of the normal distribution, from a table.
Z95 = 1.6448536


def table(ctx):
    rows = csv.DictReader(io.StringIO(ctx.newest("ops.inventory").decode("utf-8-sig")))
    return {row["SKU"]: row for row in rows}


def english(ctx, text, name="stock.csv"):
    ctx.language = "en"
    ctx.upload(text.encode(), name)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_demo_files_are_what_the_script_writes(language):
    words = read_data(HERE / "stock.yaml")[language]
    written = (FOLDER / f"demo_stock_{language}.csv").read_text(encoding="utf-8")
    assert written == render(Words(**words))
    lines = written.splitlines()
    assert len(lines) == 25
    assert all(line.endswith(",synthetic") for line in lines[1:])


def test_the_demo_is_checked_and_every_number_can_be_worked_out_again(ctx, run):
    ctx.language = "en"
    data = (FOLDER / "demo_stock_en.csv").read_bytes()
    ctx.upload(data, "demo_stock_en.csv")
    result = run("inventory")
    source = {row["SKU"]: row for row in csv.DictReader(io.StringIO(data.decode()))}
    made = table(ctx)
    bad = {f"DA-{number + 1:03}" for number, wrong in BAD.items() if wrong != "negative_stock"}
    assert made.keys() == source.keys() - bad
    assert result["rows_left_out"] == len(bad) == 2
    for sku, row in made.items():
        given = source[sku]
        demand, lead = float(given["Avg daily sales"]), float(given["Lead time (days)"])
        sigma = float(given["Daily std dev"]) if given["Daily std dev"] else 0.5 * demand
        point = demand * lead + Z95 * math.sqrt(lead) * sigma
        assert float(row["Reorder point"]) == pytest.approx(point, abs=0.01), sku
        position = float(given["On hand"]) + float(given["On order"])
        due = demand > 0 and position <= point
        assert (float(row["Order quantity"]) > 0) is due, sku
        if due and given["Ordering cost"]:
            lot = math.sqrt(2 * 365 * demand * 30_000 / (0.2 * float(given["Unit cost"].replace(",", ""))))
            assert int(row["Order quantity"]) == math.ceil(lot * (math.floor((point - position) / lot) + 1)), sku
    orders = {row["sku"]: row["order_quantity"] for row in result["to_order"]}
    assert orders == {sku: int(row["Order quantity"]) for sku, row in made.items() if row["Order quantity"] != "0"}
    assert result["order_value"] == sum(
        orders[sku] * float(source[sku]["Unit cost"].replace(",", "")) for sku in orders
    )
    assert sum(result["counts"].values()) == result["items"] == 22


def test_bad_rows_are_named_with_line_column_value_and_reason(ctx, run):
    ctx.upload((FOLDER / "demo_stock_ko.csv").read_bytes(), "재고.csv")
    result = run("inventory")
    found = [(bad["line"], bad["column"], bad["value"], bad["reason"]) for bad in result["bad_rows"]]
    assert found == [
        (14, "리드타임(일)", "", "lead_time_missing"),
        (21, "일평균판매량", "확인중", "not_a_number"),
    ]
    assert any("2개 행" in one and "리드타임이 없음 1건" in one and "14, 21행" in one for one in result["summary"])


def test_every_kind_of_bad_row_is_left_out_and_none_of_the_good_ones(ctx, run):
    english(
        ctx,
        HEADER + "A,10,2,1,5\nA,99,2,1,5\n,10,2,1,5\nB,,2,1,5\nC,ten,2,1,5\nD,10,-2,1,5\nE,10,,1,5\nF,10,2,1,-5\n"
        "G,10,2,1\nH,10,2,about one,5\nI,1 2,2,1,5\n",
    )
    result = run("inventory")
    assert set(table(ctx)) == {"A", "H"}
    assert table(ctx)["A"]["On hand"] == "10"
    assert [(bad["line"], bad["reason"], bad["left_out"]) for bad in sorted(result["bad_rows"], key=lambda b: b["line"])] == [
        (3, "duplicate", True), (4, "item_missing", True), (5, "stock_missing", True), (6, "not_a_number", True),
        (7, "demand_negative", True), (8, "demand_missing", True), (9, "lead_time_negative", True), (10, "ragged", True),
        (11, "not_a_number", False), (12, "not_a_number", True),
    ]  # fmt: skip
    assert result["rows_left_out"] == 9


def test_when_no_row_is_usable_the_reasons_are_told(ctx, run):
    english(ctx, HEADER + "A,,2,1,5\nB,5,2,1,\n")
    with pytest.raises(ToolError) as raised:
        run("inventory")
    assert raised.value.code == Code.TABLE_EMPTY
    assert "no stock (1)" in raised.value.message
    assert "no lead time (1)" in raised.value.message
    assert [bad["line"] for bad in raised.value.detail["bad_rows"]] == [2, 3]  # type: ignore[union-attr, index, call-overload]  # JSON
    assert not ctx.inputs("ops.inventory")


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"review,rating\nvery good indeed,5\nnot so good,2\n", Code.TABLE_UNREADABLE, "review, rating"),
        (b"sku,on hand,daily sales,lead time\n", Code.TABLE_EMPTY, "stock.csv"),
        (b"", Code.TABLE_EMPTY, "stock.csv"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", Code.TABLE_UNREADABLE, "stock.csv"),
    ],
)
def test_what_is_no_stock_table_is_refused_by_name(ctx, run, data, code, said):
    ctx.language = "en"
    ctx.upload(data, "stock.csv")
    with pytest.raises(ToolError) as raised:
        run("inventory")
    assert raised.value.code == code
    assert said in raised.value.message


def test_without_a_file_the_input_is_missing(run):
    with pytest.raises(ToolError) as raised:
        run("inventory")
    assert raised.value.code == Code.INPUT_MISSING


def test_of_several_files_the_stock_tables_are_used_and_the_others_named(ctx, run):
    english(ctx, "review,rating\nvery good indeed,5\nnot so good,2\n", "reviews.csv")
    english(ctx, HEADER + "A,10,2,1,5\n", "seoul.csv")
    english(ctx, "%PDF-1.7", "paper.pdf")
    english(ctx, HEADER + "B,100,2,1,5\n", "busan.csv")
    result = run("inventory")
    assert set(table(ctx)) == {"A", "B"}
    assert result["files"] == ["seoul.csv", "busan.csv"]
    assert {item["file"]: item["reason"] for item in result["ignored"]} == {
        "paper.pdf": "binary",
        "reviews.csv": "no_stock_column",
    }


def test_a_history_of_sales_gives_demand_and_its_deviation(ctx, run):
    sold = [3, 0, 5, 2, 4, 0, 6, 4, 1, 5]
    rows = "".join(f"2025-09-{day:02},A,{units}\n" for day, units in enumerate(sold, 1) if units)
    english(ctx, "sku,on hand,lead time\nA,10,4\nB,10,4\n", "stock.csv")
    english(ctx, f"date,sku,quantity\n{rows}2025-13-01,A,5\n2025-09-03,A,-2\n2030-01-01,A,3\n", "sales.csv")
    result = run("inventory")
    mean = sum(sold) / 10
    sigma = math.sqrt(sum((units - mean) ** 2 for units in sold) / 9)
    row = table(ctx)["A"]
    assert float(row["Demand per day"]) == pytest.approx(mean)
    assert float(row["Safety stock"]) == pytest.approx(Z95 * math.sqrt(4) * sigma, abs=0.01)
    assert row["Variation from"] == "sales history"
    reasons = {(bad["file"], bad["line"]): bad["reason"] for bad in result["bad_rows"]}
    assert reasons == {
        ("sales.csv", 10): "date_unreadable",
        ("sales.csv", 11): "demand_negative",
        ("sales.csv", 12): "date_in_future",
        ("stock.csv", 3): "demand_missing",
    }


def test_a_table_with_a_row_per_item_and_day_is_its_own_history(ctx, run):
    rows = "".join(f"2025-08-{day:02},{sku},{40 - day},{day % 3 + 1},7\n" for day in range(1, 21) for sku in "AB")
    english(ctx, f"date,sku,stock,sales,lead time\n{rows}")
    run("inventory")
    made = table(ctx)
    assert {sku: row["On hand"] for sku, row in made.items()} == {"A": "20", "B": "20"}
    assert float(made["A"]["Demand per day"]) == pytest.approx(sum(day % 3 + 1 for day in range(1, 21)) / 20)


def test_what_varies_unknown_is_assumed_and_said(ctx, run):
    english(ctx, "sku,on hand,daily sales,lead time\nA,0,4,9\n")
    result = run("inventory", assumed_variation=0.25)
    assert result["assumed_variation"] == 1
    assert result["to_order"][0]["sigma"] == 1.0
    assert result["to_order"][0]["safety_stock"] == pytest.approx(Z95 * 3 * 1.0, abs=0.01)
    assert any("25%" in sentence for sentence in result["summary"])


def test_a_person_may_say_which_column_is_what(ctx, run):
    english(ctx, "sku,shelf,daily sales,lead time\nA,10,2,5\n")
    with pytest.raises(ToolError):
        run("inventory")
    assert run("inventory", mapping={"shelf": "stock"})["items"] == 1
    with pytest.raises(ToolError) as raised:
        run("inventory", mapping={"cellar": "stock"})
    assert raised.value.code == Code.TOOL_ARGUMENTS_INVALID


def test_a_name_that_looks_like_a_formula_stays_text_in_the_spreadsheet(ctx, run):
    english(ctx, 'sku,name,on hand,daily sales,lead time\nA,"=HYPERLINK(""x"")",10,2,5\n')
    run("inventory")
    assert table(ctx)["A"]["Item"] == '\'=HYPERLINK("x")'


def test_orders_are_planned_from_a_table_alone_and_a_bare_chart_is_still_one_of_reviews():
    tools = [ToolSpec.model_validate(read_data(path)) for path in (PACK / "tools").glob("*.yaml")]

    def last(goal):
        return chain((goal,), ("file.table",), tools)[-1].tool.tool_key

    assert [step.tool.tool_key for step in chain(("ops.inventory",), ("file.table",), tools)] == ["marketing.inventory"]
    assert (last("insight.competitor"), last("chart.png")) == ("marketing.competitor", "marketing.sentiment")


@pytest.mark.parametrize("language", ["ko", "ja"])
def test_the_chart_and_the_words_are_in_the_persons_language(ctx, run, language):
    ctx.language = language
    ctx.upload((FOLDER / "demo_stock_ko.csv").read_bytes(), "stock.csv")
    result = run("inventory")
    assert "바람 헤파필터" in result["summary"][1], "who waits for it already comes first"
    assert "하늘 무선청소기" in result["summary"][2]
    assert ctx.newest("ops.inventory").startswith(b"\xef\xbb\xbf")
    (attachment,) = (item.attachment for item in ctx.inputs("ops.inventory"))
    assert attachment.meta["counts"] == result["counts"]
    with Image.open(io.BytesIO(ctx.newest("chart.png"))) as image:
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20) or ()}
        assert 600 < image.width < 760, "a telephone shows it without shrinking"
    # Out, due, fine and overstock are all in the picture.
    assert {(0x8F, 0x2D, 0x1D), (0xD9, 0x82, 0x2B), (0x1B, 0x7F, 0x6B), (0x8F, 0xA3, 0xBD)} <= colours


def test_sixty_items_of_one_name_are_drawn_and_listed_in_part(ctx, run):
    rows = "".join(f"A{number},Bag,{number % 9},2,1,5\n" for number in range(60))
    english(ctx, f"sku,name,on hand,daily sales,daily std dev,lead time\n{rows}")
    result = run("inventory")
    assert result["orders"] == 60
    assert len(result["to_order"]) == 50
    assert len(table(ctx)) == 60
    with Image.open(io.BytesIO(ctx.newest("chart.png"))) as image:
        assert image.height < 2400
