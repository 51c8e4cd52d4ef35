"""Corrections, names, memos and words of yes in the words that people use; and what must still not be taken for one."""

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

CASES: list[tuple[str, list[str], Paid]] = [
    # corrections behind apologies and fillers, wherever the names stand
    ("ko", ["용걸이한테 6만원 보내줘", "어이쿠ㅋㅋ 아 용걸이 말고 누나요", "응"], [("누나", 60_000, "")]),
    ("ko", ["누나한테 31만원 보내줘", "죄송해요 31 말고 13만원이었어요", "네 맞아요"], [("누나", 130_000, "")]),
    ("ko", ["지영이한테 9만원", "잠시만요 8만원으로요", "응응 보내"], [("지영", 80_000, "")]),
    ("en", ["send dad 44,000 won", "oops sorry, 34,000", "yep"], [("Dad", 34_000, "")]),
    ("en", ["send dad 44,000 won", "my bad, sister not dad", "yep"], [("Sister", 44_000, "")]),
    ("ja", ["父に2万ウォン送って", "すみません、2万5千ウォンでした", "はい"], [("お父さん", 25_000, "")]),
    ("ja", ["父に2万ウォン送って", "あっ、母のほうだった", "はい"], [("お母さん", 20_000, "")]),
    ("ja", ["父に2万、母に3万ウォン送って", "はい", "ごめん、母のは4万ウォンにして", "はい"], [("お父さん", 20_000, ""), ("お母さん", 40_000, "")]),
    # said of all that is open: a memo for each, a sum for each; a word for all within a memo is none
    ("ko", ["누나랑 지영이한테 7만원씩 보내줘", "둘 다 메모는 곗돈으로", "둘 다 보내"], [("누나", 70_000, "곗돈"), ("지영", 70_000, "곗돈")]),
    ("en", ["send Sister and Dad 70,000 won each", 'put "club fee" as the memo for both', "yes to both"],
     [("Sister", 70_000, "club fee"), ("Dad", 70_000, "club fee")]),
    ("en", ["send Sister and Dad 70,000 won each", "make both 40,000", "yes to both"],
     [("Sister", 40_000, ""), ("Dad", 40_000, "")]),
    ("en", ["send Sister and Dad 70,000 won each", 'memo "love to both"', "yes", "yes"],
     [("Sister", 70_000, "love to both"), ("Dad", 70_000, "")]),
    ("ko", ["누나랑 지영이한테 7만원씩 보내줘", "메모 공동선물로 둘 다 적어줘", "둘 다 보내"],
     [("누나", 70_000, "공동선물"), ("지영", 70_000, "공동선물")]),
    ("en", ["send Sister and Dad 70,000 won each", "add the memo ski weekend to both of them", "yes to both"],
     [("Sister", 70_000, "ski weekend"), ("Dad", 70_000, "ski weekend")]),
    ("ja", ["お姉さんとお父さんに7万ウォンずつ送って", "メモは二人とも「忘年会」で", "両方送って"],
     [("お姉さん", 70_000, "忘年会"), ("お父さん", 70_000, "忘年会")]),
    # the word for a memo that a bank's own form has; a bill of "…적요금" has none of it
    ("ko", ["지영이한테 9만원 이체해 주세요. 적요는 '동창 회비'로 부탁드립니다", "네"], [("지영", 90_000, "동창 회비")]),
    ("ko", ["누나한테 4만원 적요 생일 선물로 보내줘", "응"], [("누나", 40_000, "생일 선물")]),
    ("ko", ["누나한테 누적요금 4만원 보내줘", "응"], [("누나", 40_000, "")]),
    ("ja", ["お姉さんに3万ウォン送って、摘要は「打ち上げ」で", "はい"], [("お姉さん", 30_000, "打ち上げ")]),
    ("ja", ["お姉さんに3万ウォン送って", "備考は302号室", "はい"], [("お姉さん", 30_000, "302号室")]),
    # a word for all of them is nobody's name
    ("ko", ["누나 지영 둘다한테 3만원씩 보내줘", "응", "응"], [("누나", 30_000, ""), ("지영", 30_000, "")]),
    # the other one of a name, with why; and that one alone
    ("en", ["Pay Minsu 23,000 won", "Pureun", "Sorry, I picked badly, it goes to the other Minsu", "yes"],
     [("Minsu (Hanbit Bank)", 23_000, "")]),
    ("en", ["Pay Minsu 23,000 won", "Pureun", "not that Minsu, the other one", "yes"], [("Minsu (Hanbit Bank)", 23_000, "")]),
    ("ja", ["ミンスに2万ウォン送って", "プルン銀行", "違った、もう一人のほうのミンスにして", "はい"], [("ミンス (ハンビット銀行)", 20_000, "")]),
    # what is told before a request is none of it
    ("ko", ["형이 기차표 8만원 끊어줬거든, 반씩 내기로 해서 지영이한테 4만원 보내줘", "응"], [("지영", 40_000, "")]),
    ("en", ["Jiyoung covered the taxi, 30,000 won. We share it, so pay her 15,000", "yes"], [("Jiyoung", 15_000, "")]),
    ("en", ["my sister got Mom's flowers, 60,000, so send her 30,000", "yes"], [("Sister", 30_000, "")]),
    ("ja", ["お父さんが灯油代6千ウォン払ってくれたので、お父さんに3千ウォン送って", "はい"], [("お父さん", 3_000, "")]),
    # who was meant, told in the past; a memo in front of the order; a sum with a slip in its currency; a given name
    # behind what its owner is; a day that is asked for
    ("ko", ["누나한테 6만원 보내줘", "어 잠깐 지영이였다", "응"], [("지영", 60_000, "")]),
    ("ko", ["누나한테 6만원 보내줘", "누나가 아니라 용걸이였음", "응"], [("용걸이", 60_000, "")]),
    ("ja", ["父に2万ウォン、メモは切手代で振り込んで", "はい"], [("お父さん", 20_000, "切手代")]),
    ("ja", ["父に2万ウォン送って", "メモは切手代で送ってください", "はい"], [("お父さん", 20_000, "切手代")]),
    ("ko", ["누나한테 이만언만 보내줘", "응"], [("누나", 20_000, "")]),
    ("ja", ["会計のジヨンに7千ウォン送って", "はい"], [("ジヨン", 7_000, "")]),
    ("ja", ["佐藤のお母さんに7千ウォン送って", "はい"], []),
    ("en", ["send my colleague Jiyoung 7,000 won", "yes"], [("Jiyoung", 7_000, "")]),
    # one payee on several days: two transfers, and what is left of an amount on another day
    ("ko", ["누나한테 오늘 7만원, 모레 3만원 이렇게 나눠서 보내줘", "응", "응"], [("누나", 70_000, ""), ("누나", 30_000, "")]),
    ("ko", ["누나한테 700만원 보내줘", "그럼 오늘 450만원, 내일 250만원으로 나눠줘", "둘 다 보내줘"],
     [("누나", 4_500_000, ""), ("누나", 2_500_000, "")]),
    ("en", ["send Sister 90,000 won", "make it 50,000 today and the rest on Friday", "yes", "yes"],
     [("Sister", 50_000, ""), ("Sister", 40_000, "")]),
    ("ja", ["母に9万ウォン送って", "今日は5万、残りは明日で", "はい", "はい"], [("お母さん", 50_000, ""), ("お母さん", 40_000, "")]),
    ("ko", ["누나한테 내일 7만원 보내줘", "내일 7만원 말고 모레 3만원", "응"], [("누나", 30_000, "")]),
    # as much as was sent
    ("ko", ["누나한테 7만원 보내줘", "응", "누나한테 보낸 만큼 지영이한테도", "응"], [("누나", 70_000, ""), ("지영", 70_000, "")]),
    ("en", ["send Mom 7,000 won", "yes", "send Dad as much as I sent Mom", "yes"], [("Mom", 7_000, ""), ("Dad", 7_000, "")]),
    ("ja", ["母に7千ウォン送って", "はい", "母に送った分だけ父にも", "はい"], [("お母さん", 7_000, ""), ("お父さん", 7_000, "")]),
    ("ko", ["누나한테 7만원 보내줘", "응", "아빠한테 보낸 만큼 지영이한테도", "응"], [("누나", 70_000, "")]),
    # an amount that a turn settles on, whatever it tells
    ("ko", ["누나한테 7만원 보내줘", "귤도 만원어치 샀대. 합치면 8만원이니까 8만원으로 고쳐줘", "응"], [("누나", 80_000, "")]),
    ("ko", ["누나한테 보내줘", "이만 원. 아니다, 추석이니까 삼만 원 하자", "응"], [("누나", 30_000, "")]),
    ("ko", ["누나한테 7만원 보내줘", "오만으로 낮추자", "응"], [("누나", 50_000, "")]),
    ("en", ["send mom 9,000 won", "the bus was 2,000 on top, so make it 11,000", "yes"], [("Mom", 11_000, "")]),
    ("ja", ["母に9千ウォン送って", "さっきのやけど七千ウォンにしといて", "はい"], [("お母さん", 7_000, "")]),
    # a memo asked for politely, and one that is put right at once
    ("en", ["send mom 9,000 won", 'Pardon me, would you mind adding the memo "seeds"?', "yes"], [("Mom", 9_000, "seeds")]),
    ("en", ["send mom 9,000 won", 'the memo is "seeds", no wait, "bulbs"', "yes"], [("Mom", 9_000, "bulbs")]),
    ("ko", ["누나한테 7만원 보내줘", "메모에 귤값이라고 좀 적어줄 수 있어?", "응"], [("누나", 70_000, "귤값")]),
    ("ja", ["母に9千ウォン送って", "メモは「種」、いや「苗」で", "はい"], [("お母さん", 9_000, "苗")]),
    ("ja", ["お母さんさ三千ウォン送ってけろ", "はい"], [("お母さん", 3_000, "")]),
    # once more, and in won after another money
    ("ko", ["누나한테 8만원 보내줘", "응", "딱 한 번만 더", "응"], [("누나", 80_000, ""), ("누나", 80_000, "")]),
    ("ko", ["누나한테 20달러 보내줘", "원화로 3만원 누나한테", "응"], [("누나", 30_000, "")]),
    ("ko", ["누나한티 6만원 부쳐잉", "응"], [("누나", 60_000, "")]),
    # what points back is no payee, and an apposition no request of its own
    ("en", ["Mom gets 10,000 won and Dad 20,000 won. Would you pay those?", "yes to both"],
     [("Mom", 10_000, ""), ("Dad", 20_000, "")]),
    ("en", ["pay Minsu 20,000 won, the one with Pureun Bank", "yes"], [("Minsu (Pureun Bank)", 20_000, "")]),
    # a yes behind a word of having understood, with what is shown; without a yes it is the request once more
    ("en", ["send Sister 20,000 won", "Understood. Yes, send 20,000 won to Sister"], [("Sister", 20_000, "")]),
    ("ko", ["누나한테 2만원 보내줘", "알겠어요. 네, 누나한테 2만원 보내 주세요"], [("누나", 20_000, "")]),
    ("en", ["send Sister 20,000 won", "Understood. Send 20,000 won to Sister"], []),
    # taken back in the same breath
    ("ko", ["누나한테.. 아니 지영이한테 2만원 보내줘", "응"], [("지영", 20_000, "")]),
    # titles, other scripts, misspellings that are known
    ("ko", ["집주인 아주머니께 45만원 보내주세요", "네"], [("집주인", 450_000, "")]),
    ("ko", ["아부지한테 3만원 보내줘", "네"], [("아빠", 30_000, "")]),
    ("ko", ["누나한태 2만8천원 보네주세요", "네"], [("누나", 28_000, "")]),
    ("ko", ["아빠에개 7만원 이채", "네"], [("아빠", 70_000, "")]),
    ("ko", ["집주인 양반에게 45만원 부쳐 주게", "네"], [("집주인", 450_000, "")]),
    ("ja", ["Yonggeolさんに3万ウォン送って", "はい"], [("ヨンゴル", 30_000, "")]),
    # a memo in quotation marks ends with them
    ("en", ["send dad 5,000 won", "make the memo 'thanks', will you", "yes"], [("Dad", 5_000, "thanks")]),
    ("en", ["send dad 5,000 won, memo 'dad's car'", "yes"], [("Dad", 5_000, "dad's car")]),
    ("ja", ["父に5千ウォン送って。メモ欄に「切手代」と入れておいて", "はい"], [("お父さん", 5_000, "切手代")]),
    # what is not offered is shown as no transfer
    ("en", ["Please arrange a weekly payment of 5,000 won to dad", "yes"], []),
    ("en", ["5,000 won to dad on the 3rd of every month", "yes"], []),
    ("en", ["I need to give Yonggeol 12000", "yes"], [("Yonggeol", 12_000, "")]),
    # a bank in whatever script chooses among those that were shown
    ("ja", ["ミンスに1万ウォン送って", "Hanbitのほうで", "はい"], [("ミンス (ハンビット銀行)", 10_000, "")]),
    ("en", ["send Minsu 20,000 won", "푸른은행", "yes"], [("Minsu (Pureun Bank)", 20_000, "")]),
    ("en", ["send Minsu 20,000 won", "not the Pureun one", "yes"], [("Minsu (Hanbit Bank)", 20_000, "")]),
    ("ko", ["민수한테 5만원 보내줘", "한빛은행", "아 다른 민수", "네"], [("민수 (푸른은행)", 50_000, "")]),
    ("ko", ["민수한테 5만원 보내줘", "가온은행", "네"], []),
    # a memo is what is said, without the words around it
    ("ko", ["누나한테 7만원 메모 결혼축하 라고 해서 보내줘", "응"], [("누나", 70_000, "결혼축하")]),
    ("ko", ["누나한테 7만원 보내줘", "메모는 그냥 선물로 바꿔줘", "응"], [("누나", 70_000, "선물")]),
    ("ko", ["누나한테 7만원 보내줘. 메모 회식비요", "응"], [("누나", 70_000, "회식비")]),
    ("en", ["send mom 9,000 won", "could you put a note on that: coffee", "yes"], [("Mom", 9_000, "coffee")]),
    ("ja", ["母に9千ウォン送って", "メモも入れて、お花代って", "はい"], [("お母さん", 9_000, "お花代")]),
    # a memo for one of several, named by its payee
    ("en", ["send mom 9,000 won and dad 8,000 won", "put picnic as the memo on dad's", "yes", "yes"], [("Mom", 9_000, ""), ("Dad", 8_000, "picnic")]),
    ("en", ["send mom 9,000 won and dad 8,000 won", "the mom one needs a memo: seeds for dad", "yes", "no"], [("Mom", 9_000, "seeds for dad")]),
    ("ko", ["엄마 9천원 누나 8천원 보내줘", "누나한테 보내는 거 메모는 소풍으로 부탁", "네", "네"], [("엄마", 9_000, ""), ("누나", 8_000, "소풍")]),
    ("ko", ["엄마한테 9천원 보내줘", "메모는 누나 도시락", "네"], [("엄마", 9_000, "누나 도시락")]),
    ("ja", ["母に9千ウォン、姉に8千ウォン送って", "姉の分のメモは遠足にして", "はい", "はい"], [("お母さん", 9_000, ""), ("お姉さん", 8_000, "遠足")]),
    # sums are added up, parts of an amount are asked for
    ("ko", ["엄마한테 7천원에다 3천원 얹어서 보내줘", "응"], [("엄마", 10_000, "")]),
    ("ko", ["3만원을 둘이 나눠서 엄마한테 보내줘", "응"], []),
    ("en", ["send mom half of 30,000 won", "yes"], []),
    # what is told beside taking back is for nothing
    ("ko", ["엄마 2만원 누나 3만원 보내줘", "누나 건 취소해줘 그저께 만나서 줬어", "응"], [("엄마", 20_000, "")]),
    # words beside a yes that change nothing
    ("ko", ["누나한테 4만원 보내줘", "응 그것도 보내줘"], [("누나", 40_000, "")]),
    ("ko", ["누나한테 4만원 보내줘", "어 맞아 그렇게 해주시면 됩니다"], [("누나", 40_000, "")]),
    ("en", ["send mom 9,000 won", "that is correct, please send it"], [("Mom", 9_000, "")]),
    ("ja", ["母に9千ウォン送って", "うん、それで頼むね"], [("お母さん", 9_000, "")]),
    ("ja", ["母に9千ウォン送って", "はい、間違いないです"], [("お母さん", 9_000, "")]),
    # and what is none
    ("ko", ["누나한테 4만원 보내줘", "응 그런가"], []),
    ("ko", ["누나한테 4만원 보내줘", "그거 이제"], []),
    ("en", ["send mom 9,000 won", "please, now"], []),
    ("ja", ["母に9千ウォン送って", "それでいいのかな"], []),
    ("ja", ["母に9千ウォン送って", "はい、問題ないですか"], []),
]  # fmt: skip

# values among words that nobody listed
LEARNED: list[tuple[str, list[str], Paid]] = [
    ("ko", ["누나한테 4만원 보내줘", "가만 보니까 5만원이 더 낫겠더라고", "응"], [("누나", 50_000, "")]),
    ("en", ["send mom 9,000 won", "the bill came, it was 12,000 won after all", "yes"], [("Mom", 12_000, "")]),
    ("ja", ["母に9千ウォン送って", "よく考えたら1万2千ウォンのほうが助かるかも", "はい"], [("お母さん", 12_000, "")]),
]
ASIDES: list[tuple[str, list[str], Paid]] = [
    ("ko", ["누나한테 4만원 보내줘", "아빠가 저번에 나한테 9만원 빌려갔다고 기억해줘", "응"], [("누나", 40_000, "")]),
    ("ko", ["누나한테 4만원 보내줘", "내일 5시에 엄마랑 저녁 약속 잡아줘", "응"], [("누나", 40_000, "")]),
    ("en", ["send mom 9,000 won", "how much would I have left after sending 50,000 won?", "yes"], [("Mom", 9_000, "")]),
    ("ja", ["母に9千ウォン送って", "明日の3時に父と映画の予定を入れといて", "はい"], [("お母さん", 9_000, "")]),
]  # fmt: skip


async def paid(talk: Talk, turns: list[str]) -> tuple[Paid, list[str]]:
    answers = [await talk.says(turn) for turn in turns]
    made = [
        (next(label(one, BOOK, talk.language) for one in BOOK if one.payee_id == order.payee_id), order.amount, order.memo)
        for order in talk.paid
    ]  # fmt: skip
    return made, answers


@pytest.mark.parametrize(("language", "turns", "expected"), CASES, ids=[" | ".join(case[1]) for case in CASES])
async def test_what_is_paid_in_the_end(language: str, turns: list[str], expected: Paid) -> None:
    made, answers = await paid(Talk(NOW, language), turns)
    assert made == expected, answers


@pytest.mark.parametrize(("language", "turns", "expected"), LEARNED, ids=[" | ".join(case[1]) for case in LEARNED])
async def test_values_among_unknown_words_are_shown_before_they_count(
    heads: dict[str, LearnedMoveHead], language: str, turns: list[str], expected: Paid
) -> None:
    made, answers = await paid(Talk(NOW, language, InThread(heads=heads)), turns)
    assert made == expected, answers
    without, _ = await paid(Talk(NOW, language), turns[:2])
    assert without == []


@pytest.mark.parametrize(("language", "turns", "expected"), ASIDES, ids=[" | ".join(case[1]) for case in ASIDES])
async def test_what_is_about_another_thing_changes_no_transfer(
    heads: dict[str, LearnedMoveHead], language: str, turns: list[str], expected: Paid
) -> None:
    made, answers = await paid(Talk(NOW, language, InThread(heads=heads)), turns)
    assert made == expected, answers


LOST = [
    ("ko", "엄마 9천원 누나 8천원 보내줘", "누나 쪽에 소풍이라고 써 붙여 놓아줘", "네", "이해하지 못해서 여기에"),
    ("ja", "母に9千ウォン送って", "別の口座から出してほしい", "はい", "入っていません"),
    ("en", "send mom 9,000 won", "make sure it only goes out after payday", "yes", "not part of this"),
    ("ko", "엄마한테 9천원 보내줘", "다른 통장에서 나가게 해줘", "응", "이해하지 못해서 여기에"),
]


@pytest.mark.parametrize(("language", "opening", "change", "yes", "told"), LOST, ids=[case[2] for case in LOST])
async def test_a_yes_behind_a_change_that_was_not_understood_is_asked_for_once_more(
    heads: dict[str, LearnedMoveHead], language: str, opening: str, change: str, yes: str, told: str
) -> None:
    talk = Talk(NOW, language, InThread(heads=heads))
    made, answers = await paid(talk, [opening, change, yes])
    assert made == [] and told in answers[-1], answers
    made, answers = await paid(talk, [yes])
    assert len(made) == 1, answers


@pytest.mark.parametrize(
    ("language", "opening", "said", "yes"),
    [("ko", "엄마한테 9천원 보내줘", "음 글쎄", "네"), ("en", "send mom 9,000 won", "hm the weather is odd", "yes")],
)
async def test_a_yes_behind_a_turn_that_wanted_no_change_pays(
    heads: dict[str, LearnedMoveHead], language: str, opening: str, said: str, yes: str
) -> None:
    made, answers = await paid(Talk(NOW, language, InThread(heads=heads)), [opening, said, yes])
    assert len(made) == 1, answers
