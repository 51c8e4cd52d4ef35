"""documents.conversation: which turn of a conversation is meant, and what is quoted of it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from contracts.reading import Clause
from packs.documents.conversation import read_conversation
from packs.documents.tools import conversation
from tests.unit.packs.documents.context import FakeContext, say

WIFI = "와이파이 비번은 1234라고 기억해 줘\n기억해 둘게요."
VISIT = "내일 3시 치과 일정 넣어줘\n12월 1일 오후 3시에 치과 일정을 넣었어요.\n다른 일정과 겹치지 않아요."


def slots(text: str, language: str) -> list[Any]:
    return list(read_conversation(Clause(text, language, datetime.now(UTC))))


async def told(context: FakeContext, **params: Any) -> list[str]:
    result = await conversation.run(params, context)  # type: ignore[arg-type]  # as much of a context as it touches
    return [str(line) for line in result["summary"]]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("language", "text", "which", "whose"),
    [
        ("ko", "내가 맨 처음에 한 말이 뭐였지", "first", "asked"),
        ("ko", "조금 전에 제가 뭐라고 여쭤봤는지 알려 주시겠어요", "last", "asked"),
        ("ko", "방금 뭐랬어?", "last", "answered"),
        ("ko", "직전 답변 한 번 더 보여 주세요", "last", "answered"),
        ("ko", "지금까지 한 얘기 정리 좀", "all", "asked"),
        ("ko", "내가 지금까지 질문 몇 개 했어?", "count", "asked"),
        ("en", "remind me what I asked you first", "first", "asked"),
        ("en", "what did I just ask", "last", "asked"),
        ("en", "sorry, what did you just say?", "last", "answered"),
        ("en", "I accidentally scrolled past it, show me your answer again", "last", "answered"),
        ("en", "summarize our conversation so far", "all", "asked"),
        ("en", "how many messages have I sent you", "count", "asked"),
        ("ja", "私が一番初めに聞いたことは何ですか", "first", "asked"),
        ("ja", "さっき何て言った？", "last", "answered"),
        ("ja", "さっき私なんて聞いた？", "last", "asked"),
        ("ja", "ここまでの会話を要約して", "all", "asked"),
    ],
)
def test_a_question_says_which_turn_it_means_and_whose_words(language: str, text: str, which: str, whose: str):
    assert slots(text, language) == [{"which": which, "whose": whose}]


@pytest.mark.parametrize(
    ("language", "text", "number", "whose"),
    [
        ("ko", "세 번째로 물어본 거 뭐였더라", 3, "asked"), ("ko", "두번째 질문에 뭐라고 답했어", 2, "answered"),
        ("en", "what was my third question", 3, "asked"), ("en", "show me your second answer again", 2, "answered"),
        ("ja", "二つ目に聞いたことは何", 2, "asked"), ("ja", "三つ目の答えをもう一度見せてください", 3, "answered"),
    ],
)  # fmt: skip
def test_a_turn_can_be_named_by_its_number(language: str, text: str, number: int, whose: str):
    assert slots(text, language) == [{"number": number, "whose": whose}]


async def test_the_first_and_the_last_turn_are_quoted_as_they_were_said(context: FakeContext):
    context.memories.was_said(WIFI, days_ago=0.02)
    context.memories.was_said(VISIT, days_ago=0.01)
    (first,) = await told(context, which="first")
    assert "“와이파이 비번은 1234라고 기억해 줘”" in first
    assert "치과" not in first
    last, answered = await told(context, whose="answered")
    assert "“내일 3시 치과 일정 넣어줘”" in last
    assert answered == say("conversation.answered", text=VISIT.partition("\n")[2])
    assert "겹치지 않아요" in answered


async def test_all_of_it_is_a_list_of_what_was_asked_and_a_long_one_of_the_newest(context: FakeContext):
    context.memories.was_said(WIFI)
    context.memories.was_said(VISIT)
    head, *lines = await told(context, which="all")
    assert "2번" in head
    assert lines == ["1. 와이파이 비번은 1234라고 기억해 줘", "2. 내일 3시 치과 일정 넣어줘"]
    for number in range(3, 31):
        context.memories.was_said(f"{number}번째 부탁 {'가' * 300}\n네")
    head, *lines = await told(context, which="all")
    assert "30번" in head
    assert "20번" in head
    assert [line.partition(" ")[0] for line in lines] == [f"{number}." for number in range(11, 31)]
    assert all(line.endswith("…") and len(line) < 200 for line in lines)


async def test_a_number_that_nothing_has_and_a_conversation_without_turns_are_said(context: FakeContext):
    assert await told(context, which="first") == [say("conversation.none")]
    assert await told(context, which="count") == [say("conversation.none")]
    context.memories.was_said(WIFI)
    assert await told(context, number=4) == [say("conversation.fewer", count=1, number=4)]
    assert await told(context, which="count") == [say("conversation.count", count=1)]
    context.memories.was_said("음악 틀어줘")
    assert await told(context, whose="answered") == [say("conversation.unanswered", text="음악 틀어줘")]


@pytest.mark.parametrize(
    ("language", "text", "which"),
    [
        ("ko", "너 여태 뭐뭐 했는지 쭉 말해봐", "all"), ("ko", "네가 오늘 해준 일 알려줘", "all"),
        ("ko", "방금 뭐 한 거니", "last"), ("en", "list everything you did for me", "all"),
        ("en", "what have you done today?", "all"), ("en", "what did you do there?", "last"),
        ("ja", "今日は何をしてくれたの", "all"), ("ja", "さっき何をしたの？", "last"),
    ],
)  # fmt: skip
def test_who_asks_what_was_done_is_told_the_answers(language: str, text: str, which: str):
    assert slots(text, language) == [{"which": which, "whose": "answered"}]


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "아까 뭘 지운 거야?"), ("en", "what was it you just removed?"), ("ja", "さっき何を消したの？")],
)
def test_who_asks_what_was_taken_out_means_the_turn_that_did_it(language: str, text: str):
    assert slots(text, language) == [{"which": "last", "whose": "answered", "deed": "removed"}]


async def test_what_was_done_is_a_list_of_requests_with_what_came_of_each(context: FakeContext):
    context.memories.was_said(WIFI)
    context.memories.was_said(VISIT)
    context.memories.was_said("음악 틀어줘")
    head, *lines = await told(context, which="all", whose="answered")
    assert "3번" in head
    assert lines == [
        "1. 와이파이 비번은 1234라고 기억해 줘 → 기억해 둘게요.",
        "2. 내일 3시 치과 일정 넣어줘 → 12월 1일 오후 3시에 치과 일정을 넣었어요.",
        "3. 음악 틀어줘",
    ]


async def test_what_was_taken_out_is_told_by_the_turn_that_did_it_and_by_no_other(context: FakeContext):
    context.memories.was_said(VISIT)
    assert await told(context, deed="removed", whose="answered") == [say("conversation.nothing_gone")]
    context.memories.was_said("치과 지워줘\n치과 일정을 지웠어요.")
    context.memories.was_said(WIFI)
    asked, answered = await told(context, deed="removed", whose="answered")
    assert "“치과 지워줘”" in asked
    assert answered == say("conversation.answered", text="치과 일정을 지웠어요.")
