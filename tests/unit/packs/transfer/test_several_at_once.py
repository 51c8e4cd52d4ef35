"""What is said of each, of the rest, and of two people who have one name: it goes where it was said to go."""

from datetime import datetime

import pytest

from contracts.cognitive import FlowStage
from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk

NOW = datetime(2026, 11, 28, 10, tzinfo=ZONE)
BOOK = address_book(ME)

CASES = [
    # an amount for each, in answer to how much
    ("ko", ["누나랑 지영이한테 보내줘", "각각 5만원", "응", "응"], [("누나", 50_000), ("지영", 50_000)]),
    ("ko", ["아빠랑 누나한테 송금해줘", "7만원씩이요", "둘 다 보내"], [("아빠", 70_000), ("누나", 70_000)]),
    ("en", ["send money to Mom and Dad", "50,000 each", "yes", "yes"], [("Mom", 50_000), ("Dad", 50_000)]),
    ("ja", ["母と父に送金して", "5万ウォンずつ", "はい", "はい"], [("お母さん", 50_000), ("お父さん", 50_000)]),
    # and for those that are left: what is shown stays as it is
    ("en", ["send money to Mom, Dad and Jiyoung", "10,000", "20,000 each for the others", "yes", "yes", "yes"],
     [("Mom", 10_000), ("Dad", 20_000), ("Jiyoung", 20_000)]),
    ("ko", ["엄마 아빠 지영이한테 돈 보내줘", "엄마는 1만원", "나머지는 2만원씩", "응", "응", "응"],
     [("엄마", 10_000), ("아빠", 20_000), ("지영", 20_000)]),
    ("ko", ["엄마 3만원 아빠 2만원 누나 2만원 보내줘", "나머지는 5만원으로 바꿔줘", "응", "응", "응"],
     [("엄마", 30_000), ("아빠", 50_000), ("누나", 50_000)]),
    # two of one name, told apart by their banks
    ("ko", ["한빛은행 민수와 푸른은행 민수 모두에게 3만원씩 보내줘", "응", "응"],
     [("민수 (한빛은행)", 30_000), ("민수 (푸른은행)", 30_000)]),
    ("ko", ["한빛 민수랑 푸른 민수한테 2만원씩", "둘 다 보내"], [("민수 (한빛은행)", 20_000), ("민수 (푸른은행)", 20_000)]),
    ("ko", ["민수(푸른) 3만원, 민수(한빛) 2만원 송금", "응", "응"], [("민수 (푸른은행)", 30_000), ("민수 (한빛은행)", 20_000)]),
    ("ko", ["한빛은행 민수랑 지영이한테 2만원씩", "응", "응"], [("민수 (한빛은행)", 20_000), ("지영", 20_000)]),
    ("en", ["Hanbit Minsu and Pureun Minsu, 10,000 each please", "yes", "yes"],
     [("Minsu (Hanbit Bank)", 10_000), ("Minsu (Pureun Bank)", 10_000)]),
    ("ja", ["ハンビット銀行のミンスとプルン銀行のミンスに1万ウォンずつ送って", "はい", "はい"],
     [("ミンス (ハンビット銀行)", 10_000), ("ミンス (プルン銀行)", 10_000)]),
    # a list of people shares one amount: each gets it, unless it is said to be that of all of them
    ("ko", ["누나, 지영, 용걸한테 2만원 부쳐줘", "응", "응", "응"], [("누나", 20_000), ("지영", 20_000), ("용걸이", 20_000)]),
    ("ko", ["지영 누나한테 4만원 송금"], []),
    ("ko", ["아빠랑 지영이한테 6만원 송금해줘", "합해서 6만원이야", "응", "응"], [("아빠", 30_000), ("지영", 30_000)]),
    ("en", ["Wire 12,000 to Jiyoung and Sister", "12,000 in total", "yes", "yes"], [("Jiyoung", 6_000), ("Sister", 6_000)]),
    ("ja", ["お姉さんとジヨンに4万ウォン振り込んで", "合わせて4万ウォン", "はい", "はい"],
     [("お姉さん", 20_000), ("ジヨン", 20_000)]),
    ("en", ["Pay Dad 40,000 and the same to Jiyoung", "yes", "yes"], [("Dad", 40_000), ("Jiyoung", 40_000)]),
    ("ko", ["아빠한테 8만원 보내고 지영이는 그 절반만", "응", "응"], [("아빠", 80_000), ("지영", 40_000)]),
    # too: as much as the one that is shown
    ("ko", ["누나한테 7만원 송금", "지영이한테도", "응", "응"], [("누나", 70_000), ("지영", 70_000)]),
    # so often, and so much more to whom it just went
    ("ko", ["누나한테 2만원씩 두 번 보내줘", "응", "응"], [("누나", 20_000), ("누나", 20_000)]),
    ("ko", ["아빠한테 9만원을 세 번에 나눠서 보내줘", "응", "응", "응"], [("아빠", 30_000)] * 3),
    ("en", ["pay Dad 5,000 three times", "yes", "yes", "yes"], [("Dad", 5_000)] * 3),
    ("ko", ["누나한테 2만원 보내줘", "응", "5천원 더 보내줘", "응"], [("누나", 20_000), ("누나", 5_000)]),
    ("en", ["send Jiyoung 20,000", "yes", "send her another 5,000", "yes"], [("Jiyoung", 20_000), ("Jiyoung", 5_000)]),
    ("ja", ["ジヨンに2万ウォン送って", "はい", "もう5千ウォン送って", "はい"], [("ジヨン", 20_000), ("ジヨン", 5_000)]),
    # by how much, and on which day, said by what is shown
    ("ko", ["누나한테 60만원 보내줘", "2만원 빼줘", "응"], [("누나", 580_000)]),
    ("ko", ["누나한테 60만원 보내줘", "부담되네 반으로 낮춰", "응"], [("누나", 300_000)]),
    # what was given up, and is to be sent after all with another amount
    ("ko", ["아빠한테 2만원 송금", "아니 취소", "다시 5만원 보내줘", "응"], [("아빠", 50_000)]),
    ("en", ["pay Jiyoung 15,000", "no", "send 9,000 instead", "yes"], [("Jiyoung", 9_000)]),
    ("en", ["pay my sister 7,000 and Jiyoung the same", "yes", "yes"], [("Sister", 7_000), ("Jiyoung", 7_000)]),
    ("ja", ["お父さんに2万ウォン、お姉さんも同じで", "はい", "はい"], [("お父さん", 20_000), ("お姉さん", 20_000)]),
    # another amount, behind whatever takes the one before back
    ("en", ["send Dad 40,000", "actually he wants 44,000", "yes"], [("Dad", 44_000)]),
    ("ko", ["누나한테 4만원 보내줘", "아 잠깐 4만4천원이래", "응"], [("누나", 44_000)]),
    ("ko", ["누나한테 4만원 보내줘", "아니 아까 9만원 보낸 거 말고", "취소"], []),
    # what somebody has sent is told, and no order
    ("en", ["Sister says she paid me 12,000 won", "right"], []),
    ("en", ["Sister sent me 12,000 by mistake, please return it to her", "yes"], [("Sister", 12_000)]),
    ("ko", ["누나가 5만원 보냈더라", "응"], []),
    ("ja", ["お姉さんが5万ウォン送ってくれたよ", "はい"], []),
    # who thanks with a yes has said yes
    ("ko", ["누나한테 3만원 송금해 주세요", "네 감사드려요"], [("누나", 30_000)]),
    ("en", ["transfer 4,000 to Dad", "yes, thanks a lot"], [("Dad", 4_000)]),
    ("en", ["transfer 4,000 to Dad", "yes, thank you dear"], [("Dad", 4_000)]),
    ("en", ["transfer 4,000 to Dad", "thank you dear"], []),
    ("ja", ["お姉さんに3万ウォン送って", "はい、どうもありがとう"], [("お姉さん", 30_000)]),
    # whoever is put first is sent to first
    ("ko", ["아빠 2만원 지영 3만원 누나 4만원 송금", "누나부터 보내줘", "응", "응", "응"],
     [("누나", 40_000), ("아빠", 20_000), ("지영", 30_000)]),
    ("en", ["pay Dad 2,000 and Jiyoung 3,000", "Jiyoung first please", "yes", "yes"], [("Jiyoung", 3_000), ("Dad", 2_000)]),
    ("ja", ["父に2万、ジヨンに3万ウォン送って", "ジヨンを先に", "はい", "はい"], [("ジヨン", 30_000), ("お父さん", 20_000)]),
    # not that bank
    ("ko", ["민수한테 만원 보내줘", "한빛은행 말고 다른 민수", "응"], [("민수 (푸른은행)", 10_000)]),
    # what repeats is not offered, wherever it says so
    ("ko", ["집주인한테 관리비 7만원 매월 5일에 이체해줘", "응"], []),
    ("ja", ["姉に2万ウォンを毎週送って", "はい"], []),
    # a bank behind the name
    ("ko", ["민수 한빛은행으로 3만원 부쳐줘", "응"], [("민수 (한빛은행)", 30_000)]),
    # what is said of whom a question "instead or as well?" is about leaves what is shown as it is
    ("ko", ["지영이한테 4만원 송금해줘", "누나한테도 돈 좀 보내줘야 하는데", "응"], [("지영", 40_000)]),
    ("ko", ["지영이한테 4만원 송금해줘", "누나한테 보내줘", "누나 말고 아빠", "응", "응"], [("지영", 40_000)]),
    ("ko", ["지영이한테 4만원 송금해줘", "누나한테 보내줘", "누나 말고 아빠", "추가로", "응", "1만원", "응"],
     [("지영", 40_000), ("아빠", 10_000)]),
    ("ko", ["지영이한테 4만원 송금해줘", "누나한테 송금", "2만원", "응", "응"], [("지영", 40_000), ("누나", 20_000)]),
    ("en", ["pay Dad 12,000", "send to Sister", "not Sister, Jiyoung", "instead", "yes"], [("Jiyoung", 12_000)]),
    ("en", ["pay Dad 12,000", "send to Sister", "9,000", "yes", "yes"], [("Dad", 12_000), ("Sister", 9_000)]),
    ("ja", ["お父さんに2万ウォン送金", "お姉さんに送って", "1万ウォン", "はい", "はい"],
     [("お父さん", 20_000), ("お姉さん", 10_000)]),
    # another currency: what is said instead is no won, and no name
    ("en", ["pay Dad 30 euros", "I meant 25", "carry on", "40,000", "yes"], [("Dad", 40_000)]),
    ("ja", ["お父さんに3000円送って", "いえ、3000円じゃなくて2000円", "2万ウォン", "はい"], [("お父さん", 20_000)]),
    # whoever is short of money gets it; who is named in the memo does not
    ("ko", ["엄마가 모자라대ㅋㅋ 2만5천원 보내줘", "응"], [("엄마", 25_000)]),
    ("en", ["Dad is short this month, send 30,000", "yes"], [("Dad", 30_000)]),
    ("ko", ["3만원 보내줘 메모는 엄마 생일", "응", "누나", "응"], [("누나", 30_000)]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "turns", "paid"), CASES)
async def test_each_gets_what_was_said_for_him(language, turns, paid):
    talk = Talk(NOW, language)
    for turn in turns:
        await talk.says(turn)
    names = {one.payee_id: label(one, BOOK, language) for one in BOOK}
    assert [(names[one.payee_id], one.amount) for one in talk.paid] == paid


@pytest.mark.parametrize(
    ("language", "order", "memo"),
    [
        ("ko", "누나 2만원 지영 3만원 메모는 축하해 둘 다", "축하해"),
        ("en", "20k for Dad and 30k for Jiyoung, note thanks for both", "thanks"),
    ],
)
async def test_a_memo_for_both_is_that_of_both(language, order, memo):
    talk = Talk(NOW, language)
    await talk.says(order)
    for _ in range(2):
        await talk.says("yes" if language == "en" else "응")
    assert [one.memo for one in talk.paid] == [memo, memo]


@pytest.mark.parametrize(
    ("language", "order", "no"),
    [
        ("ko", "누나한테 3만원 송금해줘", "이젠 안 보내도 될 거 같네"),
        ("ko", "누나한테 3만원 송금해줘", "송금 안 해도 돼요"),
        ("ko", "누나한테 3만원 송금해줘", "누나한테 보내지 않을래"),
        ("en", "pay Dad 12,000", "I don't want to pay it any more"),
        ("en", "pay Dad 12,000", "you don't need to send that after all"),
        ("en", "pay Dad 12,000", "there's no need to pay Dad"),
        ("ja", "お父さんに2万ウォン送金", "もう送金しなくていいよ"),
        ("ja", "お父さんに2万ウォン送金", "送る必要はないです"),
    ],
)
async def test_who_says_that_it_need_not_be_sent_has_taken_it_back(language, order, no):
    talk = Talk(NOW, language)
    await talk.says(order)
    await talk.says(no)
    assert talk.state is not None
    assert talk.state.stage is FlowStage.CANCELLED


@pytest.mark.parametrize(
    ("language", "order", "said"),
    [
        ("ko", "누나한테 3만원 송금해줘", "아빠한테는 보내지 마"),
        ("ko", "누나한테 3만원 송금해줘", "아직 보내지 마"),
        ("ko", "누나한테 3만원 송금해줘", "걱정하지 마"),
        ("en", "pay Dad 12,000", "you need not pay Sister"),
        ("en", "pay Dad 12,000", "don't worry about it"),
        ("ja", "お父さんに2万ウォン送金", "お姉さんには送らなくていい"),
        ("ja", "お父さんに2万ウォン送金", "急がなくていいです"),
    ],
)
async def test_what_is_said_of_others_or_of_something_else_takes_nothing_back(language, order, said):
    talk = Talk(NOW, language)
    await talk.says(order)
    await talk.says(said)
    assert talk.state is not None
    assert talk.state.is_open


@pytest.mark.parametrize(
    ("language", "orders", "no", "this", "all_"),
    [
        ("ko", ["누나한테 3만원 송금해줘", "아빠한테도 2만원"], "됐어 안 보낼래", "이 건 취소", "전부 취소"),
        ("en", ["pay Dad 12,000", "Sister 9,000 too"], "I don't want to pay it", "cancel this one", "cancel all"),
        (
            "ja",
            ["お父さんに2万ウォン送金", "お姉さんにも1万ウォン"],
            "送らなくていいです",
            "この件はキャンセル",
            "全部キャンセル",
        ),
    ],
)
async def test_of_several_the_person_is_asked_which_in_words_that_answer(language, orders, no, this, all_):
    for answer, open_ in ((this, True), (all_, False)):
        talk = Talk(NOW, language)
        for order in orders:
            await talk.says(order)
        asked = await talk.says(no)
        assert this in asked
        assert all_ in asked
        assert talk.state is not None
        assert len(talk.state.queue) == 1
        await talk.says(answer)
        assert talk.state.is_open is open_
        assert not talk.state.queue


@pytest.mark.parametrize(
    ("language", "orders", "change", "which"),
    [
        ("ko", ["엄마한테 3만원 보내줘", "집주인한테 25일에 85만원 보내줘"], "월세 예약 90만원으로 바꿔줘", 1),
        ("en", ["send Mom 30,000 won", "send Landlord 850,000 won on the 25th"], "make the scheduled one 900,000", 1),
        ("ja", ["お母さんに3万ウォン送って", "大家さんに25日に85万ウォン送って"], "予約の分は90万ウォンに変えて", 1),
        # of two that have a day nobody knows which is meant, and what has none is no booking
        (
            "ko",
            ["엄마한테 3만원 보내줘", "집주인한테 25일에 85만원, 아빠한테 26일에 2만원"],
            "금액 90만원으로 바꿔줘",
            0,
        ),
    ],
)
async def test_a_booking_is_the_one_that_has_a_day(language, orders, change, which):
    talk = Talk(NOW, language)
    for order in [*orders, change]:
        await talk.says(order)
    assert talk.state is not None
    amounts = [task["amount"] for task in (talk.state.slots, *talk.state.queue)]
    assert amounts[which] == 900_000 and amounts.count(900_000) == 1
