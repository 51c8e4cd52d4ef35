"""The law that nothing is lost silently, for payees: however an order lists people, each of them has a task of their
own, with the amount that was said for them."""

from datetime import datetime
from itertools import permutations

import pytest

from packs.transfer.bank.opening import address_book
from packs.transfer.names import banks_of, names_of
from packs.transfer.reading import read
from tests.unit.packs.transfer.dialogues import ME, ZONE
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 28, 10, tzinfo=ZONE)
BOOK = address_book(ME)
KNOWN = {"target": names_of(BOOK), "bank": banks_of(BOOK)}
NAMES = {
    "ko": ["엄마", "아빠", "누나", "집주인"],  # of a name before "엄마" she is the mother
    "en": ["Mom", "Dad", "Sister", "Yonggeol", "Landlord"],
    "ja": ["お母さん", "お父さん", "お姉さん", "ヨンゴル", "大家さん"],
}
MONEY = {
    "ko": ["3만원", "5만원", "6만원"],
    "en": ["30,000", "50,000", "60,000"],
    "ja": ["3万ウォン", "5万ウォン", "6万ウォン"],
}
A, B, C = 30_000, 50_000, 60_000

ORDERS = [
    ("ko", "{a} {b}한테 {x}", [A, A]),
    ("ko", "{a}랑 {b}에게 각각 {x} 이체", [A, A]),
    ("ko", "{a}한테 {x} {b}도", [A, A]),
    ("ko", "{a}한테 {x} 보내고 {b}한테도", [A, A]),
    ("ko", "{a} {x} {b} {y}", [A, B]),
    ("ko", "{a}:{x} {b}:{y}", [A, B]),
    ("ko", "{a}한테 {x} 보내고 나서 {b}한테 {y} 보내줘", [A, B]),
    ("ko", "오늘 {a}한테 {x} 내일 {b}한테 {y}", [A, B]),
    ("ko", "{a}와 {b}에게 {x}을 반반 보내줘", [A // 2, A // 2]),
    ("ko", "{a}, {b}, {c}한테 {x} 부쳐줘", [A, A, A]),
    ("ko", "{a}한테 {x}, {b}한테 {y} 보내고 {c}도 {z}", [A, B, C]),
    ("ko", "{a} {b}한테는 {x}씩 {c}한테는 {y}", [A, A, B]),
    # an amount with its unit, beside others without one
    ("ko", "{a}한테 3만원 {b}한테 50000 보내줘", [A, B]),
    ("ko", "{a} 30000 {b} 5만원", [A, B]),
    ("en", "send {a} 30000 won and {b} 50000", [A, B]),
    ("en", "wire {a} 30000 and {b} 50000 won please", [A, B]),
    ("en", "30000 won to {a}, 50000 to my {b} and 60000 to {c}", [A, B, C]),
    ("ja", "{a}に3万ウォン、{b}に50000送って", [A, B]),
    ("en", "pay {a} {x} and {b} as well", [A, A]),
    ("en", "send {x} to {a} and also {b}", [A, A]),
    ("en", "pay {a} {x}, and {b} too", [A, A]),
    ("en", "send {x} to {a} and half of that to {b}", [A, A // 2]),
    ("en", "send {x} to both {a} and {b}", [A, A]),
    ("en", "send {x} to {a} and {y} each to {b} and {c}", [A, B, B]),
    ("en", "split {x} between {a}, {b} and {c}", [A // 3, A // 3, A // 3]),
    ("en", "send {x} to {a}, {b}, {c}", [A, A, A]),
    ("en", "{x} each to my {a}, {b} and my {c} please", [A, A, A]),
    ("en", "send {x} to my {a} and the {b}", [A, A]),
    ("en", "tomorrow send {a} {x} and on Friday {b} {y}", [A, B]),
    ("en", "send {a} {x} and {b} twice as much", [A, 2 * A]),
    ("en", "send {a} {x} and {b} {y} more than {a}", [A, A + B]),
    ("ko", "우리 {a}랑 우리 {b}한테 {x}씩", [A, A]),
    ("ko", "{a}한테 {x}, {b}한테는 {a}보다 {y} 더 보내줘", [A, A + B]),
    ("ko", "{a}한테 {y}, {b}한테는 {a}보다 {x} 덜 보내줘", [B, B - A]),
    ("ko", "{a}한테 {x}, {b}한테는 그 두 배 보내줘", [A, 2 * A]),
    ("ja", "うちの{a}と{b}に{x}ずつ送って", [A, A]),
    ("ja", "{a}に{x}、{b}にはその倍送って", [A, 2 * A]),
    ("ja", "{a}に{x}、{b}には{a}より{y}多く送って", [A, A + B]),
    ("ja", "{x}を{a}と{b}で半分ずつにして送って", [A // 2, A // 2]),
    ("ja", "{a}と{b}に{x}送って", [A, A]),
    ("ja", "{a}に{x}送って、{b}にも", [A, A]),
    ("ja", "{a}に{x}、{b}にはその半分", [A, A // 2]),
    ("ja", "{a}、{b}、{c}に{x}送って", [A, A, A]),
    ("ja", "{a}と{b}に{x}ずつ、{c}に{y}", [A, A, B]),
]


@pytest.mark.parametrize(("language", "order", "amounts"), ORDERS, ids=[order for _, order, _ in ORDERS])
def test_each_who_is_named_has_a_task_with_the_amount_said_for_him(language, order, amounts):
    money = dict(zip("xyz", MONEY[language], strict=True))
    for names in permutations(NAMES[language], len(amounts)):
        said = order.format(**dict(zip("abc", names, strict=False)), **money)
        tasks = read(clause_of(said, NOW, language)._replace(known=KNOWN))
        assert [(one["target"], one.get("amount")) for one in tasks] == list(zip(names, amounts, strict=True)), said
