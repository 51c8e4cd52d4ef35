"""What is made of a table is made of the rows that the request names."""

import io

import polars as pl
import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import RAW
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext

pytestmark = pytest.mark.usefixtures("undrawn")

ROWS = [
    ("bike-10021", "Leeds", 5, "Smooth gears and a light frame"),
    ("bike-10021", "York", 1, "The chain came off twice"),
    ("bike-20044", "Leeds", 4, "Comfortable saddle for long rides"),
    ("bike-20044", "York", 1, "Brakes squeal in the rain"),
    ("bike-20044", "York", 2, "The lamp is far too weak"),
] * 6
TABLE = "model,shop,rating,review\n" + "\n".join(",".join(map(str, row)) for row in ROWS)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("Write two headlines for the bike 10021", 12),
        ("bike20044 홍보 영상 만들어줘", 18),
        ("Yorkのレビューだけ感情分析して", 18),
        ("2점 이하 리뷰만 키워드 뽑아줘", 18),
        ("A report on everything but Leeds", 18),
        ("Make a report of these reviews", 30),
        ("리뷰 광고 배너 세 개 만들어줘", 30),
    ],
)
def test_rows_are_kept_that_the_request_names(asked: str, kept: int, ctx: FakeContext, run: Run) -> None:
    ctx.upload(TABLE.encode(), "bikes.csv")
    result = run("collector", asked=asked)
    assert result["rows_kept"] == pl.read_parquet(io.BytesIO(ctx.newest(RAW))).height == kept, result["rows_asked"]
    assert result["rows_left_out"] == 30 - kept and bool(result["rows_asked"]) == (kept < 30)
    assert result["rows_read"] == result["rows_kept"] + result["rows_bad"]
    assert result["rating_scale"] == {"low": 1, "high": 5}  # of all rows, however few are kept


def test_a_name_that_no_row_has_is_told_before_anything_is_made(ctx: FakeContext, run: Run) -> None:
    ctx.upload(TABLE.encode(), "bikes.csv")
    with pytest.raises(ToolError) as refused:
        run("collector", asked="Ads for bike-99999")
    assert refused.value.code == Code.TABLE_EMPTY and "bike-99999" in str(refused.value)
