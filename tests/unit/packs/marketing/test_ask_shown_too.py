"""What people want to see beside a figure: each value that they named by itself, those in no group, the rows that were
counted, another column of these."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.packs.marketing.context import FakeContext
from understanding.offline.encoder import best_encoder

pytestmark = pytest.mark.usefixtures("undrawn")

_LOANS = [
    f"L-{at:03d},2026-10-{1 + at % 27:02d},{('Ada Finch', 'Bo Marsh', 'Cy Wren')[at % 3]},"
    f"{('atlas', 'novel', 'comic', 'poetry')[at % 4]},{('Ines', 'Omar', 'Tess', '')[at % 7 % 4]},"
    f"{'' if at % 13 == 5 else f'2026-11-{1 + at % 20:02d}'},{1 + at % 4}"
    for at in range(60)
]
LOANS = "\n".join(["Loan no.,Lent on,Reader,Kind,Desk,Returned on,Weeks", *_LOANS])
_RENTS = [
    f"{at + 1},{('한솔', '가람', '누리')[at % 3]},{('접이식', '산악', '전기', '아동')[at % 4]},"
    f"{('현장', '전화', '앱', '')[at % 7 % 4]},{'' if at % 13 == 5 else '현금'},{1 + at % 4}"
    for at in range(60)
]
RENTS = "\n".join(["번호,대여자명,자전거 종류,접수 경로,결제,시간(h)", *_RENTS])
_STAYS = [
    f"{at + 1},{('青木', '井口', '上田')[at % 3]},{('和室', '洋室', '離れ', '特別室')[at % 4]},"
    f"{('電話', '旅行サイト', '窓口', '')[at % 7 % 4]},{'' if at % 13 == 5 else '済'},{1 + at % 4}"
    for at in range(60)
]
STAYS = "\n".join(["番号,代表者名,部屋,申込経路,入金,泊数", *_STAYS])
Told = Callable[..., str]
LATE = [one.split(",") for one in _LOANS if not one.split(",")[5]]


@pytest.fixture
def told(ctx: FakeContext, run: Callable[..., dict[str, Any]]) -> Told:
    def ask(file: str, language: str, question: str, *before: str) -> str:
        ctx.language = language
        ctx.upload(file.encode(), "table.csv")
        said = [{"question": one} for one in before]
        result = run("ask", question=question, **({"before": said} if said else {}))
        assert result["answered"], result["summary"]
        return "\n".join(result["summary"])

    return ask


def count(rows: list[str], at: int, value: str) -> int:
    return sum(one.split(",")[at] == value for one in rows)


@pytest.mark.parametrize(
    ("file", "language", "question", "rows", "values"),
    [
        (LOANS, "en", "How many loans were an atlas or a comic?", _LOANS, ("atlas", "comic")),
        (LOANS, "en", "atlas or comic, which has more loans? give both counts", _LOANS, ("atlas", "comic")),
        (RENTS, "ko", "산악이나 전기 대여는 몇 건이야?", _RENTS, ("산악", "전기")),
        (RENTS, "ko", "산악 아니면 전기 중에 뭐가 더 많아? 각각 몇 건?", _RENTS, ("산악", "전기")),
        (STAYS, "ja", "和室か洋室の予約は何件？", _STAYS, ("和室", "洋室")),
        (STAYS, "ja", "和室または離れ、どちらが多い？それぞれ何件？", _STAYS, ("和室", "離れ")),
    ],
)
def test_each_of_the_values_that_are_named_has_its_figure(
    file: str, language: str, question: str, rows: list[str], values: tuple[str, ...], told: Told
) -> None:
    at = 3 if file is LOANS else 2
    answer = told(file, language, question)
    for one in values:
        number = count(rows, at, one)
        assert any(f"{one}{sep}{number}" in answer for sep in (" ", ": ", "：")), answer


@pytest.mark.parametrize(
    ("file", "language", "question", "first", "other"),
    [
        (LOANS, "en", "atlas or comic, who has fewer weeks in total? both totals please", "atlas", "comic"),
        (RENTS, "ko", "산악 또는 전기 중에 어느 쪽이 시간 합계가 더 적어?", "산악", "전기"),
    ],
)
def test_two_with_or_between_them_are_set_in_order(
    file: str, language: str, question: str, first: str, other: str, told: Told
) -> None:
    lines = told(file, language, question).split("\n")
    one, two = (next(at for at, line in enumerate(lines) if line.startswith(f"{it}: ")) for it in (first, other))
    assert one < two, lines


def test_each_share_is_told_where_two_are_named(told: Told) -> None:
    answer = told(LOANS, "en", "What percent of the loans are novels? And poetry?")
    assert "novel: 25.00 %" in answer
    assert "poetry: 25.00 %" in answer


@pytest.mark.parametrize(
    ("file", "language", "question", "empty"),
    [
        (LOANS, "en", "How many loans per desk?", "Desk is empty: "),
        (RENTS, "ko", "접수 경로별로 몇 건씩이야?", "접수 경로 비어 있음: "),
        (STAYS, "ja", "申込経路ごとの件数は？", "申込経路が空欄："),
    ],
)
def test_rows_in_no_group_are_told_beside_the_groups(
    file: str, language: str, question: str, empty: str, told: Told
) -> None:
    answer = told(file, language, question)
    assert f"{empty}{sum(at % 7 % 4 == 3 for at in range(60))}" in answer


def test_rows_in_no_group_are_not_told_where_one_group_is_asked_for(told: Told) -> None:
    assert "is empty:" not in told(LOANS, "en", "Which desk has the most loans?")


@pytest.mark.parametrize(
    ("file", "language", "question", "names"),
    [
        (LOANS, "en", "Which loans have no date returned?", ("L-005", "L-018", "L-031", "L-044", "L-057")),
        (RENTS, "ko", "결제가 빈칸인 건은 어느 거예요?", ("누리", "한솔", "가람")),
        (STAYS, "ja", "入金が空欄のお客様はどなたですか。", ("上田", "青木", "井口")),
    ],
)
def test_a_few_rows_are_shown_where_one_asks_which_they_are(
    file: str, language: str, question: str, names: tuple[str, ...], told: Told
) -> None:
    answer = told(file, language, question)
    assert all(one in answer for one in names), answer


@pytest.mark.parametrize(
    ("file", "language", "question"),
    [
        (LOANS, "en", "How many loans have no date returned?"),
        (RENTS, "ko", "결제가 빈칸인 건은 몇 건이야?"),
        (STAYS, "ja", "入金が空欄の予約は何件ですか。"),
    ],
)
def test_who_asks_for_a_number_alone_is_shown_no_rows(file: str, language: str, question: str, told: Told) -> None:
    assert not any(line.startswith("- ") for line in told(file, language, question).split("\n"))


def test_a_number_of_other_rows_is_a_number_alone(told: Told) -> None:
    before = "How many novel loans have no date returned?"
    assert "- " not in told(LOANS, "en", "and comic?", before)
    assert "\n- " in told(LOANS, "en", "and which were comic?", before)


@pytest.mark.parametrize(
    ("file", "language", "question", "before", "values"),
    [
        (LOANS, "en", "what kind were they?", "How many loans have no date returned?", {one[3] for one in LATE}),
        (
            RENTS,
            "ko",
            "그 사람들 자전거 종류는 뭐였어?",
            "결제가 빈칸인 건은 몇 건이야?",
            {"산악", "전기", "아동", "접이식"},
        ),
        (
            STAYS,
            "ja",
            "その人たちの部屋は何でしたか",
            "入金が空欄の予約は何件ですか。",
            {"洋室", "離れ", "特別室", "和室"},
        ),
    ],
)
def test_another_column_of_the_rows_that_were_counted_is_told(
    file: str, language: str, question: str, before: str, values: set[str], told: Told
) -> None:
    answer = told(file, language, question, before)
    assert all(one in answer for one in values), answer


def test_of_many_rows_it_is_told_how_many_have_each_value(told: Told) -> None:
    answer = told(LOANS, "en", "which kinds were those?", "How many loans did Ada Finch have?")
    for kind in ("atlas", "novel", "comic", "poetry"):
        number = sum(one.split(",")[2:4] == ["Ada Finch", kind] for one in _LOANS)
        assert f"{kind}: {number}" in answer, answer


def test_a_heading_with_what_kind_it_is_behind_it_is_that_column(told: Told) -> None:
    answer = told(STAYS, "ja", "入金が済の件数を部屋タイプごとに教えて")
    for room in ("和室", "洋室", "離れ", "特別室"):
        number = sum(one.split(",")[2] == room and one.split(",")[4] == "済" for one in _STAYS)
        assert f"{room}：{number}件" in answer, answer


@pytest.mark.parametrize(
    ("file", "question"),
    [
        (LOANS, "How many atlas loans by nationality"),
        (LOANS, "comic loans per author please"),
        (RENTS, "전기 대여 건수를 직원별로 알려줘"),
        (STAYS, "洋室の予約の件数を地方別に教えてください"),
    ],
)
def test_no_guess_drops_what_there_shall_be_a_figure_for_each_of(
    file: str, question: str, ctx: FakeContext, run: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctx, "meanings", lambda texts: best_encoder().encode(list(texts)).tolist())
    ctx.upload(file.encode(), "table.csv")
    assert not run("ask", question=question)["answered"]


@pytest.mark.parametrize(
    ("file", "language", "question", "lines"),
    [
        (LOANS, "en", "What share of the loans are atlas and comic, each?", ("atlas 25.00 %", "comic 25.00 %")),
        (RENTS, "ko", "산악이랑 전기는 각각 몇 퍼센트야?", ("산악 25.00 %", "전기 25.00 %")),
        (STAYS, "ja", "入金が空欄のは除いて、和室と洋室はそれぞれ何％ですか", ("和室 25.45 %", "洋室 23.64 %")),
    ],
)
def test_shares_of_several_values_are_told_one_by_one(
    file: str, language: str, question: str, lines: tuple[str, ...], told: Told
) -> None:
    answer = told(file, language, question)
    assert all(one in answer for one in lines), answer


def test_shares_of_several_values_are_told_of_each_group(told: Told) -> None:
    answer = told(RENTS, "ko", "대여자명별로 현장이랑 전화 비율이 각각 어떻게 돼?")
    at = [one.split(",") for one in _RENTS if one.split(",")[1] == "한솔"]
    for way in ("현장", "전화"):
        assert f"{100 * sum(one[3] == way for one in at) / len(at):.2f} %" in answer, answer


def test_those_with_nothing_written_come_beside_the_groups(told: Told) -> None:
    answer = told(RENTS, "ko", "접수 경로별 건수 알려줘, 접수 경로가 빈칸인 것도 같이")
    assert all(f"{way}: {count(_RENTS, 3, way)}" in answer for way in ("현장", "전화", "앱")), answer


def test_a_sigh_before_a_turn_that_goes_on_changes_nothing(told: Told) -> None:
    answer = told(LOANS, "en", "Hmm. And if you look at those of Ada Finch only?", "atlas vs comic: how many each?")
    for kind in ("atlas", "comic"):
        number = sum(one.split(",")[2:4] == ["Ada Finch", kind] for one in _LOANS)
        assert f"{kind}: {number}" in answer, answer
