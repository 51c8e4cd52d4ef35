"""Two columns taken together, who was counted, two questions of which the second is of the rows of the first, and what is
no day though it could be one."""

from collections.abc import Callable
from typing import Any

import pytest

from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Measure
from packs.marketing.asking.together import together
from packs.marketing.tables.columns import guess_columns
from tests.unit.packs.marketing.context import FakeContext
from tests.unit.packs.marketing.read_as import asked, requests, table

pytestmark = pytest.mark.usefixtures("undrawn")

_BERTHS = [
    f"2026-0{1 + at % 9}-{1 + at % 27:02d},{('Tern', 'Gull', 'Puffin', 'Skua')[at % 4]},{('Ann Reid', 'Bo Lind', 'Cy Ash')[at % 3]},{40 + at * 7 % 31},{'' if at % 5 == 0 else 5 + at % 9},{1 + at % 6},{at % 3},{'' if at % 11 == 0 else 'card'}"
    for at in range(66)
]
_ROOMS = [
    f"2026-1{at % 2}-{1 + at % 27:02d},{('솔방', '달방', '별방')[at % 3]},{('김하늘', '박보람', '이슬', '최가람')[at % 4]},{1 + at % 6},{at % 3},{50_000 + at * at * 137 % 9000},{10_000 + at * at * 71 % 3000},{('O', 'X')[at % 7 == 0]}"
    for at in range(60)
]
_BAKED = [
    f"2026-10-{1 + at // 5 % 28:02d},{('식빵', '소보로', '단팥빵', '크루아상', '바게트')[at % 5]},{20 + at * 7 % 31},{10 + at * 3 % 17},{('은지', '준호', '보라')[at // 5 % 3]}"
    for at in range(100)
]
BERTHS = "\n".join(["Date,Boat,Skipper,Berth fee (£),Fuel (£),Adults (ppl),Children (ppl),Paid by", *_BERTHS])
ROOMS = "\n".join(["일자,객실,예약자,대인(명),소인(명),객실료(원),식대(원),입금(O/X)", *_ROOMS])


@pytest.fixture(scope="module")
def berths() -> Profile:
    return table(BERTHS.split("\n", 1)[0], _BERTHS, "berths.csv")


@pytest.fixture(scope="module")
def baked() -> Profile:
    return table("일자,품목,생산(개),판매(개),담당", _BAKED, "빵.csv")


def _of(column: str, at: int) -> float:
    cell = _BERTHS[at].split(",")[
        ["Date", "Boat", "Skipper", "fee", "fuel", "adults", "children", "paid"].index(column)
    ]
    return float(cell or 0)


@pytest.fixture
def answered(ctx: FakeContext, run: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    def ask(file: str, question: str, *before: str, language: str = "en") -> str:
        ctx.language = language
        ctx.upload(file.encode(), "table.csv")
        said = [{"question": one} for one in before]
        return "\n".join(run("ask", question=question, **({"before": said} if said else {}))["summary"])

    return ask


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("What do berth fee plus fuel come to?", sum(_of("fee", at) + _of("fuel", at) for at in range(66))),
        ("Total of berth fee and fuel together, please", sum(_of("fee", at) + _of("fuel", at) for at in range(66))),
        ("berth fee minus fuel in total?", sum(_of("fee", at) - _of("fuel", at) for at in range(66))),
        ("How many adults and children together were there?", sum(_of("adults", at) + _of("children", at) for at in range(66))),
        (
            "What does the Gull come to, berth fee + fuel?",
            sum(_of("fee", at) + _of("fuel", at) for at in range(66) if at % 4 == 1),
        ),
    ],
)  # fmt: skip
def test_two_columns_are_taken_together(question: str, figure: float, answered: Callable[..., str]) -> None:
    assert f"{figure:,.0f}" in answered(BERTHS, question)


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("객실별로 객실료랑 식대 합친 금액 알려줘", "객실료(원) + 식대(원)"),
        ("객실료에서 식대를 뺀 금액이 제일 큰 객실은?", "객실료(원) − 식대(원)"),
        ("대인이랑 소인 합쳐서 몇 명이에요?", "대인(명) + 소인(명)"),
    ],
)
def test_the_answer_shows_the_headings_of_both(question: str, heading: str, answered: Callable[..., str]) -> None:
    assert heading in answered(ROOMS, question, language="ko")


def test_what_goes_on_is_of_both_again(answered: Callable[..., str]) -> None:
    told = answered(BERTHS, "and the Puffin?", "What does the Gull come to, berth fee plus fuel?")
    assert f"{sum(_of('fee', at) + _of('fuel', at) for at in range(66) if at % 4 == 2):,.0f}" in told


@pytest.mark.parametrize(
    "question",
    [
        "What are the total berth fee and the total fuel?",
        "berth fee and fuel by boat",
        "Adults or children: which more?",
    ],
)
def test_two_figures_that_are_merely_named_are_two(question: str, berths: Profile) -> None:
    assert together(berths, [question]).headings == {}


@pytest.mark.parametrize(
    ("file", "question", "before", "language", "names"),
    [
        (BERTHS, "How many rows have nothing under Paid by, and who are they?", (), "en", "Skipper: "),
        (BERTHS, "Names please.", ("How many rows have nothing under Paid by?",), "en", "Skipper: "),
        (ROOMS, "입금 X인 건이 몇 건이에요? 누구누구인지도 알려주세요", (), "ko", "예약자: "),
        (ROOMS, "이름은요?", ("입금 X인 게 몇 건이에요?",), "ko", "예약자: "),
    ],
)
def test_who_was_counted_is_told_where_it_is_asked(
    file: str, question: str, before: tuple[str, ...], language: str, names: str, answered: Callable[..., str]
) -> None:
    lines = answered(file, question, *before, language=language).split("\n")
    (told,) = [one for one in lines if one.startswith(names)]
    assert len(told.removeprefix(names).split(", ")) in (3, 4)


def test_nobody_is_named_where_nobody_asks(answered: Callable[..., str]) -> None:
    assert "Skipper" not in answered(BERTHS, "How many rows have nothing under Paid by?")


def test_conditions_that_no_row_fits_may_have_been_misread(answered: Callable[..., str]) -> None:
    doubt = "misread one of the conditions"
    assert doubt in answered(BERTHS, "How many of the Gull with adults above 100?")
    assert doubt not in answered(BERTHS, "How many with adults above 100?")
    assert doubt not in answered(BERTHS, "How many of the Gull with adults above 3?")


@pytest.mark.parametrize("question", ["and the others?", "what about the rest?"])
def test_the_other_groups_are_told(question: str, answered: Callable[..., str]) -> None:
    told = answered(BERTHS, question, "Which boat has the most fuel?")
    assert all(name in told for name in ("Tern", "Gull", "Puffin", "Skua"))


@pytest.mark.parametrize(
    "question",
    [
        "Morning! Can you tell me how many berthings are logged on this sheet, and how many of those were the Gull?",
        "how many berthings did we see and how many of them were the Gull?",
    ],
)
def test_the_second_question_is_of_the_rows_of_the_first(question: str, berths: Profile) -> None:
    first, second = requests(berths, question)
    assert (first.filters, first.measures) == ((), (Measure("count"),))
    assert second.filters == (Filter("Boat", "in", ("Gull",)),)


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("how many boats still sat there with nothing under paid by?", False),
        ("which ones have sat longest?", False),
        ("How many berths on a Sat?", True),
        ("berths on Sat mornings", True),
    ],
)
def test_who_sat_somewhere_is_no_saturday(question: str, *, days: bool, berths: Profile) -> None:
    kept = {one.op for request in requests(berths, question) for one in request.filters}
    assert ("weekday" in kept) is days


@pytest.mark.parametrize("question", ["은지가 담당한 날이 며칠이야?", "은지가 일한 날은 총 며칠인가요?"])
def test_days_are_counted_once(question: str, baked: Profile) -> None:
    assert asked(baked, question).measures == (Measure("distinct", "일자"),)


@pytest.mark.parametrize("question", ["총 몇 개 구웠어요?", "제일 많이 만든 빵은 뭐고 몇 개예요?"])
def test_rows_are_no_pieces(question: str, baked: Profile) -> None:
    """Which of the two that count pieces is meant is asked, where nobody knows."""
    (request,) = requests(baked, question)
    assert request.unread == ("몇 개",)


def test_prices_are_no_days() -> None:
    """Nor are guests under a heading that counts them ratings."""
    rooms = table(ROOMS.split("\n", 1)[0], _ROOMS, "객실.csv")
    kinds = {one.name: (one.kind, one.scale) for one in rooms.columns}
    assert [kinds[name] for name in ("객실료(원)", "식대(원)", "대인(명)", "소인(명)")] == [("number", None)] * 4
    (guess,) = guess_columns(["객실료"], [[str(45_000 + at)] for at in range(40)])
    assert guess.role is None
    (dated,) = guess_columns(["일자"], [[str(45_000 + at)] for at in range(40)])
    assert dated.role == "date"
    assert table("일자,수", [f"{45_000 + at},{at % 9}" for at in range(40)], "일자.csv").columns[0].kind == "date"
