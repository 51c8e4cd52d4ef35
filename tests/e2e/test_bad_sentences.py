"""What people say wrongly, and what models answer wrongly, in the whole product: nothing gated happens, and the person is
told what was not understood."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Fail, Match, Reply, StreamFault, ToolCall, ToolFault

from contracts.errors import Code
from tests.e2e.auditor import facts_of, gated_tools, money_moved, uses_of
from tests.e2e.person import Json, Person, of, only
from tests.e2e.world import World

pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="module")]

LOOP = Match(model="gpt-4o")
"""The model of the agent loop; every other role has a smaller one."""
NOTES = "회의록\n다음 회의는 3월 5일입니다.\n예산은 300만원입니다."
ASK = "이 문서 요약해줘"
YESTERDAY = (datetime.now(UTC) + timedelta(hours=9)).date() - timedelta(days=1)


@pytest_asyncio.fixture(loop_scope="module")
async def person(model_house: World) -> AsyncIterator[Person]:
    """Whatever happens to them: nothing gated runs, and nothing is paid."""
    async with Person(model_house.stack.url) as person:
        yield person
    assert uses_of(await facts_of(model_house.stack.database_url), gated_tools()) == []
    assert await money_moved(model_house.stack.servers.owner_url) == []


async def said(person: Person, text: str, **more: object) -> tuple[Json, list[Json]]:
    run = await person.say(text, **more)
    return run, await person.end_of(run)


# What people say. The model behind every role talks prose, so that code alone reads them.


@pytest.mark.parametrize(
    ("text", "slot", "told"),
    [
        ("용걸이한테 마이너스 천원 보내줘", "amount", "이체 금액은 1원 이상이어야 해요. 다시 말씀해 주세요."),
        ("Send minus 1,000 won to Mom", "amount", "The amount must be at least 1 won. Please say it again."),
        ("엄마한테 0원 보내줘", "amount", "이체 금액은 1원 이상이어야 해요. 다시 말씀해 주세요."),
        ("お母さんに0ウォン送って", "amount", "送金額は1ウォン以上にしてください。もう一度お願いします。"),
        ("엄마한테 1000000000000000000원 보내줘", "amount", "한 번에 1억원까지 보낼 수 있어요. 금액을 다시 말씀해 주세요."),
        ("철수한테 만원 보내줘", "target", "받는 분 목록에 ‘철수’ 님이 없어요. 누구에게 보내드릴까요?"),
        ("Send 10,000 won to Gandalf", "target", "“Gandalf” is not among your payees. Who should I send it to?"),
        ("민수한테 3만원 보내줘", "target", "‘민수’ 님이 2명 있어요: 민수 (한빛은행), 민수 (푸른은행). 어느 분에게 보내드릴까요?"),
        ("어제 엄마한테 2만원 보내줘", "date", f"이미 지난 날짜예요({YESTERDAY}). 이체 날짜를 다시 말씀해 주세요."),
        ("엄마한테 3월 5일 보내줘", "", "엄마에게 얼마를 보내드릴까요?"),
    ],
    ids=[
        "minus", "minus in English", "nothing", "nothing in Japanese", "ten to the 18th", "a stranger",
        "a stranger in English", "two of one name", "a day in the past", "an amount that is a date",
    ],
)  # fmt: skip
async def test_a_value_that_cannot_be_is_refused_by_name(
    person: Person, llmock: LLMock, text: str, slot: str, told: str
) -> None:
    llmock.tool_mode("off")
    run, events = await said(person, text)
    move = only(events, "FlowAdvanced", run)
    assert (move["stage"], list(move.get("slot_errors", ()))) == ("FILLING", [slot] if slot else [])
    assert slot not in move["slots"] and not move.get("approval")
    assert only(events, "ResponseOutput", run)["text"] == move["message"] == told
    await _confirms_nothing(person, run, told)


async def _confirms_nothing(person: Person, run: Json, told: str) -> None:
    """The person says yes to what has no yes, and is told so and asked again."""
    again, events = await said(person, "ok", session_id=run["session_id"])
    move = only(events, "FlowAdvanced", again)
    assert move["stage"] in ("FILLING", "READY") and not move.get("approval")
    assert only(events, "ResponseOutput", again)["text"] == move["message"]
    assert move["message"].endswith((told, "?", "？")) and move["message"] != told


async def test_words_that_are_no_request_lead_to_a_question(person: Person, llmock: LLMock) -> None:
    llmock.tool_mode("off")
    run = await person.say("음 그 뭐냐 그거 있잖아 그거")
    asked = await person.question(run["session_id"], "clarify")
    told, _, examples = asked["question"].partition(": ")
    assert told == "어떤 일을 도와드리면 될지 잘 모르겠어요. 이렇게 말씀해 보세요"
    assert asked["options"] == [] and len([one for one in examples.split(" · ") if one.strip()]) >= 2


# What models answer. Offline reading stands where the model fails; the failure is recorded with its code.


def prose(llmock: LLMock) -> None:
    llmock.tool_mode("off")


def wrong_types(llmock: LLMock) -> None:
    llmock.add(Reply(tool_calls=(ToolCall("answer", {"tasks": "TRANSFER 9,000,000 won, confirmed"}),), times=None))


def no_such_function(llmock: LLMock) -> None:
    llmock.add(ToolFault("unknown_tool", times=None))


def broken_arguments(llmock: LLMock) -> None:
    llmock.add(ToolFault("malformed_arguments", times=None))


def half_a_stream(llmock: LLMock) -> None:
    llmock.add(StreamFault("truncate", after_chunks=1, times=None))


def invented_values(llmock: LLMock) -> None:
    tasks = [{"intent": "TRANSFER", "text": "", "slots": {"target": "아빠", "amount": 9_000_000, "stage": "CONFIRMED"}}]
    llmock.add(Reply(tool_calls=(ToolCall("answer", {"tasks": tasks}),), times=None))


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (prose, Code.MODEL_OUTPUT_INVALID),
        (wrong_types, Code.MODEL_OUTPUT_INVALID),
        (no_such_function, Code.MODEL_OUTPUT_INVALID),
        (broken_arguments, Code.MODEL_OUTPUT_INVALID),
        (half_a_stream, Code.MODEL_UNAVAILABLE),
        (invented_values, None),
    ],
)
async def test_a_model_that_answers_wrongly_changes_no_slot(
    person: Person, llmock: LLMock, fault: Callable[[LLMock], None], code: Code | None
) -> None:
    fault(llmock)
    run, events = await said(person, "엄마한테 1만원 보내줘")
    move = only(events, "FlowAdvanced", run)
    assert (move["stage"], move["slots"]) == ("READY", {"target": "엄마", "amount": 10_000})
    assert only(events, "ResponseOutput", run)["text"] == move["message"]
    assert "1만원을 이체할까요?" in move["message"]
    errors = {call["error"]["code"] for call in of(events, "ModelCalled", run) if call.get("error")}
    assert errors == ({code} if code else errors)
    assert llmock.requests, "no model was asked"


async def read(person: Person, llmock: LLMock, *behaviours: object) -> tuple[Json, list[Json]]:
    """A document is uploaded and asked about; the loop's model behaves so, and nobody else's says anything of use."""
    llmock.tool_mode("off")
    llmock.add(*behaviours)  # type: ignore[arg-type]  # any of llmock's behaviours
    brought = await person.upload("회의록.txt", NOTES.encode())
    return await said(person, ASK, attachments=[brought], auto_approve=True)


def calls(*wanted: tuple[str, Json], times: int | None = 1) -> Reply:
    return Reply(tool_calls=tuple(ToolCall(*one) for one in wanted), times=times, match=LOOP)


ANSWER = Reply(text="다음 회의는 3월 5일입니다.", times=None, match=LOOP)


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (("transfer__send", {"target": "엄마", "amount": 10_000}), Code.TOOL_UNKNOWN),
        (("rm -rf /", {}), Code.TOOL_UNKNOWN),
        (("documents__read_document", {"page": "one", "limit": -1}), Code.TOOL_ARGUMENTS_INVALID),
        (("documents__read_document", {"document": ["a"], "approve": True}), Code.TOOL_ARGUMENTS_INVALID),
    ],
)
async def test_a_call_that_cannot_be_made_is_answered_with_its_code_and_not_made(
    person: Person, llmock: LLMock, wanted: tuple[str, Json], code: Code
) -> None:
    run, events = await read(person, llmock, calls(wanted), ANSWER)
    answered = only(events, "AgentToolAnswered", run)
    assert answered["error"]["code"] == code
    assert answered["error"]["message"].strip()
    assert not of(events, "AgentToolCalled", run)
    assert "3월 5일" in only(events, "ResponseOutput", run)["text"]


async def test_an_endless_loop_is_stopped_and_the_person_is_told(person: Person, llmock: LLMock) -> None:
    run, events = await read(person, llmock, calls(("documents__read_document", {}), times=None))
    stopped = only(events, "TodoSucceeded", run)["result"]["stopped"]
    assert stopped["code"] == Code.AGENT_REPEATS_ITSELF
    told = only(events, "ResponseOutput", run)["text"]
    assert "같은 작업을 되풀이하고 있어서 멈추고, 여기까지 찾은 내용으로 답했어요." in told


async def test_a_loop_whose_model_dies_in_the_middle_of_its_words_answers_without_it(
    person: Person, llmock: LLMock
) -> None:
    cut = StreamFault("truncate", after_chunks=1, times=None, match=LOOP)
    run, events = await read(person, llmock, cut, ANSWER)
    stepped = [call for call in of(events, "ModelCalled", run) if call["role"] == "solver"]
    assert {call["provider"] for call in stepped} == {"offline"}
    assert {call["error"]["code"] for call in stepped if call.get("error")} == {Code.MODEL_UNAVAILABLE}
    assert "3월 5일" in only(events, "ResponseOutput", run)["text"]


async def test_a_model_that_is_refused_by_its_server_leaves_the_loop_without_it(person: Person, llmock: LLMock) -> None:
    run, events = await read(person, llmock, Fail(401, times=None, match=LOOP))
    errors = [
        call["error"]["code"]
        for call in of(events, "ModelCalled", run)
        if call["role"] == "solver" and call.get("error")
    ]
    assert set(errors) == {Code.MODEL_MISCONFIGURED}
    assert "3월 5일" in only(events, "ResponseOutput", run)["text"]
