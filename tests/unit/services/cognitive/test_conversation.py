"""Source design 002 section 6: the last turns as they were said, a summary of those before."""

from uuid import UUID, uuid4

from backbone.model.recent import LOOK, conversation_of
from backbone.model.turns import LONGEST
from contracts.cognitive import SessionSummarized, Turn
from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.gateway import MessageReceived, SessionOpened
from contracts.response import RunCancelled
from contracts.shape import Event
from tests.unit.services.cognitive.talks import answered, conversation
from tests.unit.services.given import NOW, Working


def question(text: str, kind: DecisionKind) -> DecisionRequested:
    return DecisionRequested(
        decision_id=UUID(int=1), kind=kind, question=text, language="ko", answer_schema={}, deadline=NOW
    )


def answer(kind: DecisionKind, **said: str) -> DecisionAnswered:
    return DecisionAnswered(decision_id=UUID(int=1), kind=kind, answer=dict(said), answered_by="mina")


def summarized(up_to: int, turns: int, text: str = "엄마에게 10,000원") -> SessionSummarized:
    return SessionSummarized(summary=text, up_to=up_to, turns=turns, language="ko")


async def spoken(working: Working, *events: Event) -> UUID:
    run = uuid4()
    for event in events:
        await working.record(event, run)
    return run


async def test_a_new_session_has_no_conversation():
    working = await conversation(0)
    assert (await working.read_back()).history == ()


async def test_both_sides_of_each_turn_are_quoted_in_order():
    working = await conversation(2)
    read = await working.read_back()
    assert read.history == (
        Turn(role="user", text="질문 1"), Turn(role="assistant", text="답 1"),
        Turn(role="user", text="질문 2"), Turn(role="assistant", text="답 2"),
    )  # fmt: skip
    assert read.summary == ""


async def test_without_a_summary_the_last_eight_turns_are_quoted():
    working = await conversation(8)
    assert (await working.read_back()).history[0].text == "질문 1"
    await answered(working, 9)
    read = await working.read_back()
    assert [turn.text for turn in read.history if turn.role == "user"] == [f"질문 {n}" for n in range(2, 10)]


async def test_what_a_summary_covers_is_quoted_for_the_last_four_turns_only():
    working = await conversation(9)
    await working.record(summarized(await working.head(), 9))
    read = await working.read_back()
    assert read.summary == "엄마에게 10,000원"
    assert [turn.text for turn in read.history if turn.role == "user"] == [f"질문 {n}" for n in range(6, 10)]


async def test_turns_that_no_summary_covers_yet_are_not_lost_between_it_and_the_last_four():
    working = await conversation(9)
    await working.record(summarized(await working.head(), 9))
    for number in range(10, 16):  # the next summary is late
        await answered(working, number)
    read = await working.read_back()
    assert [turn.text for turn in read.history if turn.role == "user"] == [f"질문 {n}" for n in range(10, 16)]


async def test_of_two_summaries_made_at_once_the_one_that_covers_more_counts():
    working = await conversation(10)
    head = await working.head()
    await working.record(summarized(head, 10, "더 많이"))
    await working.record(summarized(head - 2, 9, "더 적게"))
    assert (await working.read_back()).summary == "더 많이"


async def test_what_came_after_the_message_and_its_own_run_are_left_out():
    working = await conversation(1)
    run = await spoken(working, MessageReceived(text="이거 분석해 줘"), question("무엇을요?", DecisionKind.CLARIFY))
    version = await working.head() + 1
    await answered(working, 2)
    read = await conversation_of(working.ledger, working.session, version, run)
    assert [turn.text for turn in read.history] == ["질문 1", "답 1"]


async def test_a_clarifying_question_and_its_answer_are_part_of_the_turn():
    working = await conversation(0)
    await spoken(
        working,
        MessageReceived(text="이거 분석해 줘"),
        question("무엇을 분석할까요?", DecisionKind.CLARIFY),
        answer(DecisionKind.CLARIFY, text="감성이요"),
        question("이 계획으로 진행할까요?", DecisionKind.PLAN),
        answer(DecisionKind.PLAN, action="reject"),
        RunCancelled(reason="rejected", message="알겠어요. 실행하지 않을게요."),
    )
    assert [turn.text for turn in (await working.read_back()).history] == [
        "이거 분석해 줘", "무엇을 분석할까요?", "감성이요", "알겠어요. 실행하지 않을게요.",
    ]  # fmt: skip


async def test_a_run_that_waits_says_with_which_question():
    working = await conversation(0)
    await spoken(working, MessageReceived(text="리포트 만들어 줘"), question("진행할까요?", DecisionKind.PLAN))
    assert [turn.text for turn in (await working.read_back()).history] == ["리포트 만들어 줘", "진행할까요?"]


async def test_an_endless_text_is_quoted_up_to_a_limit():
    working = await conversation(0)
    await spoken(working, SessionOpened(), MessageReceived(text="가" * 9000))
    (turn,) = (await working.read_back()).history
    assert len(turn.text) == LONGEST


async def test_five_hundred_turns_are_read_as_cheaply_as_twenty():
    working = await conversation(500)
    asked: list[int] = []
    latest = working.ledger.latest

    class Counted:
        async def latest(self, *of, **how):
            found = await latest(*of, **how)
            asked.append(len(found))
            return found

    await conversation_of(Counted(), working.session, await working.head() + 1)  # type: ignore[arg-type]
    assert sum(asked) <= LOOK
