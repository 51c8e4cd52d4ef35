"""Clear sentences are judged rightly, strange ones do no harm, and the sums add up."""

import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.artifacts import read_sentiment
from packs.marketing.polarity import english, japanese, korean
from packs.marketing.polarity.judge import judge
from tests.unit.packs.marketing.context import texts

pytestmark = pytest.mark.usefixtures("undrawn")

CLEAR = [
    ("ko", "positive", "정말 좋아요 추천합니다"),
    ("ko", "positive", "최고의 영화 감동이었어요"),
    ("ko", "positive", "가성비 최고예요 재구매 의사 있어요"),
    ("ko", "positive", "배송이 빨라서 만족합니다"),
    ("ko", "negative", "돈 아까워요 쓰레기"),
    ("ko", "negative", "일주일 만에 고장나서 환불했어요"),
    ("ko", "negative", "지루하고 재미없다"),
    ("ko", "negative", "업데이트하고 나서 배터리가 10분도 못 갑니다."),
    ("en", "positive", "I love it, works great and arrived early."),
    ("en", "positive", "Highly recommend, easy to use."),
    ("en", "negative", "Terrible. It broke after two days."),
    ("en", "negative", "Do not buy this piece of junk."),
    ("en", "negative", "I returned it and asked for a refund."),
    ("ja", "positive", "とても使いやすくて満足です"),
    ("ja", "negative", "すぐに壊れました。最悪です"),
    ("ja", "negative", "あまり良くない"),
]


@pytest.mark.parametrize(("language", "expected", "text"), CLEAR)
def test_clear_sentences_are_judged_rightly(language, expected, text):
    assert judge([text], [language])[0][0] == expected


DAILY = [
    ("ko", "positive", "밝기 조절이 편해요"),
    ("ko", "positive", "설치가 간단해요"),
    ("ko", "positive", "눈이 안 아파요"),
    ("ko", "positive", "손목이 아프지 않아요"),
    ("ko", "positive", "청소하기 쉬워요"),
    ("ko", "positive", "소음이 거의 없어요"),
    ("ko", "positive", "물이 안 새요"),
    ("ko", "negative", "설치가 쉽지 않아요"),
    ("ko", "negative", "착용감이 편하지 않아요"),
    ("ko", "negative", "눈이 아파요"),
    ("ko", "negative", "사용하기 불편해요"),
    ("ko", "negative", "뚜껑에서 물이 새요"),
    ("ko", "negative", "배송이 너무 늦었어요"),
    ("en", "positive", "setup was simple"),
    ("en", "positive", "no smell at all"),
    ("en", "positive", "no more neck pain"),
    ("en", "positive", "never leaks"),
    ("en", "negative", "leaks all over my bag"),
    ("en", "negative", "gave me neck pain"),
    ("ja", "positive", "目が痛くない"),
    ("ja", "positive", "腰が痛くなりません"),
    ("ja", "positive", "明るさの調整が楽です"),
    ("ja", "positive", "水漏れしない"),
    ("ja", "negative", "耳が痛い"),
    ("ja", "negative", "操作が難しい"),
    ("ja", "negative", "組み立てが簡単ではない"),
]


@pytest.mark.parametrize(("language", "expected", "text"), DAILY)
def test_ease_and_troubles_that_are_there_or_not_are_judged_in_a_few_words(language, expected, text):
    assert judge([text], [language])[0][0] == expected


RATED = [
    ("ko", "색상이 사진이랑 똑같아요", "평점"),
    ("en", "The colour is blue", "rating"),
    ("ja", "色は青です", "評価"),
]


@pytest.mark.parametrize(("language", "text", "rating"), RATED)
def test_a_rating_decides_what_the_text_leaves_open_and_this_is_said(language, text, rating, ctx, run):
    ctx.language = language
    rows = [f"{text} {number},{stars}" for number, stars in enumerate([5, 5, 4, 3, 1])]
    ctx.upload("\n".join([f"text,{rating}", *rows, f"{text} x,"]).encode())
    run("collector")
    run("preprocessor")
    result = run("sentiment")
    assert (result["positive"], result["neutral"], result["negative"]) == (3, 2, 1)
    assert result["by_rating"] == 4
    assert texts(language)["report.summary.by_rating"].format(settled="4") in result["summary"]


def test_a_product_is_no_worse_for_texts_that_take_no_side(ctx, run):
    """One is praised, the other only described: nobody says that it is bad."""
    praised = [f"정말 좋아요 추천합니다 {number},가방" for number in range(20)]
    described = [f"색상이 사진이랑 똑같아요 {number},지갑" for number in range(20)]
    ctx.upload("\n".join(["리뷰,상품", *praised, *described]).encode())
    run("collector")
    run("preprocessor")
    (line,) = [one for one in run("sentiment")["summary"] if "지갑" in one]
    assert "우연일 수 있는" in line


@pytest.mark.parametrize("text", ["그냥 그래요", "보통입니다", "그럭저럭 쓸 만합니다"])
def test_lukewarm_sentences_are_neutral(text):
    assert judge([text], ["ko"])[0][0] == "neutral"


@pytest.mark.parametrize("method", [korean, english, japanese])
@pytest.mark.parametrize(
    "text", ["", " ", "😀😀😀", "....", "a" * 20_000, "\0", "ㅋ", "1234", "\U0001f468\u200d\U0001f469", "\ud7a3"]
)
def test_strange_texts_get_a_score_within_bounds(method, text):
    (score,) = method.scores([text])
    assert -1.0 <= score <= 1.0


def test_a_text_without_letters_is_neutral_in_korean():
    assert korean.scores(["", "...", "123"]) == [0.0, 0.0, 0.0]


def test_a_score_does_not_depend_on_the_texts_beside_it():
    texts = [text for language, _, text in CLEAR if language == "ko"]
    assert korean.scores(texts) == [korean.scores([text])[0] for text in texts]


def test_an_unsupported_language_is_neutral_and_said_to_be_unjudged(ctx, run):
    ctx.upload("text\n非常好的产品，我很喜欢\n정말 좋아요 추천합니다\n".encode())
    run("collector")
    run("preprocessor")
    result = run("sentiment")
    assert result["unjudged"] == 1
    assert {"language": "zh", "method": "none", "reviews": 1} in result["methods"]
    assert result["neutral"] == 1


def test_counts_add_up_by_product_and_by_month(ctx, run):
    rows = [
        "정말 좋아요 추천합니다,5,2024-01-05,가방",
        "돈 아까워요 쓰레기,1,2024-01-06,가방",
        "최고예요 만족합니다,5,2024-02-06,신발",
        "별로예요 실망입니다,2,2024-02-07,신발",
        "배송이 빨라서 만족합니다,4,,신발",
    ]
    ctx.upload("\n".join(["리뷰,평점,작성일,상품", *rows]).encode())
    run("collector")
    run("preprocessor")
    result = run("sentiment")
    assert result["negative"] + result["neutral"] + result["positive"] == result["reviews"] == 5
    assert {item["name"]: item["reviews"] for item in result["by_product"]} == {"신발": 3, "가방": 2}
    assert [(item["name"], item["reviews"]) for item in result["by_month"]] == [("2024-01", 2), ("2024-02", 2)]
    assert result["agreement"] == {"reviews": 5, "agree": 5, "share": 1.0}


def test_quotes_come_from_different_products_and_agree_with_their_rating(ctx, run):
    rows = [f"정말 마음에 쏙 드는 최고의 상품이에요 {n},5,가방" for n in range(9)]
    rows += ["배송도 빠르고 아주 만족합니다 추천해요,5,신발", "정말 최고라서 너무너무 감동했어요 진짜,1,신발"]
    ctx.upload("\n".join(["리뷰,평점,상품", *rows]).encode())
    run("collector")
    run("preprocessor")
    quotes = run("sentiment")["quotes"]
    assert {quote["product"] for quote in quotes[:2]} == {"가방", "신발"}
    assert all(quote["rating"] == 5 for quote in quotes)


def test_what_several_people_wrote_alike_is_quoted_once(ctx, run):
    same = "주차가 안 되어서 너무 불편했어요."
    rows = [f"{branch},1,{same}" for branch in ("수원", "안양", "오산")]
    ctx.upload("\n".join(("product,rating,text", *rows)).encode())
    run("collector")
    run("preprocessor")
    texts = [quote["text"] for quote in run("sentiment")["quotes"]]
    assert texts.count(same) == 1


def test_every_review_has_a_row_in_the_artifact(ctx, run):
    ctx.upload("text\n정말 좋아요\n별로예요\n😀\n".encode())
    run("collector")
    run("preprocessor")
    run("sentiment")
    found = read_sentiment(ctx)
    assert found is not None
    assert found[0]["row"].to_list() == [1, 2, 3]
    assert found[1].about.of == ctx.inputs("reviews.clean")[-1].attachment.artifact_id


def test_without_clean_reviews_the_input_is_missing(run):
    with pytest.raises(ToolError) as raised:
        run("sentiment")
    assert raised.value.code == Code.INPUT_MISSING
