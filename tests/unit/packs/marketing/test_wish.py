"""What a plan says of the rows that it works on, and how words about the plan change that."""

from pathlib import Path

import pytest

from contracts.shape import JsonObject
from contracts.wishes import Wish, WishAsked
from packs.marketing.asking.profile import profile
from packs.marketing.asking.telling import told
from packs.marketing.asking.wish import period, rows
from packs.marketing.tables.read import read_table
from understanding.kit.data import read_data

TEXTS = Path(__file__).parents[4] / "packs/marketing/texts"
TOWNS = ["여수", "속초", "통영"]


def inns(*, rated: bool = True) -> JsonObject:
    lines = ["숙소코드,도시,묵은 날,후기" + (",별점" if rated else "")]
    for at in range(60):
        stars = f",{at % 5 + 1}" if rated else ""
        text = f"{at}번 방에 묵었는데 창밖으로 배가 지나가더라고요"
        lines.append(f"INN-{400 + at % 3},{TOWNS[at % 3]},2024-{at % 12 + 1:02d}-05,{text}{stars}")
    table = read_table("\n".join(lines).encode(), "inns.csv")
    found: JsonObject = told(table, profile(table)).model_dump(mode="json")
    return found


def say(language: str):
    texts = read_data(TEXTS / f"{language}.yaml")
    return lambda key, **values: texts[key].format(**values)


def after(said: str, *changes: str, language: str = "ko", rated: bool = True) -> Wish:
    """The wish after each change in turn."""
    files = (inns(rated=rated),)
    params: JsonObject = {"asked": said}
    wish = rows(WishAsked(params=params, files=files), say(language))
    for change in changes:
        wish = rows(WishAsked(params=wish.params, said=change, files=files), say(language))
    return wish


def test_the_values_and_bounds_that_are_meant_are_told_by_their_columns() -> None:
    wish = after("통영 숙소 가운데 별점 2점 이하인 후기로 리포트 써줘")
    assert set(wish.lines) == {"도시 = 통영", "별점 ≤ 2"}
    assert not wish.cannot and "changes" not in wish.params


def test_a_request_for_everything_says_nothing_of_rows() -> None:
    assert after("후기 전부 분석해줘").lines == ()


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        (["여수만 봐줘"], {"도시 = 여수"}),
        (["여수만 봐줘", "별점 3점 넘는 걸로"], {"도시 = 여수", "별점 > 3"}),
        (["여수만 봐줘", "여수 말고 속초"], {"도시 = 속초"}),
        (["여수랑 속초만", "속초는 빼고"], {"도시 = 여수"}),
        (["속초는 제외하고"], {"도시 ≠ 속초"}),
        (["여수만 봐줘", "모든 후기로 해줘"], set()),
        (["불만인 손님만"], {"별점 ≤ 2"}),
        (["칭찬만 모아서"], {"별점 ≥ 4"}),
        (["불만만", "호평만"], {"별점 ≥ 4"}),
    ],
)
def test_a_reason_adds_narrows_swaps_and_takes_back(changes: list[str], lines: set[str]) -> None:
    told_lines = set(after("리포트 만들어줘", *changes).lines)
    assert {line.replace("도시가 속초이(가) 아닌", "도시 ≠ 속초") for line in told_lines} == lines


@pytest.mark.parametrize(
    ("language", "said", "sign"),
    [
        ("en", "just the unhappy guests please", "≤ 2"),
        ("en", "use complaints only", "≤ 2"),
        ("en", "the good reviews alone", "≥ 4"),
        ("ja", "低評価のみでお願いします", "≤ 2"),
        ("ja", "好意的な声だけ", "≥ 4"),
    ],
)
def test_opinions_alone_are_read_in_three_languages(language: str, said: str, sign: str) -> None:
    (line,) = after("make a report", said, language=language).lines
    assert line == f"별점 {sign}"


def test_opinions_without_ratings_cannot_be_picked_out_and_that_is_said() -> None:
    wish = after("리포트 만들어줘", "불만만 골라서", rated=False)
    assert len(wish.cannot) == 1 and "별점" in wish.cannot[0]
    assert wish.lines == ()


def test_a_name_that_is_none_changes_nothing_and_is_told_with_what_there_is() -> None:
    wish = after("INN-401 후기로 광고 써줘", "INN-977로 바꿔줘")
    assert wish.lines == ("숙소코드 = INN-401",)
    assert "INN-977" in wish.cannot[0] and "INN-400" in wish.cannot[0]
    assert "changes" not in wish.params


def test_the_examples_are_of_values_that_begin_alike() -> None:
    found = inns()
    columns = found["columns"]
    assert isinstance(columns, list)
    found["columns"] = [columns[1], columns[0], *columns[2:]]
    wish = rows(WishAsked(params={"asked": "INN-977 후기만"}, files=(found,)), say("ko"))
    assert "INN-400" in wish.cannot[0] and "통영" not in wish.cannot[0]


def test_another_condition_does_not_hide_that_a_name_is_none() -> None:
    wish = after("INN-977 후기로 광고 써줘", "5점만")
    assert "INN-977" in wish.cannot[0]


def test_what_is_left_of_a_reason_names_steps() -> None:
    wish = after("리포트 만들어줘", "키워드는 빼고 통영만")
    assert wish.lines == ("도시 = 통영",)
    assert "키워드는 빼고" in wish.rest and "통영" not in wish.rest


def test_the_days_and_names_that_are_kept_are_told() -> None:
    wish = period(
        WishAsked(params={"date_from": "2024-01-01", "date_to": "2024-06-30", "products": ["통영"]}), say("ko")
    )
    assert wish.lines == ("2024-01-01 – 2024-06-30", "통영")


@pytest.mark.parametrize(
    ("first", "last", "cannot"),
    [
        (
            "2026-07-01",
            "2026-09-30",
            "파일에는 2026-07-01 – 2026-09-30의 행이 없어요. 있는 날짜는 2024-01-05 – 2024-12-05이에요.",
        ),
        ("2024-11-01", "2025-01-31", ""),
        ("2025-01-01", None, "파일에는 2025-01-01 – …의 행이 없어요. 있는 날짜는 2024-01-05 – 2024-12-05이에요."),
        (None, "2024-01-05", ""),
    ],
)
def test_days_of_which_the_file_has_no_row_are_told_before_the_plan_is_approved(
    first: str | None, last: str | None, cannot: str
) -> None:
    params: JsonObject = {"date_from": first, "date_to": last}
    wish = period(WishAsked(params=params, files=(inns(),)), say("ko"))
    assert wish.cannot == ((cannot,) if cannot else ())
    assert period(WishAsked(params=params), say("ko")).cannot == ()


@pytest.mark.parametrize(
    ("said", "first", "last", "taken"),
    [
        ("Q3", "2026-07-01", "2026-09-30", ("2024-07-01", "2024-09-30")),
        ("3분기", "2026-07-01", "2026-09-30", ("2024-07-01", "2024-09-30")),
        ("9月", "2026-09-01", "2026-09-30", ("2024-09-01", "2024-09-30")),
        ("6월 이후", "2026-06-01", None, ("2024-06-01", None)),
        ("Q3 2026", "2026-07-01", "2026-09-30", None),
        ("올해", "2026-01-01", "2026-12-31", None),
    ],
)
def test_a_time_without_its_year_is_of_the_one_year_that_has_it_and_that_is_told(
    said: str, first: str, last: str | None, taken: tuple[str, str | None] | None
) -> None:
    params: JsonObject = {"date_from": first, "periods": [{"said": said, "start": first, "end": last}]}
    params |= {"date_to": last} if last else {}
    wish = period(WishAsked(params=params, files=(inns(),)), say("en"))
    (line,) = wish.cannot
    assert "periods" not in wish.params
    if taken is None:
        assert wish.params["date_from"] == first
        return
    assert (wish.params["date_from"], wish.params.get("date_to")) == taken
    assert first[:7] in line and taken[0][:7] in line


def going_on(request: str, before: JsonObject, *, goes_on: bool = False) -> WishAsked:
    return WishAsked(params={"asked": request}, files=(inns(),), before=before, request=request, goes_on=goes_on)


@pytest.mark.parametrize(
    "request_",
    [
        "그거 슬라이드로도 만들어줘",
        "can I have that as slides",
        "スライドでもお願い",
        "やっぱりスライドにして",
        "PPT로 바꿔줘",
    ],
)
def test_the_same_in_another_form_is_of_the_same_rows(request_: str) -> None:
    wish = rows(going_on(request_, {"asked": "통영 것만 리포트로", "changes": ["별점 2점 이하만"]}), say("ko"))
    assert set(wish.lines) == {"도시 = 통영", "별점 ≤ 2"}
    assert wish.params == {"asked": "통영 것만 리포트로", "changes": ["별점 2점 이하만"]}
    days: JsonObject = {"date_from": "2024-01-01", "date_to": "2024-06-30"}
    asked = WishAsked(before=days, request=request_, files=(inns(),))
    assert period(asked, say("ko")).params == days


@pytest.mark.parametrize(
    "request_", ["이 후기로 슬라이드 만들어줘", "make slides of these reviews", "レビューでスライドにして"]
)
def test_a_request_that_names_what_it_is_of_is_of_all_of_it(request_: str) -> None:
    assert rows(going_on(request_, {"asked": "통영 것만 리포트로"}), say("ko")).lines == ()
    days: JsonObject = {"date_from": "2024-01-01"}
    assert period(WishAsked(before=days, request=request_), say("ko")).params == {}


def test_other_rows_of_what_is_made_once_more_change_those_of_before() -> None:
    before: JsonObject = {"asked": "통영 것만 리포트로", "changes": ["별점 2점 이하만"]}
    wish = rows(going_on("여수만", before, goes_on=True), say("ko"))
    assert set(wish.lines) == {"도시 = 여수", "별점 ≤ 2"}
    own: JsonObject = {"date_from": "2024-03-01", "date_to": "2024-03-31"}
    asked = WishAsked(params=own, before={"date_from": "2024-01-01"}, request="3월만", goes_on=True)
    assert period(asked, say("ko")).params == own
