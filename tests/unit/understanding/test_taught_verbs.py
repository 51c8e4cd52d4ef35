"""Verbs that packs bring with their examples: what may begin another request behind "and"."""

import pytest

from backbone import packs
from contracts.packs import IntentSpec
from understanding.offline.clauses import NO_VERBS, Verbs, splitter, verbs_of

ORDER = IntentSpec(
    intent="SHOP.order", tool="shop.order", label="l",
    examples={
        "ko": ["사과 세 개 주문해줘", "배 두 상자 주문해 주세요", "귤 한 봉지만"],
        "en": ["Order 3 apples", "Please order two boxes of pears", "I want to buy one", "Can you buy four", "What is it"],
        "ja": ["りんごを3つ注文して", "梨を2箱注文してください", "みかんを1袋"],
    },
)  # fmt: skip
TAUGHT = Verbs(ko=frozenset({"주문"}), en=frozenset({"order", "buy"}), ja=frozenset({"注文"}))


def pieces(text: str, verbs: Verbs) -> list[str]:
    return [text[start:end] for start, end in splitter(verbs).split(text)]


def test_what_several_examples_ask_to_be_done_is_a_verb_and_a_question_or_a_single_one_is_none() -> None:
    assert verbs_of([ORDER]) == TAUGHT
    asked = ORDER.model_copy(update={"examples": {"en": ["What is it", "what was it", "Is it there", "is it here"]}})
    assert verbs_of([asked]) == NO_VERBS


def test_of_an_intent_without_work_nothing_is_taught() -> None:
    assert verbs_of([ORDER.model_copy(update={"tool": None})]) == NO_VERBS


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("check the price of pears and order 5 pears", "order 5 pears"),
        ("what do pears cost and can you buy 2", "can you buy 2"),
        ("schedule lunch on Friday, order 3 apples", "order 3 apples"),
        ("사과 세 개 주문하고 배 값 알려줘", "배 값 알려줘"),
        ("りんごを3つ注文して、梨の値段を教えて", "梨の値段を教えて"),
    ],
)
def test_a_second_request_may_begin_with_it(text: str, second: str) -> None:
    assert pieces(text, TAUGHT)[-1].strip() == second
    assert len(pieces(text, TAUGHT)) == 2


def test_what_is_listed_is_no_request() -> None:
    assert pieces("order apples and pears", TAUGHT) == ["order apples and pears"]


def test_the_product_knows_the_verbs_of_its_packs() -> None:
    specs = [one for pack in packs.load().packs.values() for one in pack.intents]
    assert {"postpone", "rename"} <= verbs_of(specs).en
