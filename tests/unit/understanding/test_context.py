"""With a file in the session: a question that nothing else surely owns is about it, and so is a sentence that names it."""

import pytest

from contracts.cognitive import CognitiveInput, Task
from contracts.context import Context, FileSeen, Requested
from understanding.offline.context import is_named

PAPER = FileSeen(name="청약_안내.pdf", type="file.document", now=False)
TABLE = FileSeen(name="visits.csv", type="file.table")


@pytest.fixture
def tasks(everything, now):
    """What is wanted of a sentence, with these files."""

    def of(text: str, *files: FileSeen, answers: tuple[str, ...] = ()) -> tuple[Task, ...]:
        given = CognitiveInput(text=text, context=Context(files=files), answers=answers)
        found = everything.understand(given, now)
        return () if found.ambiguities else found.tasks

    return of


QUESTIONS = [
    "당첨자 발표는 언제 나와?", "계약금은 몇 퍼센트야?", "서류는 어디에 내면 되나요?", "중도금은 몇 번에 나눠서 내?",
    "When do the winners get told?", "How large is the down payment?", "Who signs the lease on behalf of the owner?",
    "当選の発表はいつですか", "頭金は何パーセントですか", "書類はどこに出せばいいですか",
]  # fmt: skip
ASKS_FOR_IT = (QUESTIONS[2], QUESTIONS[6])
"""Understood as questions about a document even where there is none: it is asked for."""


@pytest.mark.parametrize("text", QUESTIONS)
def test_an_open_question_is_about_the_document_that_is_there(tasks, text):
    (task,) = tasks(text, PAPER)
    assert task.intent == "DOCUMENTS.read"
    assert task.slots["question"] == text


@pytest.mark.parametrize("files", [(), (TABLE,), (PAPER,)], ids=["no file", "a table", "a document"])
@pytest.mark.parametrize(
    "text",
    [
        "제가 제일 먼저 여쭤본 게 뭐예요?", "방금 뭐라고 하셨죠?", "지금까지 한 얘기 정리 좀", "what did I just ask", "what did you say?",
        "show me all my messages so far", "さっきの返事をもう一度", "最初の質問は何だったっけ",
    ],
)  # fmt: skip
def test_what_was_said_here_is_asked_of_the_conversation_whatever_else_is_there(tasks, text, files):
    (task,) = tasks(text, *files)
    assert task.intent == "DOCUMENTS.conversation"


@pytest.mark.parametrize("text", ["다시", "again", "もう一回"])
def test_a_bare_again_may_mean_anything_and_is_asked_about(tasks, text):
    assert not any(one.intent == "DOCUMENTS.conversation" for one in tasks(text))


def test_without_a_document_nothing_changes_and_a_table_is_asked_about_itself(tasks):
    for text in QUESTIONS:
        without = tasks(text)
        assert [one.intent for one in tasks(text, TABLE)] in ([one.intent for one in without], ["ANALYSIS.ask"])
        assert all(one.intent != "DOCUMENTS.read" for one in without) or text in ASKS_FOR_IT


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("엄마한테 4만원 보내줘", "TRANSFER"), ("내일 일정 알려줘", "ASSISTANT.calendar"), ("오늘 부산 날씨 어때?", "DEVICES.weather"),
        ("내 계좌에 얼마 남았어?", "TRANSFER.balance"), ("send 25,000 won to dad", "TRANSFER"),
        ("What's the weather like in Seoul today?", "DEVICES.weather"), ("明日の予定を教えて", "ASSISTANT.calendar"),
        ("お母さんに2万ウォン送って", "TRANSFER"),
    ],
)  # fmt: skip
def test_what_another_pack_owns_stays_its_own(tasks, text, intent):
    assert [one.intent for one in tasks(text, PAPER)] == [intent]


@pytest.mark.parametrize(
    "text",
    [
        "청약_안내.pdf는 신청 자격이 뭐래?",
        "청약 안내에서 계약금 알려줘",
        "청약_안내.pdf",
        "open 청약_안내.pdf and tell me the deadline",
    ],
)
def test_a_file_that_is_named_is_meant(tasks, text):
    assert [one.intent for one in tasks(text, PAPER)] == ["DOCUMENTS.read"]


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("plan_2031.docx", "what does plan_2031.docx say", True),
        ("plan_2031.docx", "what does Plan 2031 say", True),
        ("정관-개정.hwpx", "정관 개정에는 뭐라고 돼 있어?", True),
        ("規約.md", "規約では何人必要？", True),
        ("a.txt", "what a day", False),
        ("12.pdf", "at 12 we eat", False),
    ],
)
def test_a_name_counts_with_whatever_stands_around_it(name: str, text: str, named: bool):  # a table of cases
    assert is_named(name, text) is named


def test_what_was_chosen_stays_chosen(tasks):
    found = tasks("계약금은 몇 퍼센트야?", PAPER, answers=("ASSISTANT.memory",))
    assert [one.intent for one in found] == ["ASSISTANT.memory"]


@pytest.mark.parametrize(
    "text",
    [
        "탈락하면 예치금 언제 돌려준대", "서류 빠뜨리면 어떻게 되는거", "잔금 며칠까지지 그럼",
        "so who draws the lots", "wheres the model flat then", "and how big is the balcony", "give me that in two lines",
        "抽選って誰がやるの", "手付金はどのくらい", "で、入居いつからだっけ", "さらっとまとめてほしい",
    ],
)  # fmt: skip
def test_a_question_needs_no_mark_and_no_file_of_this_message(tasks, text):
    assert [one.intent for one in tasks(text, PAPER)] == ["DOCUMENTS.read"]


@pytest.mark.parametrize("text", ["늦게 내면?", "그럼 셋째 칸은", "and the third?", "一人なら？"])
def test_a_few_words_go_on_about_the_file_that_was_asked_about(everything, now, text):
    context = Context(files=(PAPER,), last=Requested(intent="DOCUMENTS.read", slots={"question": "계약금은?"}))
    found = everything.understand(CognitiveInput(text=text, context=context), now)
    assert [one.intent for one in found.tasks] == ["DOCUMENTS.read"]


@pytest.mark.parametrize(
    ("text", "intent"),
    [("고마워요 살았네", None), ("민수한테 2만원 이체해줘", "TRANSFER"), ("play Jingle Bells please", "DEVICES.song")],
)
def test_not_everything_that_follows_is_about_it(everything, now, text, intent):
    context = Context(files=(PAPER,), last=Requested(intent="DOCUMENTS.read", slots={"question": "계약금은?"}))
    found = everything.understand(CognitiveInput(text=text, context=context), now)
    assert all(one.intent != "DOCUMENTS.read" for one in found.tasks)
    assert intent is None or [one.intent for one in found.tasks] == [intent]


CAME_WITH_IT = FileSeen(name="청약_안내.pdf", type="file.document", now=True)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("세종대왕은 언제 태어났어?", "DOCUMENTS.read"), ("How far is the moon from the earth?", "DOCUMENTS.read"),
        ("光の速さはどれくらい?", "DOCUMENTS.read"), ("What was the mean age of the guests you asked?", "DOCUMENTS.read"),
        ("일본의 첫 총리는 누구였어?", "DOCUMENTS.read"), ("What did Queen Victoria die of?", "DOCUMENTS.read"),
        ("피자 하나 시켜줘", "INQUIRY.unsupported"), ("send 25,000 won to dad", "TRANSFER"),
        ("お母さんに2万ウォン送って", "TRANSFER"),
    ],
)  # fmt: skip
def test_what_is_asked_with_a_file_is_looked_up_there_and_what_is_to_be_done_is_not(tasks, text, intent):
    assert [one.intent for one in tasks(text, CAME_WITH_IT)] == [intent]


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("치과 예약 넣어줘", "잔금은 언제까지 내야 돼?"),
        ("계약 끝나는 날 캘린더에 넣어줘", "서류는 어디에 내면 되나요?"),
        ("put the viewing in my calendar", "How large is the down payment?"),
    ],
)
def test_a_question_about_a_file_is_no_day_that_was_asked_for(tasks, first, text):
    (task,) = tasks(first, PAPER, answers=(text,))
    assert task.intent == "DOCUMENTS.read"
    assert task.slots["question"] == text


@pytest.mark.parametrize("text", ["12월 3일", "다음 주 화요일이야", "3일 오후 2시"])
def test_a_day_is_one_although_a_file_is_there(tasks, text):
    (task,) = tasks("치과 예약 넣어줘", PAPER, answers=(text,))
    assert task.intent == "ASSISTANT.calendar"
    assert task.slots["date"]


@pytest.mark.parametrize(
    "text",
    [
        "what were the sales in the second quarter?", "지난달 매출 얼마였어?", "第2四半期の売上はいくら？",
        "In 청약_안내.pdf, how much did they sell in May?", "청약_안내.pdf에 따르면, 상반기 매출은 얼마야?",
        "according to 청약_안내, what was the revenue in the second quarter?",
    ],
)  # fmt: skip
def test_a_document_that_is_there_is_asked_before_a_table_that_is_not(everything, now, text):
    context = Context(files=(PAPER,), last=Requested(intent="DOCUMENTS.read", slots={"question": "계약금은?"}))
    found = everything.understand(CognitiveInput(text=text, context=context), now)
    assert [one.intent for one in found.tasks] == ["DOCUMENTS.read"]


def test_a_summary_and_a_figure_are_two_questions_about_the_document(tasks):
    found = tasks("summarize 청약_안내.pdf, and what was the revenue in the second quarter?", PAPER)
    assert [one.intent for one in found] == ["DOCUMENTS.read", "DOCUMENTS.read"]
    assert "revenue" in found[1].slots["question"] and "question" not in found[0].slots


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("When does the contract end?", "DOCUMENTS.read"),
        ("Who signed the agreement?", "DOCUMENTS.read"),
        ("What does the contract say about keys?", "DOCUMENTS.read"),
        ("契約はいつ終わりますか", "DOCUMENTS.read"),
        ("회의에서 결정된 게 뭐야?", "DOCUMENTS.read"),
        ("부서별 합계 알려줘", "ANALYSIS.ask"),
        ("How many rows are pending?", "ANALYSIS.ask"),
        ("部門別の合計は？", "ANALYSIS.ask"),
    ],
)
def test_of_a_document_and_a_table_each_has_the_questions_that_are_likelier_about_it(tasks, text: str, intent: str):
    assert [one.intent for one in tasks(text, PAPER, TABLE)] == [intent]
    both = (
        FileSeen(name="약관.pdf", type="file.document", now=True),
        FileSeen(name="a.xlsx", type="file.table", now=True),
    )
    assert [one.intent for one in tasks(text, *both)] == [intent]
