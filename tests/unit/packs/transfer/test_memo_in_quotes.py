"""What an order puts in quotation marks is its memo, whatever word it has for one; a name, a sum or a saying is none."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from contracts.reading import CORRECTS
from contracts.shape import JsonObject
from packs.transfer.masking import Spot, masked
from packs.transfer.reading import read
from packs.transfer.wording import words
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZoneInfo("Asia/Seoul"))
NAMES = ("누나", "아빠", "Dad", "Mom", "お姉さん")


def memo_of(said: str, language: str) -> Spot | None:
    clause = clause_of(said, NOW, language)._replace(known={"target": NAMES})
    return masked(clause, words(language)).memo


@pytest.mark.parametrize(
    ("language", "said", "memo"),
    [
        ("ko", "누나한테 3만원, 통장에는 '김장값'으로 찍히게", "김장값"),
        ("ko", "적요란에 '10월 회비' 넣고 아빠한테 2만원", "10월 회비"),
        ("en", "Pay Dad 20,000 won, reference line 'fishing'", "fishing"),
        ("ja", "お姉さんに3万ウォン、摘要欄は「旅行代」で", "旅行代"),
    ],
)
def test_it_is_the_memo(language: str, said: str, memo: str) -> None:
    found = memo_of(said, language)
    assert found is not None and found.value == memo
    assert said[found.start : found.end] == memo


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "'누나'한테 3만원 보내줘"),
        ("ko", "누나가 '급해요'라고 해서 3만원 보내줘"),
        ("ko", "누나한테 '3만원' 보내줘"),
        ("en", "Send Mom's 20,000 won for Dad's birthday"),
        ("en", "Send 'Dad' 20,000 won"),
        ("ja", "「お姉さん」に3万ウォン"),
        ("ko", "누나한테 '가' 3만원 '나'"),
    ],
)
def test_it_is_none(language: str, said: str) -> None:
    assert memo_of(said, language) is None


@pytest.mark.parametrize(
    ("language", "said", "shown", "memo"),
    [
        ("ko", "메모를 '송년회비'로 고쳐줘", "회비", "송년회비"),
        ("ko", "메모는 '10월 회비'로 바꿔줄래", "회비", "10월 회비"),
        ("ja", "メモを「忘年会費」に直して", "会費", "忘年会費"),
        ("en", "Change the memo to 'autumn dues'", "dues", "autumn dues"),
    ],
)
def test_a_new_memo_that_has_the_old_one_in_it_is_what_stands_in_quotes(
    language: str, said: str, shown: str, memo: str
) -> None:
    slots: JsonObject = {"target": "누나", "amount": 20_000, "memo": shown}
    (task,) = read(clause_of(said, NOW, language, (), slots))
    assert {key: value for key, value in task.items() if key != CORRECTS} == {"memo": memo}
