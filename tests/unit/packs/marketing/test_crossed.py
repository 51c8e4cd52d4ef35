"""Pictures of two kinds of groups: lines over time, bars side by side, none where nobody could tell them apart."""

import pytest

from packs.marketing.charts.crossed import crossed
from packs.marketing.charts.drawing import png
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext


def test_over_time_each_name_has_a_line_and_every_figure_is_there() -> None:
    cells = [(month, name, value) for month, name, value in (
        ("2025-01", "North", 4.0), ("2025-01", "South", 20_000.0), ("2025-02", "North", 6.0), ("2025-02", "South", 1.0))]  # fmt: skip
    spec = crossed(cells, 340, over_time=True)
    assert spec is not None and spec["mark"]["type"] == "line"
    assert [(one["along"], one["name"], one["value"]) for one in spec["data"]["values"]] == cells
    assert spec["encoding"]["y"]["axis"]["format"] == "~s", "20k has room beside the axis"
    assert png(spec, "ko").startswith(b"\x89PNG")


@pytest.mark.parametrize(("along", "names"), [(9, 2), (2, 7), (1, 3), (3, 1)])
def test_what_nobody_could_tell_apart_is_not_drawn(along: int, names: int) -> None:
    cells = [(f"row {row}", f"name {name}", 1.0) for row in range(along) for name in range(names)]
    assert crossed(cells, 340, over_time=False) is None


@pytest.mark.parametrize("asked", ["지점별 월별 매출 합계", "지점별 결제별 건수"])
def test_a_table_of_two_kinds_comes_with_a_picture(asked: str, ctx: FakeContext, run: Run) -> None:
    rows = [
        f"{'동서'[at % 2]}부점,{'카현'[at // 2 % 2]}드,{1000 + at * 37 % 500},2025-0{at % 3 + 1}-11" for at in range(60)
    ]
    ctx.upload("\n".join(["지점,결제,매출,날짜", *rows]).encode(), "sales.csv")
    assert run("ask", question=asked)["answered"]
    assert ctx.newest("chart.answer").startswith(b"\x89PNG")
