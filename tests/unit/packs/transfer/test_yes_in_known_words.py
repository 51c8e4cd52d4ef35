"""A yes in the words that labelled turns say it in, and what is nearly one; what is told beside an order; values that are
told by what is open."""

from datetime import datetime

import pytest

from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from services.cognitive.reads import InThread
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk
from understanding.offline.turn_moves import LearnedMoveHead

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZONE)
BOOK = address_book(ME)
Paid = list[tuple[str, int, str]]
ASKED = {"ko": "지영이한테 6만원 보내줘", "en": "send Jiyoung 60,000 won", "ja": "ジヨンに6万ウォン送って"}
TWO = {
    "ko": "지영이한테 6만원, 아빠한테 2만원 보내줘",
    "en": "send Jiyoung 60,000 won and Dad 20,000 won",
    "ja": "ジヨンに6万ウォン、お父さんに2万ウォン送って",
}

YES = [
    ("ko", "네 그 액수 그대로 이체해 주시면 됩니다"),
    ("ko", "아 다행히 넉넉하네 그럼 지영이 거 보내줘"),
    ("ko", "고칠 데 없네. 송금 진행해 주세요"),
    ("en", "lovely, that's all right, please go ahead and send it"),
    ("en", "thank you, now pay Jiyoung the 60,000 please"),
    ("en", "no problem there, send the money"),
    ("ja", "ありがとうございます、その金額で進めてください"),
    ("ja", "金額は合ってるのでジヨンに送って"),
    # in dialect, in slang, by the payee alone
    ("ko", "그려 그렇게 보내"),
    ("ko", "지영이 것은 부쳐줘"),
    ("ko", "예 보내 주이소"),
    ("ko", "보내라 제발"),
    ("ko", "이체 진행시켜줘"),
    ("ko", "문제없으니 진행 바람"),
    ("ko", "그대로 보내면 됩니다"),
    ("en", "roger that"),
    ("en", "that's affirmative, send it"),
    ("en", "happy with that, pay her"),
    ("ja", "もちろんです"),
    ("ja", "その通り、送って"),
    ("ja", "ジヨンの分は送ってください"),
    # why, in words that no labelled turn has, before an order in words that one has
    ("ko", "다들 목 빠지게 기다린대요, 어서 이체해 주세요"),
    ("ko", "등록 기한이 코앞이니까 바로 송금해 주세요"),
    ("en", "her train leaves soon, so please send it"),
    ("en", "the shop closes early. Please go ahead and send it"),
    # who trails off in a remark hesitates about nothing that stands behind it; what has no day is paid today
    ("ko", "비가 오려나.. 그 송금 맞으니까 보내줘"),
    ("ko", "보내도 되겠네, 진행해"),
    ("en", "you may go ahead and send it today"),
    ("ja", "承知いたしました。そのままお送りくださいませ"),
    ("ja", "今日で構いません、送ってください"),
]
IN_OWN_WORDS = [
    ("en", "60k to Jiyoung, correct, send it"),
    ("en", "right, sixty thousand, the plumber nodded at me, send it"),
    ("ja", "ジヨンに6万、これで部活のみんなも喜ぶ、送って"),
]
BESIDE_A_REMARK = [
    ("ko", "응 그렇게 해줘 ㅋㅋ 커피 다 쏟았네"),
    ("en", "yes, and goodness the fog is thick"),
    ("en", "perfect, send it, my dear"),
    ("ko", "네, 보내주세요. 빨래 널다가 이제야 봤네요"),
    ("ko", "좋아요, 보내주세요. 오늘이 장날이라 시끄럽네요"),
    ("ko", "네ㅔ 보내주세용"),
    ("en", "sure thing, do it. Lovely service"),
    ("en", "yes, she deserves it"),
    ("en", "The cat walked over the keys. Yes, send it please."),
    ("ja", "はい、送ってください。洗濯物を干していました"),
    ("ja", "うん、お願い。孫の顔が目に浮かぶよ"),
]
NOT_BESIDE_A_REMARK = [
    ("ko", "네, 저녁 8시쯤에요"),
    ("ko", "좋아 보이네 사진이"),
    ("ko", "네, 통장에 돈이 있는지 모르겠네"),
    ("en", "yes, in three days"),
    ("en", "Yes. That's the amount we said, isn't it?"),
    ("en", "right, understood, cheers"),
    ("ja", "はい、夕方5時に"),
    ("ja", "はい、気が変わるかもしれません"),
    ("ko", "네, 날씨가 좋네요. 송금은 저녁에 정할게요"),
    ("ko", "네, 알림은 켜 주세요. 돈은 아직이에요"),
    ("ko", "응, 은행 앱 켜는 중이야"),
    ("ko", "네, 우표 붙여서요"),
    ("en", "600k to Jiyoung, correct, send it"),
    ("en", "6k to Jiyoung, correct, send it"),
    ("en", "Yes, she knits beautifully. About the money, give me till dinner."),
    ("en", "Sure, once the cat is off my lap"),
    ("en", "Yes, in stamps"),
    ("en", "Okay, reading it now"),
    ("ja", "はい、いい天気ですね。送金はまだ迷っています"),
    ("ja", "うん、いま読んでるところ"),
    ("ja", "はい、切手で"),
]
NEARLY = [
    # a word of an order, and something to be looked at or done with it
    ("ko", "예약된 이체 보여줘"),
    ("ko", "예약 이체 내역 알려줘"),
    ("ko", "이체 확인해볼래"),
    ("ko", "송금 한도"),
    ("ko", "이체 수수료"),
    ("ko", "이체 막아줘"),
    ("ko", "이체 모아줘"),
    ("ko", "택배 예약해줘"),
    ("en", "show the scheduled transfers"),
    ("en", "let me see the payment"),
    ("ja", "予約した振込を見せて"),
    ("ja", "送金の一覧"),
    ("ko", "보내도 될라나.. 모르겠네"),
    ("ko", "맞나.. 보내면 언제 가"),
    ("en", "send it... no, not today"),
    ("en", "you may send it tomorrow"),
    ("ja", "送っていいのかな…もう少し考えます"),
    ("ko", "네 아빠 것도 보내주세요"),
    ("ko", "지영이가 그대로 보내라고 하더라"),
    ("ko", "네 그런데 금액을 다시 볼게요"),
    ("ko", "네 7만원 보내주세요"),
    ("ko", "물론 그건 아니지"),
    ("ko", "그거면 될지 모르겠네"),
    ("en", "negative"),
    ("en", "I'm not so sure about that"),
    ("en", "I don't approve that"),
    ("ja", "もちろん送らないよ"),
    ("ja", "その通りかどうか見てみる"),
    ("en", "please send it back"),
    ("en", "okay, got it, thanks"),
    ("en", "yes, send Dad the money"),
    ("en", "send it if there is enough"),
    ("en", "yes, the amount is wrong"),
    ("ja", "はい、お父さんの分も送ってください"),
    ("ja", "合っていたら送ってください"),
    ("ja", "送っていいか母に聞いてみる"),
    # the remark sets a condition, is of another payee, or stands in the order itself
    ("ko", "기한이 코앞이면 보내줘"),
    ("ko", "네 송장 떼서 보내주세요"),
    ("en", "her train leaves soon, so send it when she calls"),
    ("en", "Dad is waiting, so send it"),
    ("en", "yes, send it in coins"),
    ("ja", "屋台が閉まったら、送ってください"),
]
BOTH: list[tuple[str, list[str], Paid]] = [
    ("ko", ["둘 다 맞으니까 한꺼번에 보내 주세요"], [("지영", 60_000, ""), ("아빠", 20_000, "")]),
    ("en", ["those are right, please send both of them"], [("Jiyoung", 60_000, ""), ("Dad", 20_000, "")]),
    # that all of it is right is no word for all of the transfers
    ("en", ["that is all correct, thank you"], [("Jiyoung", 60_000, "")]),
    ("ko", ["다 맞네 보내줘"], [("지영", 60_000, "")]),
    # what is left, after one is gone
    ("ko", ["응", "나머지도 진행해 줘"], [("지영", 60_000, ""), ("아빠", 20_000, "")]),
    ("ja", ["お父さんの分だけやめて", "はい、送ってください"], [("ジヨン", 60_000, "")]),
    ("ko", ["아빠만 빼줘", "응 보내"], [("지영", 60_000, "")]),
    ("ko", ["아빠는 1만원만", "둘 다 보내줘"], [("지영", 60_000, ""), ("아빠", 10_000, "")]),
    (
        "ko",
        ["반대야 지영이가 2만원이고 아빠가 6만원이야", "둘 다 보내줘"],
        [("지영", 20_000, ""), ("아빠", 60_000, "")],
    ),
]
TOLD: list[tuple[str, list[str], Paid]] = [
    ("ko", ["그저께 지영이가 밥을 샀거든 지영이한테 9천원 보내줘", "응"], [("지영", 9_000, "")]),
    ("en", ["Jiyoung got the bus tickets yesterday, send her 9,000 won", "yes"], [("Jiyoung", 9_000, "")]),
    ("ja", ["ジヨンに昨日のバス代9千ウォン送って", "はい"], [("ジヨン", 9_000, "")]),
    ("en", ["send Jiyoung 9,000 won yesterday", "yes"], []),
    ("en", ["send 9,000 won to Jiyoung and 8,000 to Dad", "yes", "yes"], [("Jiyoung", 9_000, ""), ("Dad", 8_000, "")]),
    ("en", ["pay Minsu 9,000 won, he is with Pureun", "yes"], [("Minsu (Pureun Bank)", 9_000, "")]),
    ("ko", ["한빛은행 다니는 민수한테 9천원 보내줘", "응"], [("민수 (한빛은행)", 9_000, "")]),
    (
        "ja",
        ["ミンスに9千ウォン送って", "ハンビットのほう。メモは「切符」で", "はい"],
        [("ミンス (ハンビット銀行)", 9_000, "切符")],
    ),
    ("ja", ["ジヨンに借りた9千ウォン返して", "はい"], [("ジヨン", 9_000, "")]),
    # values that are said again behind a word of yes, and others
    ("en", ["send Jiyoung 9,000 won tomorrow", "yes, 9,000 to Jiyoung tomorrow, do it"], [("Jiyoung", 9_000, "")]),
    ("en", ["send Jiyoung 9,000 won tomorrow", "yes, 9,500 to Jiyoung tomorrow, do it"], []),
    (
        "ko",
        ["지영이한테 9천원 금요일에 나가게 해줘", "응 금요일에 지영이한테 9천원 나가게 해줘"],
        [("지영", 9_000, "")],
    ),
    ("ko", ["지영이한테 9천원 보내줘", "그렇게 이체 예약해 줘"], [("지영", 9_000, "")]),
    (
        "ja",
        ["ジヨンに9千ウォン、お父さんに8千ウォン送って", "先ほどの送金、全部お願いします"],
        [("ジヨン", 9_000, ""), ("お父さん", 8_000, "")],
    ),
]
BY_WHAT_IS_OPEN: list[tuple[str, list[str], Paid]] = [
    ("ko", ["절반만 보내자", "응"], [("지영", 30_000, "")]),
    ("en", ["make it half", "yes"], [("Jiyoung", 30_000, "")]),
    ("ja", ["やっぱり半分で", "はい"], [("ジヨン", 30_000, "")]),
    ("ko", ["거기에 5천원 보태서 보내줘", "응"], [("지영", 65_000, "")]),
    ("en", ["please add 5,000", "yes"], [("Jiyoung", 65_000, "")]),
    ("en", ["Dad is paying half, so make it 30,000", "yes"], [("Jiyoung", 30_000, "")]),
    ("en", ["drop that to 55,000", "ok"], [("Jiyoung", 55_000, "")]),
    ("ko", ["메모에 입학축하 라고 적어 주시겠어요?", "네"], [("지영", 60_000, "입학축하")]),
]


async def paid(heads: dict[str, LearnedMoveHead], language: str, *said: str) -> Paid:
    talk = Talk(NOW, language, InThread(None, heads))
    for text in said:
        await talk.says(text)
    return [
        (label(next(one for one in BOOK if one.payee_id == order.payee_id), BOOK, language), order.amount, order.memo)
        for order in talk.paid
    ]


@pytest.mark.parametrize(("language", "yes"), YES)
async def test_a_yes_in_known_words_pays(language: str, yes: str, heads: dict[str, LearnedMoveHead]) -> None:
    assert [amount for _, amount, _ in await paid(heads, language, ASKED[language], yes)] == [60_000]


@pytest.mark.parametrize(("language", "yes"), [*IN_OWN_WORDS, *BESIDE_A_REMARK])
async def test_a_yes_beside_a_remark_pays(language: str, yes: str, heads: dict[str, LearnedMoveHead]) -> None:
    assert [amount for _, amount, _ in await paid(heads, language, ASKED[language], yes)] == [60_000]


@pytest.mark.parametrize(("language", "nearly"), [*NEARLY, *NOT_BESIDE_A_REMARK])
async def test_what_is_nearly_a_yes_pays_nothing(language: str, nearly: str, heads: dict[str, LearnedMoveHead]) -> None:
    assert await paid(heads, language, ASKED[language], nearly) == []


@pytest.mark.parametrize(("language", "said", "expected"), BOTH)
async def test_of_several_those_are_paid_that_were_meant(
    language: str, said: list[str], expected: Paid, heads: dict[str, LearnedMoveHead]
) -> None:
    assert sorted(await paid(heads, language, TWO[language], *said)) == sorted(expected)


@pytest.mark.parametrize(("language", "said", "expected"), TOLD)
async def test_what_is_told_beside_an_order_is_no_part_of_it(
    language: str, said: list[str], expected: Paid, heads: dict[str, LearnedMoveHead]
) -> None:
    assert await paid(heads, language, *said) == expected


@pytest.mark.parametrize(("language", "said", "expected"), BY_WHAT_IS_OPEN)
async def test_a_value_is_told_by_what_is_open(
    language: str, said: list[str], expected: Paid, heads: dict[str, LearnedMoveHead]
) -> None:
    assert await paid(heads, language, ASKED[language], *said) == expected


async def test_words_that_nobody_knows_choose_none_of_several(heads: dict[str, LearnedMoveHead]) -> None:
    assert await paid(heads, "ko", "엄마한테 2만원, 누나한테 3만원 보내줘", "그 여자분한테만 보내줘") == []


THREE = "지영이한테 6만원, 아빠한테 2만원, 누나한테 1만원 보내줘"
TOGETHER: list[tuple[list[str], Paid]] = [
    (["두 건 다 보내줘"], []),
    (["네, 둘 다요"], []),
    (["누나는 빼고 나머지 둘만", "응", "응"], [("지영", 60_000, ""), ("아빠", 20_000, "")]),
]


@pytest.mark.parametrize(("said", "expected"), TOGETHER)
async def test_two_of_three_are_nobody_s(said: list[str], expected: Paid, heads: dict[str, LearnedMoveHead]) -> None:
    assert await paid(heads, "ko", THREE, *said) == expected


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("ko", "아차 만나서 줬지 참, 취소할게", "취소"),
        ("ko", "내가 받을 돈이 더 많았네. 보내지 마", "취소"),
        ("en", "sorry, wrong week, please cancel", "cancelled"),
        ("en", "He never asked for it. Cancel that.", "cancelled"),
        ("ja", "ごめん、来週にするからやめとく", "キャンセル"),
    ],
)
async def test_who_gives_up_what_is_shown_and_says_why_has_it_cancelled(
    language: str, said: str, told: str, heads: dict[str, LearnedMoveHead]
) -> None:
    talk = Talk(NOW, language, InThread(None, heads))
    await talk.says(ASKED[language])
    assert told in await talk.says(said)
    assert not (talk.state and talk.state.is_open)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "모레 미용실 예약은 취소해줘"),
        ("en", "cancel the piano lesson on Friday"),
        ("ja", "金曜のピアノは取り消して"),
    ],
)
async def test_what_else_is_cancelled_leaves_the_transfer_open(
    language: str, said: str, heads: dict[str, LearnedMoveHead]
) -> None:
    talk = Talk(NOW, language, InThread(None, heads))
    await talk.says(ASKED[language])
    await talk.says(said)
    assert talk.state and talk.state.is_open and not talk.paid


@pytest.mark.parametrize("said", ["지영이 말고 아빠한테", "아 지영이 말고 아빠", "지영이 아니고 아빠"])
async def test_not_this_one_but_that_one(said: str, heads: dict[str, LearnedMoveHead]) -> None:
    assert await paid(heads, "ko", ASKED["ko"], said, "응 보내줘") == [("아빠", 60_000, "")]


async def test_a_name_that_begins_like_a_sigh_is_whole(heads: dict[str, LearnedMoveHead]) -> None:
    asked = "아빠한테 6만원 보내줘"
    assert await paid(heads, "ko", asked, "아빠 말고 누나한테", "응") == [("누나", 60_000, "")]


async def test_a_memo_ends_before_only_that(heads: dict[str, LearnedMoveHead]) -> None:
    assert await paid(heads, "ko", ASKED["ko"], "메모는 축하 라고만 써줘", "응") == [("지영", 60_000, "축하")]
