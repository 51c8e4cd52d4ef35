"""What is offered beside a transfer that is shown, a memo and a day: who takes it and who wants none of it."""

from datetime import datetime

import pytest

from tests.unit.packs.transfer.dialogues import ZONE, Talk

NOW = datetime(2026, 5, 12, 11, tzinfo=ZONE)
ASKED = {"ko": "지영이한테 6만원 보내줘", "en": "send Jiyoung 60,000 won", "ja": "ジヨンに6万ウォン送って"}
YES = {"ko": "응", "en": "yes", "ja": "はい"}


async def talked(language: str, *turns: str) -> Talk:
    talk = Talk(NOW, language)
    for turn in (ASKED[language], *turns):
        await talk.says(turn)
    return talk


@pytest.mark.parametrize(
    ("language", "turn"),
    [
        ("ko", "아니요, 그대로 보내주세요"),
        ("ko", "메모 필요 없으니까 바로 이체해줘"),
        ("ko", "둘 다 됐고 송금해"),
        ("en", "nothing more, please go ahead"),
        ("en", "I don't need a memo. Send it!"),
        ("en", "No note or date needed, do it"),
        ("ja", "いえ、このまま送金して"),
        ("ja", "日付は大丈夫です、送ってください"),
    ],
)
async def test_who_wants_none_of_it_and_orders_the_transfer_has_agreed(language: str, turn: str) -> None:
    assert [one.amount for one in (await talked(language, turn)).paid] == [60_000]


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("ko", ("아니", "이체해줘")),  # a bare no is one to all of it
        ("ko", ("아니요, 보내지 마세요",)),
        ("ko", ("아니 누나한테 보내줘",)),
        ("ko", ("7만원으로 해줘", "아니 이체해줘")),  # nothing was offered the second time
        ("en", ("no, send it on Friday",)),
        ("en", ("no memo, thanks",)),
        ("en", ("nothing else, but wait before you send it",)),
        ("en", ("no, send it to Sister",)),
        ("ja", ("いいえ、送らないで",)),
        ("ja", ("8万ウォンにして", "いや、送って")),
    ],
)
async def test_any_other_no_pays_nothing(language: str, turns: tuple[str, ...]) -> None:
    assert (await talked(language, *turns)).paid == []


@pytest.mark.parametrize(
    ("language", "turns", "memo"),
    [
        ("ko", ("네, 메모도 남길 수 있을까요?", "수고했어요!"), "수고했어요!"),
        ("ko", ("메모 하나 적어줘", "“곗돈”"), "곗돈"),
        ("en", ("I'd like to include a memo please", "guitar lessons in May"), "guitar lessons in May"),
        ("en", ("Oh, and a note", "well done"), "well done"),
        ("ja", ("じゃあメモを付けてください", "ギターの月謝"), "ギターの月謝"),
    ],
)
async def test_who_wants_a_memo_is_asked_what_it_says_and_sees_it(
    language: str, turns: tuple[str, ...], memo: str
) -> None:
    talk = await talked(language, *turns)
    assert talk.paid == [] and talk.state is not None and talk.state.slots["memo"] == memo
    await talk.says(YES[language])
    assert [one.memo for one in talk.paid] == [memo]


@pytest.mark.parametrize(
    ("language", "instead"),
    [("ko", "그냥 이체해"), ("ko", "8만원으로 바꿔줘"), ("en", "never mind, send it"), ("ja", "やっぱりなしで送って")],
)
async def test_what_is_no_memo_is_none(language: str, instead: str) -> None:
    wanted = {"ko": "메모 추가해줘", "en": "add a note", "ja": "メモを追加"}[language]
    talk = await talked(language, wanted, instead)
    assert talk.paid == [] and talk.state is not None and "memo" not in talk.state.slots
    await talk.says(YES[language])
    await talk.says(YES[language])
    assert [one.memo for one in talk.paid] == [""]
