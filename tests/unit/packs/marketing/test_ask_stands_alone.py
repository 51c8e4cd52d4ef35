"""A whole question behind another one is about the whole table; one that refers back goes on, and says from what."""

from collections.abc import Callable
from typing import Any

import pytest

from packs.marketing.asking.profile import Profile
from tests.unit.packs.marketing.conftest import Run
from tests.unit.packs.marketing.context import FakeContext
from tests.unit.packs.marketing.read_as import asked, table

pytestmark = pytest.mark.usefixtures("undrawn")

Ask = Callable[..., dict[str, Any]]
HEADS = {
    "en": "review_id,district,dish,rating,price,comment", "ko": "리뷰번호,구역,메뉴,별점,가격,리뷰", "ja": "レビュー番号,地区,料理,星,価格,コメント",
}  # fmt: skip
PLACES = {"en": ["North", "South"], "ko": ["북구", "남구"], "ja": ["北区", "南区"]}
DISHES = {"en": ["Soup", "Pie", "Stew"], "ko": ["국밥", "파이", "찌개"], "ja": ["スープ", "パイ", "シチュー"]}
WORDS = {"en": "it was warm and came late", "ko": "따뜻했지만 늦게 나왔어요", "ja": "温かいが遅かった"}
ROWS = 60


@pytest.fixture
def ask(ctx: FakeContext, run: Run) -> Ask:
    def asked(language: str, question: str, *before: str) -> dict[str, Any]:
        ctx.language = language
        lines = [HEADS[language]] + [
            f"r{at:03d},{PLACES[language][at % 2]},{DISHES[language][at % 3]},{at % 5 + 1},{9000 + 100 * (at % 7)},"
            f"{WORDS[language]} {at}"
            for at in range(ROWS)
        ]
        ctx.upload("\n".join(lines).encode(), f"dishes_{language}.csv")
        return run("ask", question=question, before=[{"question": one} for one in before])

    return asked


def kept(answer: dict[str, Any]) -> str:
    """What the answer says of which rows it is."""
    return str(answer["summary"][0])


BEFORE = {
    "en": "How many one-star reviews are there?",
    "ko": "별점 1점 리뷰가 몇 개야?",
    "ja": "星1つのレビューは何件ですか",
}


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Show me the reviews from South"), ("en", "Are there any reviews from South?"), ("en", "List the reviews about the Pie"),
        ("ko", "남구 리뷰 보여줘"), ("ko", "남구 리뷰가 있어?"), ("ko", "파이 리뷰 목록"), ("ko", "메뉴별 리뷰 수 보여줘"),
        ("ja", "南区のレビューを見せて"), ("ja", "南区のレビューはありますか"), ("ja", "パイのレビューを一覧にして"),
    ],
)  # fmt: skip
def test_a_whole_request_for_rows_carries_nothing_over(ask: Ask, language: str, question: str) -> None:
    answer = ask(language, question, BEFORE[language])
    assert answer["answered"]
    assert " = 1" not in kept(answer), kept(answer)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Of those, show me the reviews from South"), ("en", "and the South reviews?"), ("en", "Show only the South reviews"),
        ("ko", "그중 남구 리뷰 보여줘"), ("ko", "남구는?"), ("ko", "남구 리뷰만 보여줘"),
        ("ja", "そのうち南区のレビューを見せて"), ("ja", "南区は？"),
    ],
)  # fmt: skip
def test_what_refers_back_goes_on_and_says_so(ask: Ask, language: str, question: str) -> None:
    answer = ask(language, question, BEFORE[language])
    assert answer["answered"]
    assert " = 1" in kept(answer), kept(answer)


@pytest.mark.parametrize(
    ("language", "question", "line"),
    [
        ("en", "Show me the reviews from South", "With what you asked before (rating = 1 · district = South): 6 rows."),
        ("ko", "남구 리뷰 보여줘", "앞에서 물으신 조건까지 넣으면(별점 = 1 · 구역 = 남구) 6건입니다."),
        ("ja", "南区のレビューを見せて", "前の条件も入れると（星 = 1 · 地区 = 南区）6件です。"),
    ],
)
def test_rows_are_told_with_how_many_fit_what_was_asked_before_as_well(ask, language, question, line) -> None:
    assert line in ask(language, question, BEFORE[language])["summary"]


SALES = {
    "en": (
        "ticket,sold_on,client,item,town,pieces,amount",
        ("Ada Fox", "Ben Hay"),
        ("Lamp", "Rug"),
        ("Hull", "Ely"),
    ),
    "ko": ("전표번호,판매일,고객,품목,도시,수량,금액", ("이가람", "정나루"), ("조명", "러그"), ("원주", "속초")),
    "ja": ("伝票番号,販売日,顧客,商品,都市,数量,金額", ("林葵", "森蓮"), ("照明", "ラグ"), ("奈良", "函館")),
}


def sales(language: str) -> Profile:
    """The first client bought more often, the second for more money."""
    head, clients, articles, towns = SALES[language]
    rows = [
        f"T{at:03d},2026-0{at % 4 + 1}-11,{clients[at % 5 > 2]},{articles[at % 3 > 1]},{towns[at % 7 > 3]},"
        f"{at % 3 + 1},{9000 if at % 5 > 2 else 1000}"
        for at in range(70)
    ]
    return table(head, rows, "sales.csv")


@pytest.mark.parametrize(
    ("language", "before", "question", "group"),
    [
        ("en", "Which item sold best?", "Who spent the most?", "client"), ("en", "Who spent the most?", "What sold best?", "item"),
        ("ko", "어떤 품목이 제일 많이 팔렸어?", "누가 제일 많이 썼어?", "고객"), ("ko", "누가 제일 많이 썼어?", "뭐가 제일 많이 팔렸어?", "품목"),
        ("ja", "顧客別の金額の合計で一番多いのは誰ですか", "一番売れた商品は何ですか", "商品"),
    ],
)  # fmt: skip
def test_who_or_what_comes_first_is_not_sought_among_the_groups_of_before(language, before, question, group) -> None:
    request = asked(sales(language), before, question)
    assert [one.column for one in request.groups] == [group]
    assert request.measures[0].kind == "sum"


@pytest.mark.parametrize(
    ("language", "before", "question"),
    [
        ("en", "What is the total amount?", "Which client ordered most often?"), ("en", "What is the total amount?", "When was the busiest month?"),
        ("ko", "총 금액은 얼마야?", "가장 자주 주문한 고객은?"), ("ko", "총 금액은 얼마야?", "제일 바쁜 달은 언제야?"),
        ("ja", "金額の合計はいくらですか", "一番忙しい月はいつですか"),
    ],
)  # fmt: skip
def test_how_often_is_no_sum_though_a_sum_was_told_before(language, before, question) -> None:
    request = asked(sales(language), before, question)
    assert [one.kind for one in request.measures] == ["count"]


@pytest.mark.parametrize(
    ("language", "before", "question", "kind"),
    [
        ("en", "Which client has the highest total amount?", "and the lowest?", "sum"),
        ("ko", "고객별 금액 합계는?", "제일 적은 건?", "sum"), ("ja", "顧客別の金額の合計は？", "一番少ないのは？", "sum"),
    ],
)  # fmt: skip
def test_a_fragment_ranks_the_figure_of_before(language, before, question, kind) -> None:
    request = asked(sales(language), before, question)
    assert (request.measures[0].kind, bool(request.groups)) == (kind, True)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How many rows does the new one have?"), ("en", "What is the average rating in dishes_en?"), ("en", "How many reviews are in the file I just uploaded?"),
        ("ko", "새로 올린 파일은 몇 행이야?"), ("ko", "방금 첨부한 파일의 별점 평균은?"), ("ja", "新しいファイルの星の平均は？"),
    ],
)  # fmt: skip
def test_what_the_file_is_called_narrows_no_rows(ask: Ask, language: str, question: str) -> None:
    answer = ask(language, question)
    assert answer["answered"], answer["summary"]
    assert str(ROWS) in kept(answer)


@pytest.mark.parametrize(
    ("language", "before", "question"),
    [
        ("en", "How many puppies are there?", "What is the total amount?"), ("ko", "강아지가 몇 마리야?", "총 금액은?"),
        ("ja", "子犬は何匹ですか", "合計金額は？"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_go_on_from_one_about_another_table_is_read_by_itself(
    language, before, question
) -> None:
    request = asked(sales(language), before, question)
    assert [(one.kind, one.column) for one in request.measures] == [("sum", SALES[language][0].rsplit(",", 1)[1])]
    assert not request.filters
