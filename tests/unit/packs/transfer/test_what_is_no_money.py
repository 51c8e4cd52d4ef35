"""A mail, a file or a message that is sent is no money, and a sum that others are compared with is none that goes
anywhere: neither reaches a transfer, whether one is open or not. Who is refused by name is told so once."""

from datetime import datetime

import pytest

from contracts.cognitive import CognitiveInput
from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from packs.transfer.reading import read
from services.cognitive.reads import InThread
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk
from understanding.offline.tasks import clause_of
from understanding.offline.turn_moves import LearnedMoveHead
from understanding.offline.understand import SentenceReader

NOW = datetime(2026, 5, 12, 11, tzinfo=ZONE)
BOOK = address_book(ME)
PAYEES = {one.payee_id: one for one in BOOK}
NO_MONEY = [
    ("ko", "이거 박대리한테 메일로 보내줘"),
    ("ko", "친구한테 초대 문자 보내줘"),
    ("ko", "민수한테 카톡 보내줘"),
    ("ko", "손님한테 보낼 사과 문자 좀 써줘"),
    ("ko", "이 표를 김과장님께 보내줘"),
    ("ko", "10만원 이상 쓴 출장비 목록 보여줘"),
    ("ko", "30만원 넘게 쓴 부서 보여줘"),
    ("en", "email this report to Park"),
    ("en", "send the slides to Jiyoung"),
    ("en", "draft a letter to the landlord about the leak"),
    ("en", "share the file with Dad by email"),
    ("en", "list the expenses over 100,000 won"),
    ("en", "which teams spent more than 500,000 won"),
    ("ja", "鈴木さんにメッセージを送って"),
    ("ja", "この表を田中さんに送って"),
    ("ja", "お客様に送るお詫びのメールを書いて"),
    ("ja", "10万ウォン以上の出張費の一覧を見せて"),
]
MONEY = [
    ("ko", "지영이한테 사진값 2만원 보내줘"),
    ("ko", "메일 알바비 3만원 용걸이한테 보내줘"),
    ("en", "send Dad 20,000 won, memo file"),
    ("en", "send Mom 30,000 won for the photos"),
    ("ja", "お母さんに写真代3万ウォン送って"),
]


@pytest.mark.parametrize(("language", "text"), NO_MONEY)
@pytest.mark.parametrize("expecting", [(), ("target",), ("amount",)])
def test_what_is_no_money_says_nothing_to_a_transfer(language: str, text: str, expecting: tuple[str, ...]) -> None:
    assert not [task for task in read(clause_of(text, NOW, language, expecting)) if task]


@pytest.mark.parametrize(("language", "text"), NO_MONEY)
def test_what_is_no_money_begins_no_transfer(language: str, text: str, everything: SentenceReader) -> None:
    found = everything.understand(CognitiveInput(text=text, language=language), NOW)
    assert "TRANSFER" not in [task.intent for task in found.tasks]


@pytest.mark.parametrize(("language", "text"), MONEY)
def test_a_sum_beside_such_a_word_is_money_all_the_same(language: str, text: str, everything: SentenceReader) -> None:
    found = everything.understand(CognitiveInput(text=text, language=language), NOW)
    assert [task.intent for task in found.tasks] == ["TRANSFER"]
    (task,) = read(clause_of(text, NOW, language))
    assert task["target"]
    assert task["amount"] in (20_000, 30_000)


def test_what_was_sent_of_more_than_a_sum_is_looked_up(everything: SentenceReader) -> None:
    found = everything.understand(CognitiveInput(text="10만원 이상 보낸 이체 내역 보여줘"), NOW)
    assert [task.intent for task in found.tasks] == ["TRANSFER.history"]


@pytest.mark.parametrize(
    ("language", "turns", "told", "names"),
    [
        ("ko", ("엄마한테 5만원이랑 동생한테 3만원 보내줘", "동생은 2만원으로"), "2만", ("지영이한테", "응", "응")),
        ("en", ("send Mom 50,000 won and Bobby 30,000 won", "make it 20,000 won for Bobby"), "Bobby", ("Jiyoung", "yes", "yes")),
    ],
)  # fmt: skip
async def test_another_sum_for_whom_nobody_knows_is_kept_for_the_one_who_is_named_then(
    language: str, turns: tuple[str, str], told: str, names: tuple[str, ...], heads: dict[str, LearnedMoveHead]
) -> None:
    talk = Talk(NOW, language, InThread(None, heads))
    first, changed = turns
    await talk.says(first)
    answer = await talk.says(changed)
    assert told in answer
    assert "하지 않을게요" not in answer
    assert "will not" not in answer.casefold()
    for turn in names:
        await talk.says(turn)
    paid = {label(PAYEES[one.payee_id], BOOK, language): one.amount for one in talk.paid}
    assert sorted(paid.values()) == [20_000, 50_000]
