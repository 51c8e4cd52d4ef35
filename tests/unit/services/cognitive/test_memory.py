"""What is remembered after an answer, and when a session is summed up."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest

from backbone.memories.port import DIMENSIONS, Embedding, Query
from backbone.model.offline import OfflineProvider
from backbone.runner.handlers import WorkHandler
from contracts.cognitive import FlowAdvanced, FlowStage, SessionSummarized, Turn
from contracts.gateway import MessageReceived
from contracts.memory import MemoryKind
from contracts.model import ModelCalled, ModelRole
from services.cognitive.domain.summary import LIMIT, condense
from services.cognitive.meanings import GIST, gist
from services.cognitive.memory import Remembering, offline_summarizer
from tests.fakes.ledger import MemoryLedger
from tests.fakes.memories import MemoryMemories
from tests.unit.services.catalogues import catalogue
from tests.unit.services.cognitive.talks import Talking, answered, conversation, said
from tests.unit.services.given import Happened

CATALOGUE = catalogue()


class Room:
    """A dialogue with the handler that remembers it."""

    def __init__(self, dialogue: Talking) -> None:
        self.dialogue = dialogue
        self.memories = MemoryMemories()
        self.provider = OfflineProvider({ModelRole.SUMMARIZER: offline_summarizer(CATALOGUE)})
        dialogue.make = self.handler

    def handler(self, ledger: MemoryLedger) -> WorkHandler:
        return Remembering(ledger, self.memories, self.provider, CATALOGUE, self.encode).handler()

    async def encode(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return [Embedding("room", [1.0] + [0.0] * (DIMENSIONS - 1)) for _ in texts]

    async def turn(self, text: str, answer: str, *between: FlowAdvanced) -> Happened:
        run = uuid4()
        await self.dialogue.record(MessageReceived(text=text), run)
        for one in between:
            await self.dialogue.record(one, run)
        return await self.dialogue.when(said(answer), run)

    def kept(self) -> list[tuple[str, MemoryKind, str]]:
        return [(one.user, one.kind, one.text) for one in self.memories.items.values()]


async def room(turns: int = 0) -> Room:
    return Room(await conversation(turns))


def executed(slots: dict[str, Any], **more) -> FlowAdvanced:
    return FlowAdvanced(flow="transfer", stage=FlowStage.EXECUTED, slots=slots, **more)


async def test_both_sides_of_a_turn_are_remembered_as_the_persons_own():
    house = await room()
    (await house.turn("치과가 언제였지?", "내일 오후 3시예요.")).then_nothing()
    assert house.kept() == [("mina", MemoryKind.TURN, "치과가 언제였지?\n내일 오후 3시예요.")]
    assert await house.memories.without_meaning(5) == []  # written once, with their vectors
    (item,) = house.memories.items.values()
    assert (item.session_id, item.language) == (house.dialogue.session, "ko")


async def test_the_meaning_of_a_turn_is_what_was_said_and_how_its_answer_begins():
    house = await room()
    await house.turn("치과가 언제였지?", "내일 오후 3시예요. " + "그 밖에도 할 수 있는 일이 많아요. " * 20)
    (item,) = house.memories.items.values()
    assert gist(item) == item.text[: len("치과가 언제였지?\n") + GIST]
    note = item.model_copy(update={"kind": MemoryKind.NOTE})
    assert gist(note) == note.text


async def test_an_answer_that_comes_twice_is_remembered_once():
    house = await room()
    await house.turn("치과가 언제였지?", "내일 오후 3시예요.")
    again = house.dialogue.ledger.rows[-1].message
    await house.handler(house.dialogue.ledger).handle(again, again.event, None)  # type: ignore[arg-type]
    assert len(house.kept()) == 1


async def test_a_page_that_was_pasted_leaves_room_for_what_was_answered():
    house = await room()
    await house.turn("계약서 " * 1000, "3월 5일이 마감이에요.")
    ((_, _, text),) = house.kept()
    assert text.endswith("\n3월 5일이 마감이에요.")


@pytest.mark.parametrize("text", ["/noop 8", "네"])
async def test_commands_and_bare_words_are_not_remembered(text: str):
    house = await room()
    await house.turn(text, "됐어요. 모두 여덟 단계예요.")
    assert [one for _, _, one in house.kept() if text in one.split("\n")] == []


async def test_what_a_flow_has_done_is_a_fact_with_names_and_amounts():
    house = await room()
    await house.turn("확인", "이체가 완료됐어요.", executed({"target": "엄마", "amount": 10000, "memo": None}))
    told = executed({"target": "용걸이"}, result={"summary": ["용걸이에게 5만원을 보냈어요."]})
    await house.turn("확인", "이체가 완료됐어요.", told)
    facts = [text for _, kind, text in house.kept() if kind is MemoryKind.FACT]
    assert facts == ["transfer: 엄마, 10,000", "용걸이에게 5만원을 보냈어요."]


async def test_it_is_found_again_from_another_session_of_the_same_person_only():
    house = await room()
    await house.turn("와이파이 비번은 1234야", "알겠어요.")
    assert [one.item.text for one in await house.memories.search(Query("mina", "와이파이 비번"))]
    assert await house.memories.search(Query("jun", "와이파이 비번")) == []


async def test_eight_turns_need_no_summary_and_the_ninth_makes_one():
    house = await room(7)
    (await house.turn("질문 8", "답 8")).then_nothing()
    happened = (await house.turn("질문 9", "답 9")).then_types(ModelCalled, SessionSummarized)
    made = happened.only(SessionSummarized)
    assert (made.turns, made.language) == (9, "ko")
    assert made.up_to == await house.dialogue.head() - 2
    assert all(f"질문 {number}" in made.summary and f"답 {number}" in made.summary for number in range(1, 10))
    assert happened.only(ModelCalled).role is ModelRole.SUMMARIZER


async def test_the_next_summary_comes_four_turns_later_and_keeps_what_was_in_the_first():
    house = await room(8)
    await house.turn("엄마한테 만원 보내줘", "엄마에게 10,000원을 보냈어요.")
    for number in (10, 11, 12):
        (await house.turn(f"질문 {number}", f"답 {number}")).then_nothing()
    made = (await house.turn("질문 13", "답 13")).only(SessionSummarized)
    assert made.turns == 13
    assert "엄마에게 10,000원을 보냈어요." in made.summary
    assert "답 13" in made.summary


async def test_answers_that_are_handled_at_once_make_one_summary_where_one_is_seen():
    house = await room(8)
    for number in (9, 10):
        await answered(house.dialogue, number)
    messages = [row.message for row in house.dialogue.ledger.rows if row.message.type == "ResponseOutput"][-2:]
    handler = house.handler(house.dialogue.ledger)
    first = await handler.handle(messages[1], messages[1].event, None)  # type: ignore[arg-type]
    await house.dialogue.record(Happened(first).only(SessionSummarized))
    late = await handler.handle(messages[0], messages[0].event, None)  # type: ignore[arg-type]
    assert late.emits == ()


async def test_a_session_of_many_questions_gets_its_first_summary_too():
    house = await room(0)
    moves = [FlowAdvanced(flow="transfer", stage=FlowStage.FILLING)] * 12
    for number in range(8):
        (await house.turn(f"질문 {number}", "누구에게요?", *moves)).then_nothing()
    (await house.turn("질문 8", "누구에게요?", *moves)).then_types(ModelCalled, SessionSummarized)


def line(asked: str, answered_: str) -> str:
    return f"{asked} -> {answered_}"


def turns(*texts: str) -> list[Turn]:
    return [Turn(role="user" if n % 2 == 0 else "assistant", text=text) for n, text in enumerate(texts)]


def test_a_summary_without_a_model_says_what_was_asked_and_what_came_of_it():
    told = condense(turns("보고서 만들어 줘", "만들었어요. 모두 2,400건이에요. 잘 부탁해요."), "전에: 3만원", line)
    assert told == "전에: 3만원\n보고서 만들어 줘 -> 만들었어요. 모두 2,400건이에요."


def test_what_it_forgets_first_is_what_has_no_figures():
    many = [text for n in range(60) for text in (f"잡담 {'가' * 20}", "그렇군요" if n % 2 else f"{n},000원")]
    told = condense(turns(*many), "엄마에게 10,000원", line)
    assert len(told) <= LIMIT
    assert told.startswith("엄마에게 10,000원")
    assert told.count("000원") == 31
    assert told.count("그렇군요") < 15


def test_one_endless_answer_stays_within_the_limit():
    assert len(condense(turns("가" * 5000, "1" * 5000), "나" * 5000, line)) <= LIMIT
