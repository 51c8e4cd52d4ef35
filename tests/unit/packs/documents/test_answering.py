"""Which passage answers, and whether one does: near misses are refused, by what is asked for and by words without a partner."""

from collections.abc import Sequence

import pytest

from packs.documents.answering import Answer, answered, listing
from packs.documents.asking import read_question
from packs.documents.formats.pages import Page
from packs.documents.passages import passages
from understanding.offline.encoder import best_encoder

HALL = """Community hall, notice to users
The hall opens at 8:30 a.m. and closes at 11 p.m. on every day but Sunday.
A booking costs 45 euros for half a day.
The caretaker is Bram Wouters.
Chairs and tables must be put back after use.
The stage lights were replaced in March for 6,200 euros."""
CLINIC = """한결 동물병원 안내
진료는 평일 오전 10시부터 저녁 8시까지 합니다.
예방접종은 한 번에 3만 5천원입니다.
수술은 전날 예약하셔야 하고, 수술 전 12시간은 굶겨 주세요.
원장은 문소린입니다."""
POOL = """市民プールのご案内
利用時間は午前9時から午後8時半までです。
大人の料金は600円、子どもは250円です。
水泳帽を忘れた方には無料で貸し出します。
更衣室の鍵をなくした場合は1,500円いただきます。"""

LETTING = """Letting agreement
The landlord lets the flat at 12 Maple Street, for residential use only.
The agreement runs for twenty-four months, from 1 April 2026 to 31 March 2028.
Either party may end this agreement with 60 days' written notice.
The parties keep its contents confidential for three years after it ends.
Rent is 850 euros a month; late payment bears interest at 12 % a year."""
SHOP = """상가 임대차 계약서
제2조 (임대차 기간) 임대차 기간은 2026년 4월 1일부터 2028년 3월 31일까지 24개월로 한다.
제5조 (해지) 당사자는 60일 전에 서면으로 통지하여 계약을 해지할 수 있다.
제6조 (비밀유지) 당사자는 계약 종료 후 3년간 비밀을 유지한다."""


def ask(text: str, question: str, *, vectors: bool = True) -> Answer:
    there = [("a.txt", one) for one in passages([Page(None, text)])]

    def meanings(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        found: list[list[float]] = best_encoder().encode(texts).tolist() if vectors else []
        return found

    return answered(there, question, meanings)


@pytest.mark.parametrize("vectors", [True, False], ids=["with vectors", "by letters"])
@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (HALL, "What does a booking cost?", "45 euros"),
        (HALL, "At what time does the hall close?", "11 p.m."),
        (HALL, "Who is the caretaker?", "Bram Wouters"),
        (CLINIC, "예방접종은 얼마예요?", "3만 5천원"),
        (CLINIC, "수술 전에 몇 시간 굶겨야 해?", "12시간"),
        (POOL, "大人の料金はいくらですか？", "600円"),
        (POOL, "更衣室の鍵をなくしたらどうなりますか？", "1,500円"),
    ],
)
def test_the_passage_that_answers_is_the_first(text: str, question: str, said: str, *, vectors: bool):
    found = ask(text, question, vectors=vectors)
    assert said in found.best[0].passage.text
    assert found.holds or found.near in ("probably", "likely")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (HALL, "What is the caretaker's phone number?"),
        (HALL, "How many people fit into the hall?"),
        (HALL, "Is there a piano?"),
        (CLINIC, "미용은 얼마예요?"),
        (CLINIC, "원장님 전화번호가 뭐야?"),
        (CLINIC, "고양이 호텔은 몇 마리까지 받아?"),
        (POOL, "駐車料金は何円ですか？"),
        (POOL, "水泳教室の先生は誰ですか？"),
    ],
)
def test_a_near_miss_is_not_answered(text: str, question: str):
    assert not ask(text, question).holds


def test_the_words_without_a_partner_are_named():
    assert ask(HALL, "Is there a piano?").missing == ("piano",)


def test_other_words_for_a_thing_find_it_where_there_are_vectors():
    assert "45 euros" in ask(HALL, "What is the rent of the place for a morning?").best[0].passage.text


@pytest.mark.parametrize(
    ("question", "kinds", "counter"),
    [
        ("몇 시에 열어?", ["clock"], ""),
        ("몇 시간 걸려?", ["duration"], ""),
        ("책은 몇 권 있어?", [], "권"),
        ("本は何冊ありますか", [], "冊"),
        ("How much did the boiler cost?", ["money"], ""),
        ("내선 번호 알려줘", ["phone"], ""),
    ],
)
def test_what_is_asked_for_is_read(question: str, kinds: list[str], counter: str):
    found = read_question(question)
    assert [kind.name for kind in found.kinds] == kinds
    assert found.counter == counter


TRIP = """School trip to the salt mine
Bring along
- a warm jacket
- sturdy shoes
- a packed lunch
- 4 pounds for the lift
Getting there
The coach leaves at 7:50 from the north gate.
Section 9 Costs
Parents pay 31 pounds by bank transfer."""


@pytest.mark.parametrize("question", ["what do the kids have to bring along", "list the things to bring along please"])
def test_a_list_is_told_whole_where_its_name_is_asked_for(question: str):
    told = ask(TRIP, question).best[0].passage.quote
    assert all(point in told for point in ("warm jacket", "sturdy shoes", "packed lunch", "4 pounds"))


def test_a_point_of_a_list_is_told_alone_where_a_sum_is_asked_for():
    assert "jacket" not in ask(TRIP, "how much money should they bring along for the lift?").best[0].passage.quote


def test_the_number_of_a_part_is_no_answer():
    assert "31 pounds" in ask(TRIP, "what are the costs?").best[0].passage.text


def test_of_a_long_document_the_one_sentence_is_found_by_other_words():
    many = "\n".join(f"Item {at} of the inventory is kept on shelf {at % 37} of room {at % 11}." for at in range(900))
    found = ask(f"{many}\nThe elevator may carry eight persons at a time.\n{many}", "how many people fit in the lift?")
    assert "elevator" in found.best[0].passage.text


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("입장료는 얼마였나요?", ("입장료",)),
        ("접수 담당자가 누구인가요?", ("접수",)),
        ("회의실은 어디예요?", ("회의실",)),
    ],
)
def test_what_is_left_of_a_word_that_asks_says_nothing(question: str, words: tuple[str, ...]):
    assert read_question(question).words == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("월세 얼마야?", ("월세",)),
        ("회비는 얼마예요?", ("회비",)),
        ("How much is the rent?", ("rent",)),
        ("What is the deposit?", ("deposit",)),
        ("予算はいくら？", ("予算",)),
        ("가격이 얼마야?", ()),
        ("What's the price?", ()),
        ("値段は？", ()),
    ],
)
def test_which_sum_is_asked_for_is_what_a_question_is_about(question: str, words: tuple[str, ...]):
    assert read_question(question).words == words


@pytest.mark.parametrize(
    ("text", "question", "missing"),
    [
        ("관리비는 월 35만원이다.\n주차는 한 대마다 월 11만원이다.", "보증금은 얼마야?", "보증금"),
        ("Parking costs 110 euros a month.\nHeating costs 90 euros a month.", "How much is the deposit?", "deposit"),
        ("駐車場は月1万円です。\n暖房は月9千円です。", "手当はいくらですか？", "手当"),
    ],
)
def test_a_sum_of_something_else_is_no_answer_and_what_is_missing_is_named(text: str, question: str, missing: str):
    found = ask(text, question)
    assert not found.holds
    assert missing in found.missing


def test_what_is_asked_in_words_of_no_matter_is_about_what_was_said_before():
    assert "点滅" in "".join(read_question("F7 が点滅しています。どうすればいいの?").words)


def test_what_stands_beside_the_sentence_that_asks_says_what_it_is_about_and_not_what_is_asked():
    question = read_question("The red triangle came on. How long do I leave it alone?")
    assert {"red", "triangle"} <= {*question.words}
    assert [kind.name for kind in read_question("I pay a lot. Where are the tickets sold?").kinds] == ["place"]


def test_steps_of_a_recipe_are_not_told_as_one_list():
    step = "Stir the pot slowly with the long wooden spoon until nothing sticks to it any more, and wait a while."
    page = "Damson jam\n\n" + "".join(f"{at}. {step[:-1]} for round {at}.\n" for at in range(1, 7))
    there = [("a.md", one) for one in passages([Page(None, page)])]
    assert listing(read_question("How does damson jam go?"), there) is None


PARTIES = """# Lease

## 1. Parties
This lease is made between Northgate Instruments GmbH ("Lessor"), 8 Hafenstrasse, Hamburg, and Willow Lane Bakery Ltd
("Lessee"), 41 Willow Lane, Exeter.

## 2. Machines
The Lessor provides two ovens. The Lessor replaces parts within 5 days; the Lessee keeps the ovens clean.

## 3. End
The Lessee may end this lease early without giving a reason, with 120 days of notice.
"""
CLEANING = """# 청소 용역 계약서

제1조 새봄청소 주식회사(서울 마포구 월드컵로 12, 이하 "수급인"이라 한다)와 한빛치과의원(이하 "발주자"라 한다)은 계약한다.
제2조 수급인은 매주 두 번 발주자의 사업장을 청소한다. 수급인은 열쇠를 보관한다.
"""
CLEANED = """# 業務委託契約書

第1条 株式会社あおば（東京都港区芝1-2、以下「受託者」という。）と山田商店（以下「委託者」という。）は次のとおり契約する。
第2条 受託者は毎週2回、委託者の店舗を清掃する。受託者は鍵を保管する。
"""


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (PARTIES, "Who is the lessor?", "Northgate"),
        (PARTIES, "Who's the lessee and where are they based?", "Willow Lane Bakery"),
        (CLEANING, "수급인이 누구야?", "새봄청소"),
        (CLEANING, "발주자는 어디에 있는 회사야?", "한빛치과"),
        (CLEANED, "受託者は誰ですか", "あおば"),
    ],
)
def test_who_somebody_is_is_told_by_the_passage_that_gives_the_name(text: str, question: str, said: str):
    found = ask(text, question)
    assert said in found.best[0].passage.text
    assert found.holds


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [(PARTIES, "Who replaces the parts of the lessor?", "within 5 days"), (CLEANING, "열쇠는 누가 보관해?", "열쇠를")],
)
def test_what_somebody_with_a_name_does_is_told_by_what_says_so(text: str, question: str, said: str):
    assert said in ask(text, question).best[0].passage.text


def test_who_asks_for_something_without_a_reason_asks_for_no_reason():
    found = ask(PARTIES, "Can we get out early without a reason?")
    assert "120 days" in found.best[0].passage.text
    assert "reason" not in [kind.name for kind in read_question("이유 없이 해지할 수 있어?").kinds]
    assert "reason" not in [kind.name for kind in read_question("理由なく解約できますか").kinds]
    assert "reason" in [kind.name for kind in read_question("What was the reason for the delay?").kinds]


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (LETTING, "When does it end?", "31 March 2028"),
        (LETTING, "when does the agreement expire", "31 March 2028"),
        (SHOP, "언제 끝나?", "2028년 3월 31일"),
        (SHOP, "계약 만료일이 언제야", "2028년 3월 31일"),
        (SHOP, "비밀유지는 언제까지야?", "3년간"),
    ],
)
def test_the_end_of_what_lasts_is_asked_of_its_term(text: str, question: str, said: str):
    assert [kind.name for kind in read_question(question).kinds] == ["end"]
    assert said in ask(text, question).best[0].passage.text
