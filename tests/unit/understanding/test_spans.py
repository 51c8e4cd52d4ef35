"""Names that no list has are found by what surrounds them."""

import pytest

from understanding.offline.sentences import Sentence
from understanding.offline.spans import SpanFinder

SAID = [
    ("ko", "{} 주문해줘"), ("ko", "점심은 {}로 주문"), ("ko", "오늘은 {} 먹을래 주문 부탁"), ("ko", "{}이랑 같이 주문해줘요"),
    ("ko", "배고픈데 {} 시켜줘"), ("en", "order me {} please"), ("en", "get {} delivered"), ("en", "I'd like {} for lunch"),
    ("en", "can you order {}"), ("en", "let's have {} tonight"),
]  # fmt: skip
FOOD = {
    "ko": ["김치찌개", "짜장면", "돈까스 정식", "물냉면"],
    "en": ["Pad Thai", "fish and chips", "Ramen", "Caesar salad"],
}
NOTHING = [
    ("ko", "배고프다 뭐 좀 시켜줘"),
    ("ko", "점심 주문해줘"),
    ("en", "order something please"),
    ("en", "I'm hungry, get food"),
]


@pytest.fixture(scope="module")
def finder() -> SpanFinder:
    told = [
        Sentence(lang=lang, text=text.format(name), intent="FOOD.order", spans={"dish": name})
        for lang, text in SAID
        for name in FOOD[lang][:2]
    ]
    told += [Sentence(lang=lang, text=text, intent="FOOD.order") for lang, text in NOTHING]
    told.append(Sentence(lang="en", text="how are you today", intent="TALK"))
    return SpanFinder(told, {"dish": FOOD})


@pytest.mark.parametrize(
    ("text", "dish"),
    [
        ("배고픈데 순두부 시켜줘", "순두부"),
        ("order me Green Curry please", "Green Curry"),
        ("점심은 비빔밥로 주문", "비빔밥"),
    ],
)
def test_a_name_that_was_never_said_is_found(finder, text, dish):
    assert [(one.slot, one.text, text[one.start : one.end]) for one in finder.find(text, "FOOD.order")] == [
        ("dish", dish, dish)
    ]


@pytest.mark.parametrize("text", ["점심 주문해줘", "order something please", "", "   ", "?" * 500])
def test_where_there_is_none_none_is_found(finder, text):
    assert finder.find(text, "FOOD.order") == ()


def test_an_intent_whose_sentences_name_nothing_has_no_names(finder):
    assert finder.find("배고픈데 순두부 시켜줘", "TALK") == ()
    assert SpanFinder([]).find("배고픈데 순두부 시켜줘", "FOOD.order") == ()


def test_what_stands_before_a_page_of_data_is_looked_at(finder):
    text = f"order me Green Curry please {'x ' * 5000}"
    assert len(finder.find(text, "FOOD.order")) <= 1
