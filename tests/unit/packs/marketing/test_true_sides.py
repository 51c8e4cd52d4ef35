"""What is liked and what is not: of a table that is asked about, and of reviews that are analysed, counted again."""

from typing import Any

import pytest

from packs.marketing.artifacts import KEYWORDS
from tests.unit.packs.marketing.context import Witness
from tests.unit.packs.marketing.test_true_stock_and_answers import RATED, STAYS, ran, said, written

pytestmark = pytest.mark.usefixtures("undrawn")

LOW, HIGH = ([one for one in RATED if low <= one["평점"] <= high] for low, high in ((1, 2), (4, 5)))
FEW = [{"후기": f"직원이 친절해서 좋아요 {at}", "평점": 5} for at in range(6)]
PLAIN = [
    {"후기": f"오늘은 그냥 그렇게 지나갔습니다 {word}", "평점": 1 + at % 5}
    for at, word in enumerate("가나다라마바사아자차카타파하거너더러머버")
]


def held(term: str, rows: list[dict[str, Any]]) -> int:
    return sum(term in one["후기"] for one in rows)


def side(term: str, mine: list[dict[str, Any]]) -> dict[str, str]:
    others = [one for one in RATED if one not in mine]
    return {
        "term": term,
        "ours": str(len(mine)),
        "count": str(held(term, mine)),
        "others": str(len(others)),
        "beside": str(held(term, others)),
    }


ASKED: list[tuple[str, list[dict[str, Any]], str, dict[str, str]]] = [
    ("왜 평점이 낮아?", STAYS, "ask.why.low", {"ours": str(len(LOW)), "rows": str(len(RATED)), "to": "2"}),
    ("왜 평점이 낮아?", STAYS, "ask.why.term.low", side("주차", LOW)),
    ("후기 요약해줘", STAYS, "ask.why.low", {"ours": str(len(LOW)), "rows": str(len(RATED)), "to": "2"}),
    ("후기 요약해줘", STAYS, "ask.why.high", {"ours": str(len(HIGH)), "rows": str(len(RATED)), "to": "4"}),
    ("후기 요약해줘", STAYS, "ask.why.term.high", side("친절", HIGH)),
    ("summarise the reviews", STAYS, "ask.why.term.low", side("주차", LOW)),
    ("この口コミを要約して", STAYS, "ask.why.term.low", side("주차", LOW)),
    ("작은 점 61점은 왜 평점이 낮아?", STAYS, "ask.why.few.low", {"to": "2", "ours": "0"}),
    ("작은 점 61점 후기 요약해줘", STAYS, "ask.why.few.high", {"to": "4"}),
    ("후기 요약해줘", PLAIN, "ask.why.none.low", {"rows": str(len(PLAIN)), "to": "2"}),
    ("후기 요약해줘", PLAIN, "ask.why.none.high", {"rows": str(len(PLAIN)), "to": "4"}),
    ("후기 요약해줘", FEW, "ask.why.few.low", {"ours": "0"}),
]


@pytest.mark.parametrize(("question", "rows", "key", "expected"), ASKED)
def test_a_summary_says_what_is_liked_and_what_is_not(question, rows, key, expected, tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written(rows), "후기.csv")
    result = ran(ctx, "ask", question=question)
    found = said(ctx, key)
    assert any(expected.items() <= one.items() for one in found), (result["summary"], found)
    assert key in {one["says"] for one in result["evidence"]}


def test_how_many_there_are_is_a_number_and_no_summary(tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written(STAYS), "후기.csv")
    told = {one["says"] for one in ran(ctx, "ask", question="후기 몇 건이야?")["evidence"]}
    assert not {one for one in told if one.startswith("ask.why")}


def test_a_table_without_reviews_is_summed_up_by_its_figures(tmp_path):
    ctx = Witness(tmp_path)
    rows: list[dict[str, Any]] = [
        {"품목": ("배", "감")[at % 2], "날짜": f"2025-0{1 + at % 3}-{1 + at % 28:02}", "매출": 1000 + 37 * at % 911}
        for at in range(28)
    ]
    ctx.upload(written(rows), "매출.csv")
    result = ran(ctx, "ask", question="표 내용 요약해줘")
    (total,) = said(ctx, "ask.sum")
    assert result["summary"], result
    assert total["value"] == f"{sum(one['매출'] for one in rows):,}"
    assert result["answered"]


SIDES: list[tuple[str, list[dict[str, Any]], str, dict[str, str]]] = [
    ("negative", RATED, "keyword.side.negative", {"reviews": str(len(LOW))}),
    ("negative", RATED, "keyword.side.negative.rating", {"to": "2"}),
    ("negative", RATED, "keyword.side.term", {"term": "주차", "ours": str(held("주차", LOW)), "documents": str(held("주차", RATED))}),
    ("positive", RATED, "keyword.side.positive", {"reviews": str(len(HIGH))}),
    ("positive", RATED, "keyword.side.positive.rating", {"to": "4"}),
    ("positive", RATED, "keyword.side.term", {"term": "친절", "ours": str(held("친절", HIGH)), "documents": str(held("친절", RATED))}),
    ("negative", PLAIN, "keyword.side.negative.none", {}),
    ("positive", PLAIN, "keyword.side.positive.none", {}),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "rows", "key", "expected"), SIDES)
def test_what_stands_out_in_complaints_or_praise_is_counted_again(wanted, rows, key, expected, tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written(rows), "후기.csv")
    for tool in ("collector", "preprocessor"):
        ran(ctx, tool)
    result = ran(ctx, "keyword", side=wanted)
    found = said(ctx, key)
    assert any(expected.items() <= one.items() for one in found), (result["summary"], found)
    assert not [one for one in result["summary"] if "많이 언급된" in one], "that is another question"


def test_what_a_report_is_made_of_does_not_change_with_the_side_that_was_asked_for(tmp_path):
    kept: list[bytes] = []
    for params in ({}, {"side": "negative"}):
        (folder := tmp_path / str(len(kept))).mkdir()
        ctx = Witness(folder)
        ctx.upload(written(RATED), "후기.csv")
        for tool in ("collector", "preprocessor"):
            ran(ctx, tool)
        ran(ctx, "keyword", top=5, **params)
        kept.append(ctx.newest(KEYWORDS))
    assert kept[0] == kept[1]


RECOUNTED = {key for _, _, key, _ in ASKED} | {key for _, _, key, _ in SIDES} | {"ask.group.change"}


SALES: list[dict[str, Any]] = [
    {"월": f"2025-0{month}-1{at % 9}", "지점": branch, "매출": base + step * month + at}
    for month in (3, 4)
    for branch, base, step in (("동부점", 900, 40), ("서부점", 1200, -30), ("남부점", 700, 95))
    for at in range(8)
]


def sold(branch: str, month: int) -> int:
    return sum(one["매출"] for one in SALES if one["지점"] == branch and one["월"].startswith(f"2025-0{month}"))


@pytest.mark.parametrize(
    ("question", "branch"),
    [
        ("3월과 4월을 비교하면 매출 합계가 가장 많이 늘어난 지점은?", "남부점"),
        ("3월과 4월을 비교하면 매출 합계가 가장 많이 줄어든 지점은?", "서부점"),
    ],
)
def test_what_has_changed_most_between_two_times_is_counted_again(question, branch, tmp_path):
    ctx = Witness(tmp_path)
    ctx.upload(written(SALES), "매출.csv")
    months = [{"said": f"{one}월", "start": f"2025-0{one}-01", "end": f"2025-0{one}-{30 + one % 2}"} for one in (3, 4)]
    result = ran(ctx, "ask", question=question, periods=months)
    change = sold(branch, 4) - sold(branch, 3)
    value = f"{'+' if change > 0 else '−'}{abs(change):,}"
    assert {"name": branch, "value": value}.items() <= said(ctx, "ask.group.change")[0].items(), result["summary"]
