"""Tables of reviews of different shape, each for sentences that another does not bring about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

ALONE = ("sentiment", "keyword", "trends")
INSIGHTS = (*ALONE, "competitor")
DOCUMENTS = ("report", "dashboard", "sales_material", "ad_creative")


@dataclass(frozen=True)
class Table:
    """Reviews as (product, month, good, bad), spread over the days of the month; what is asked for; what is known."""

    parts: tuple[tuple[str | None, str | None, int, int], ...]
    tools: tuple[str, ...] = INSIGHTS
    clean: Mapping[str, Any] = field(default_factory=dict)
    asked: str = ""
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rated: bool = True
    flat: int = 0
    most_read: int | None = None
    again: int = 0
    """Rows that come again as they are, as many without a text, and as many again by another buyer."""
    loved: bool = False
    """Everybody gives five, whatever they say."""
    languages: tuple[str, ...] = ("ko",)
    spoken: str = "ko"
    known: Mapping[str, Any] = field(default_factory=dict)


def months(first: str, number: int) -> list[str]:
    begin = 12 * int(first[:4]) + int(first[5:]) - 1
    return [f"{at // 12}-{at % 12 + 1:02}" for at in range(begin, begin + number)]


TABLES: Mapping[str, Table] = {
    # Two products, one of which falls in the fifth month; everything is made of it, in three languages.
    "products": Table(
        tuple(
            (name, month, *((9, 3) if name == "가방" or at < 6 else (1, 11)))
            for name in ("가방", "신발", "모자")
            for at, month in enumerate(months("2024-01", 12))
        ),
        tools=(*INSIGHTS, *DOCUMENTS),
        params={"competitor": {"own": "가방"}},
        languages=("ko", "en", "ja"),
    ),
    "film": Table(
        tuple((name, month, *good) for name, good in (("가방", (6, 1)), ("신발", (1, 4))) for month in months("2024-01", 6)),
        tools=("sentiment", "keyword", "video"),
        params={"video": {"seconds": 17, "aspect": "1:1"}}, known={"quoted": True},
    ),
    # Other products explain the rise; with a product of both times, and with none.
    "others": Table(
        tuple(("낡은 것", month, 2, 10) for month in months("2023-01", 8))
        + tuple(("새것", month, 10, 2) for month in months("2023-09", 8))
        + tuple(("늘 있던 것", month, 2, 2) for month in months("2023-01", 16)),
        params={"competitor": {"own": "낡은 것"}},
    ),
    "none of both": Table(
        tuple(("헌책", month, 2, 10) for month in months("2023-01", 8))
        + tuple(("새 책", month, 10, 2) for month in months("2023-09", 8)),
        params={"competitor": {"own": "새 책"}},
        tools=(*INSIGHTS, "sales_material"),
    ),
    # All rise together: every level is up, the last product is ahead by chance.
    "risen": Table(
        tuple(("컵", month, *((3, 9) if at < 7 else (10, 2))) for at, month in enumerate(months("2022-01", 14)))
        + tuple(("접시", month, *((2, 5) if at < 7 else (6, 2))) for at, month in enumerate(months("2022-01", 14))),
        params={"competitor": {"own": "접시"}},
    ),
    # One of them falls or rises while the others stay, told by ratings and, where there are none, by texts.
    "one falls": Table(
        tuple((name, month, *((1, 9) if name == "컵" and at > 5 else (8, 2)))
              for name in ("컵", "접시") for at, month in enumerate(months("2022-01", 10))),
        tools=(*ALONE, "report", "dashboard"), languages=("ko", "en", "ja"),
    ),
    "one rises": Table(
        tuple((name, month, *((9, 1) if name == "컵" and at > 4 else (3, 7)))
              for name in ("컵", "접시") for at, month in enumerate(months("2022-01", 10))),
        tools=ALONE,
    ),
    "one falls unrated": Table(
        tuple((name, month, *((1, 9) if name == "컵" and at > 5 else (8, 2)))
              for name in ("컵", "접시") for at, month in enumerate(months("2022-01", 10))),
        tools=ALONE, rated=False,
    ),
    "one rises unrated": Table(
        tuple((name, month, *((9, 1) if name == "컵" and at > 4 else (3, 7)))
              for name in ("컵", "접시") for at, month in enumerate(months("2022-01", 10))),
        tools=ALONE, rated=False,
    ),
    # Slowly better, and slowly worse, more and fewer.
    "rising": Table(
        tuple(("병", month, 1 + 2 * at, 13 - 2 * at) for at, month in enumerate(months("2022-01", 7))), tools=ALONE
    ),
    "falling": Table(
        tuple(("병", month, 13 - 2 * at, 1 + 2 * at) for at, month in enumerate(months("2022-01", 7))), tools=ALONE
    ),
    "growing": Table(tuple(("통", month, 2 + at, 1 + at) for at, month in enumerate(months("2022-01", 10))), tools=ALONE),
    "shrinking": Table(tuple(("통", month, 16 - at, 15 - at) for at, month in enumerate(months("2022-01", 10))), tools=ALONE),
    "busier": Table(tuple(("솥", month, *((3, 2) if at < 8 else (12, 10))) for at, month in enumerate(months("2022-01", 16))), tools=ALONE),
    "quieter": Table(
        tuple(("솥", month, *((12, 10) if at < 8 else (3, 2))) for at, month in enumerate(months("2022-01", 16))), tools=ALONE
    ),
    # Two busy months after forty quiet ones are no level; months without reviews; more months than a page shows.
    "gaps": Table(
        (*tuple(("솥", month, 3, 2) for month in months("2020-01", 40) if not month.endswith("-08")), ("솥", "2023-05", 20, 14), ("솥", "2023-06", 10, 4)),
        tools=("sentiment", "keyword", "trends", "report", "dashboard"),
    ),
    # Small perfect products beside large middling ones: the best of all is not among the fifty largest.
    "many": Table(
        (*tuple((f"상품 {number:02}", "2024-03", 7, 5) for number in range(52)), ("작고 좋은 것", "2024-03", 10, 0), ("다섯뿐인 것", "2024-03", 5, 0)),
        tools=(*INSIGHTS, "report"),
    ),
    "level": Table(tuple((name, "2024-03", good, 12 - good) for name, good in (("가", 9), ("나", 9), ("다", 3), ("라", 3)))),
    "few": Table((("홀로", "2024-03", 3, 1), ("둘째", "2024-04", 2, 2))),
    "twice": Table((("솥", "2024-03", 20, 20),), again=6, tools=("sentiment", "dashboard"), languages=("ko", "en", "ja")),
    "loved": Table((("솥", "2024-03", 12, 12),), loved=True, tools=("sentiment", "report"), languages=("ko", "en", "ja")),
    "left open": Table((("솥", "2024-03", 24, 24),), flat=6, tools=("sentiment", "report"), languages=("ko", "en", "ja")),
    "undated": Table((("하나", None, 12, 9), ("하나", "2024-02", 4, 4), (None, "2024-03", 6, 6)), rated=False, flat=3,
                     tools=("sentiment", "keyword", "trends", "report", "sales_material", "dashboard")),
    "nameless": Table(((None, None, 14, 6),), rated=False, clean={"products": ["없는 것"]}, tools=("sentiment", "sales_material")),
    "period": Table(
        tuple(("우산", month, 6, 6) for month in months("2024-01", 8)),
        tools=("sentiment",), clean={"date_from": "2024-03-01", "date_to": "2024-05-31"},
        known={"period": (date(2024, 3, 1), date(2024, 5, 31))},
    ),
    "one of them": Table(
        (("우산", "2024-01", 6, 6), ("장화", "2024-01", 3, 9)),
        tools=("sentiment",), clean={"products": ["장화"]}, known={"products": ["장화"]},
    ),
    "low ones": Table(
        (("우산", "2024-01", 6, 6), ("장화", "2024-01", 3, 9)),
        tools=("sentiment",), asked="별점 1점짜리만 감성 분석해줘", known={"filters": "별점 = 1", "kept": 1.0},
    ),
    "sample": Table(
        tuple((name, "2024-03", 40, 80) for name in ("가", "나")),
        most_read=80, tools=("sentiment", "keyword", "report", "dashboard"),
    ),
    "better": Table(
        (("솥", "2024-01", 3, 17), ("솥", "2024-02", 17, 3)),
        tools=("sentiment", "trends", "dashboard", "video"), params={"video": {"seconds": 6}},
    ),
    "worse": Table((("솥", "2024-01", 17, 3), ("솥", "2024-02", 3, 17)), tools=("sentiment", "trends", "dashboard")),
    "nobody's": Table((("가", "2024-03", 6, 4), ("나", "2024-03", 4, 6), (None, "2024-03", 3, 3))),
    "exported": Table((("가", "2024-03", 7, 4),), tools=("sentiment", "export")),
    "slightly": Table((("가", "2024-03", 7, 4), ("나", "2024-03", 6, 5)), params={"competitor": {"own": "가"}}),
    "english": Table((("cup", "2024-03", 8, 4),), tools=("sentiment", "dashboard"), spoken="en"),
    "japanese": Table((("cup", "2024-03", 8, 4),), tools=("sentiment", "dashboard"), spoken="ja"),
    "chinese": Table((("cup", "2024-03", 8, 4),), tools=("sentiment", "dashboard"), spoken="zh"),
    # Two brands of the gazetteer in the texts.
    "brands": Table(
        (("삼성", None, 9, 2), ("애플", None, 3, 8), ("삼성 애플", None, 2, 0)),
        rated=False, tools=("sentiment", "competitor"), known={"brands": {"삼성": "Samsung", "애플": "Apple"}},
    ),
    "advert": Table((("냄비", "2024-03", 36, 4),), tools=("sentiment", "keyword", "ad_creative")),
    "advert without words": Table((("주걱", "2024-03", 3, 1),), tools=("sentiment", "ad_creative")),
}  # fmt: skip

SITES = [
    {"사업장": f"{name} 사업장", "유형": kind, "월": f"2024-{month:02}-01", "전력": 100 + month}
    for name, kind in (("북부", "공장"), ("남부", "공장"), ("동부", "창고"))
    for month in range(1, 13)
]
BESIDE: list[tuple[str, tuple[str, ...], str, dict[str, str]]] = [
    ("유형은 몇 가지야?", (), "ask.beside.which", {"values": "공장, 창고"}),
    ("공장은 몇 개야?", (), "ask.beside.things", {"column": "사업장", "value": "2", "values": "남부 사업장, 북부 사업장"}),
    ("북부 사업장이나 남부 사업장 전력 합계는?", (), "ask.beside.each", {
        "by": "사업장", "figures": "; ".join(
            f"{name} 사업장 {sum(100 + month for month in range(1, 13)):,} (n = 12)" for name in ("북부", "남부"))}),
    ("전력 합계는 얼마야?", ("공장은 몇 개야?",), "ask.beside.before", {
        "rows": "24", "figures": f", 전력 합계 {2 * sum(100 + month for month in range(1, 13)):,}"}),
    ("그럼 사업장별로는?", ("공장은 몇 개야?",), "ask.beside.without", {
        "rows": "36", "figures": ", 남부 사업장 12; 동부 사업장 12; 북부 사업장 12"}),
]  # fmt: skip
