"""What a turn changes of the transfer that is shown, in words that no list of its payee, amount, memo and day has."""

from datetime import datetime
from typing import Any

import pytest

from packs.transfer.looking import read_history
from services.cognitive.reads import InThread
from tests.unit.packs.transfer.dialogues import ZONE, Talk
from understanding.offline.tasks import clause_of
from understanding.port import MoveHead

NOW = datetime(2026, 11, 25, 14, 30, tzinfo=ZONE)
LUNCH = {
    "ko": "지영이한테 2만원 보내줘 메모는 점심값",
    "en": "send Jiyoung 20,000, memo: lunch",
    "ja": "ジヨンに2万ウォン送って、メモは昼ごはん",
}
LATER = {
    "ko": "지영이한테 2만원 12월 4일에 보내줘",
    "en": "send Jiyoung 20,000 on December 4",
    "ja": "ジヨンに12月4日に2万ウォン送って",
}
Heads = dict[str, MoveHead]


async def shown(language: str, opening: str, said: str, heads: Any = None) -> dict[str, Any]:
    """What is shown after the turn; nothing has been paid."""
    talk = Talk(NOW, language, InThread(None, heads))
    await talk.says(opening)
    await talk.says(said)
    assert not talk.paid and talk.state is not None and not talk.state.queue
    return dict(talk.state.slots)


@pytest.mark.parametrize(
    ("language", "said", "memo"),
    [
        ("ko", "점심값 → 김밥값", "김밥값"), ("en", "lunch -> noodles", "noodles"), ("ja", "昼ごはん→うどん", "うどん"),
        ("ko", "점심값 말고 김밥값으로 적어줘", "김밥값"), ("en", "change lunch to noodles", "noodles"),
        ("en", "noodles, not lunch", "noodles"), ("ja", "昼ごはんじゃなくてうどん", "うどん"),
        ("ja", "昼ごはんごちそうさまに変えて", "昼ごはんごちそうさま"),
        ("ko", "김밥 두 줄이라고 적어주세요", "김밥 두 줄"), ("ko", "고마웠어 라고 남겨줘", "고마웠어"),
        ("ko", "김밥값으로 표시해 주세요", "김밥값"), ("en", 'write "noodles" on it', "noodles"),
        ("en", "label it noodles", "noodles"), ("en", "it should say noodles", "noodles"),
        ("ja", "うどん代って書いといて", "うどん代"), ("ja", "うどん代ってメモつけて", "うどん代"),
        ("en", 'memo just "noodles"', "noodles"),
    ],
)  # fmt: skip
async def test_a_memo_is_what_is_to_be_written(language: str, said: str, memo: str) -> None:
    assert (await shown(language, LUNCH[language], said)).get("memo") == memo


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "메모는 안 써도 돼요 지워주세요"), ("en", "memo off please"), ("en", "dont need the lunch note"),
        ("ja", "昼ごはんの文字は消して"), ("ja", "メモ抜きで"),
    ],
)  # fmt: skip
async def test_a_memo_goes_by_what_it_says(language: str, said: str) -> None:
    assert "memo" not in await shown(language, LUNCH[language], said)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "할 일에 우유 사기라고 적어줘"), ("en", 'add "buy milk" to my list'), ("ko", "엄마라고 해줘"),
        ("en", "call it off"), ("ko", "그렇게 적힌 거 봤어"),
    ],
)  # fmt: skip
async def test_what_is_to_be_written_elsewhere_or_is_no_text_is_no_memo(language: str, said: str) -> None:
    opening = LUNCH[language]
    assert (await shown(language, opening, said))["memo"] in opening


@pytest.mark.parametrize(
    ("language", "said", "amount"),
    [
        ("ko", "5천원만 덧붙이자", 25_000), ("ko", "3천 더 나왔대", 23_000), ("ko", "지영이 꺼 5천원 얹어줘", 25_000),
        ("en", "knock off 5 thousand", 15_000), ("en", "five thousand off, we haggled", 15_000),
        ("en", "plus another 5,000", 25_000), ("ja", "5千多めにして", 25_000), ("ja", "5千まけてもらった", 15_000),
        ("ja", "5千減らしてくれる？", 15_000), ("ko", "2만 → 2만5천", 25_000), ("en", "20000 -> 25000", 25_000),
    ],
)  # fmt: skip
async def test_an_amount_changes_by_so_much(language: str, said: str, amount: int) -> None:
    assert (await shown(language, LUNCH[language], said))["amount"] == amount


@pytest.mark.parametrize(
    ("language", "said", "amount"),
    [("en", "make it thirty", 30_000), ("en", "25, it went up", 25_000), ("en", "five less", 15_000)],
)
async def test_a_bare_figure_is_in_units_of_what_is_shown(language: str, said: str, amount: int, heads: Heads) -> None:
    assert (await shown(language, LUNCH[language], said, heads))["amount"] == amount


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("en", "make it Thursday the 3rd", "2026-12-03"), ("en", "change it to Saturday the 5th", "2026-12-05"),
        ("en", "not the 4th, right away", "2026-11-25"), ("ja", "いますぐ送って", "2026-11-25"),
    ],
)  # fmt: skip
async def test_a_day_of_the_month_is_no_place_among_tasks(language: str, said: str, day: str) -> None:
    assert (await shown(language, LATER[language], said)).get("date") == day


@pytest.mark.parametrize(
    ("language", "said", "payee"),
    [
        ("ko", "지영이 말고 엄마가 산 거야", "엄마"), ("en", "not Jiyoung, Minsu at Hanbit", "Minsu (Hanbit Bank)"),
        ("ja", "ジヨンじゃなくてお母さんが払った", "お母さん"), ("ja", "ジヨンじゃねえ、お母さんだ", "お母さん"),
        ("ja", "お母さんに直して", "お母さん"), ("ja", "送る相手お母さんだった", "お母さん"),
    ],
)  # fmt: skip
async def test_who_is_named_instead_gets_it_whatever_they_did(language: str, said: str, payee: str) -> None:
    assert (await shown(language, LUNCH[language], said))["target"] == payee


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "안 드려도 된대요"), ("en", "nix that"), ("en", "absolutely not"),
    ],
)  # fmt: skip
async def test_what_is_shown_is_left_in_whatever_words(language: str, said: str, heads: Heads) -> None:
    talk = Talk(NOW, language, InThread(None, heads))
    await talk.says(LUNCH[language])
    await talk.says(said)
    assert not talk.paid and talk.state is not None and not talk.state.is_open


@pytest.mark.parametrize(
    ("language", "said"), [("en", "not yet"), ("en", "hold off on that"), ("ko", "아직은 아니야"), ("ja", "まだ")]
)
async def test_what_is_put_off_stays_open(language: str, said: str, heads: Heads) -> None:
    talk = Talk(NOW, language, InThread(None, heads))
    await talk.says(LUNCH[language])
    await talk.says(said)
    assert not talk.paid and talk.state is not None and talk.state.is_open


@pytest.mark.parametrize("said", ["nice day today isn't it", "lovely weather today", "stand by"])
async def test_what_only_begins_like_a_yes_pays_nothing(said: str, heads: Heads) -> None:
    talk = Talk(NOW, "en", InThread(None, heads))
    await talk.says(LUNCH["en"])
    await talk.says(said)
    assert not talk.paid


async def test_an_amount_that_is_told_before_an_order_changes_nothing(heads: Heads) -> None:
    said = "휘발유가 1700원이 넘더라 세상에. 보내드려"
    assert (await shown("ko", LUNCH["ko"], said, heads))["amount"] == 20_000


@pytest.mark.parametrize(
    ("said", "found"),
    [("2만5천이라", [25_000]), ("3만이 맞아", [30_000]), ("2만이천원", [22_000]), ("천이백원", [1_200])],
)
def test_a_particle_behind_a_sum_is_no_two(said: str, found: list[int]) -> None:
    assert [one.value for one in clause_of(said, NOW, "ko").entities if one.type == "money"] == found


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "what's waiting to go out?"), ("en", "anything lined up?"), ("ko", "내일 나갈 거 뭐 있지"),
        ("ko", "걸어둔 거 보여줘"), ("ja", "これから出ていくお金は？"), ("ja", "明日出る分は？"),
    ],
)  # fmt: skip
def test_what_is_to_go_out_is_asked_about(language: str, said: str) -> None:
    assert read_history(clause_of(said, NOW, language)) == ({"booked": True},)
