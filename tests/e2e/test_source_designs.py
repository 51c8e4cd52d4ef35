"""What source designs 002 and 003 say about models, over real servers with a scripted model behind every role: what it is
told, what it may decide, and what code decides whatever it says. The names and docstrings quote their headings."""

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

import pytest
import pytest_asyncio
from llmock.journal import RequestRecord
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Match, Reply, ToolCall

from tests.e2e.person import Json, Person, eventually, of, only
from tests.e2e.turns import stream
from tests.e2e.world import World

pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="module")]

LOOP, WRITER = Match(model="gpt-4o"), Match(model="gpt-4o-mini", tools=False)
"""The model of the agent loop; and every other role where it writes plain text."""
REQUEST = "기존 채용을 불러오고 싶어"
POSTING = "2026년 백엔드 개발자 채용 공고\n채용 인원은 3명이고 지원 마감은 3월 5일입니다.\n"
ANSWER = "백엔드 개발자 채용이고, 지원 마감은 3월 5일입니다."
GREETING, QUESTION = "뭘 할 수 있어?", "내 데이터는 안전하게 보관되나요"


@pytest_asyncio.fixture(loop_scope="module")
async def person(model_house: World) -> AsyncIterator[Person]:
    async with Person(model_house.stack.url) as person:
        yield person


async def said(person: Person, text: str, **more: object) -> tuple[Json, list[Json]]:
    run = await person.say(text, **more)
    return run, await person.end_of(run)


def calls(*wanted: tuple[str, Json]) -> Reply:
    """A step of the loop."""
    return Reply(tool_calls=tuple(ToolCall(*one) for one in wanted), match=LOOP)


async def finds(person: Person, llmock: LLMock, *steps: Reply) -> tuple[Json, list[Json]]:
    """The request of the example, with a document, to a loop that takes these steps and then answers."""
    llmock.tool_mode("off")
    llmock.add(*steps, Reply(text=ANSWER, times=None, match=LOOP))
    brought = await person.upload("채용 공고.txt", POSTING.encode())
    return await said(person, REQUEST, attachments=[brought], auto_approve=True)


def shapes(request: RequestRecord) -> list[tuple[str, int]]:
    """Role and number of calls of each message that a model was sent."""
    return [(one["role"], len(one.get("tool_calls") or ())) for one in request.body["messages"]]


async def test_003_the_execution_example_word_for_word_with_every_edge_of_its_chart(
    person: Person, llmock: LLMock
) -> None:
    """실행 흐름 예시 1-7, and its chart: InitState → LLMCall → CheckToolCalls {있음 | 없음} → ToolsNode → CheckReportProgress
    {예 | 아니오} → UpdateProgressLog → UpdateState → AgentNode; EndNode → FinalOutput."""
    words = {"title": "예전 채용을 찾고 있어요", "description": "지난 대화와 문서를 함께 봅니다"}
    run, events = await finds(
        person,
        llmock,
        calls(("platform__report_progress", words), ("documents__search_conversations", {"query": "채용"})),
        calls(("documents__read_document", {"document": "채용 공고"})),
    )
    steps = [[call["tool"] for call in step.get("calls", ())] for step in of(events, "AgentStepped", run)]
    assert steps == [
        ["platform.report_progress", "documents.search_conversations"],
        ["documents.read_document"],
        [],  # should_continue: 종료
    ]
    asked = [one for one in llmock.requests if one.model == LOOP.model]
    begins = [("system", 0), ("user", 0)]
    first, second = [("assistant", 2), ("tool", 0), ("tool", 0)], [("assistant", 1), ("tool", 0)]
    assert [shapes(one) for one in asked] == [begins, begins + first, begins + first + second]
    offered = {one["function"]["name"] for one in asked[0].body["tools"]}
    assert offered >= {"platform__report_progress", "documents__search_conversations", "documents__read_document"}
    system, user = (one["content"] for one in asked[0].body["messages"])
    assert "report_progress" in system and user.strip() == REQUEST
    assert "지원 마감은 3월 5일" in asked[2].body["messages"][-1]["content"]
    result = only(events, "TodoSucceeded", run)["result"]
    assert (result["progress_log"], result["steps"], result["answer"]) == ([words], 3, ANSWER)
    assert [one["title"] for one in of(events, "TodoProgressed", run) if one.get("title")] == [words["title"]]
    assert ANSWER in only(events, "ResponseOutput", run)["text"]


async def test_003_4_a_progress_report_without_words_falls_back_to_the_static_map(
    person: Person, llmock: LLMock
) -> None:
    """진행 상황 로깅: "실패 시 정적 매핑 폴백 사용"."""
    bare: tuple[str, Json] = ("platform__report_progress", {})
    run, events = await finds(
        person,
        llmock,
        calls(bare, ("documents__search_conversations", {"query": "채용"})),
        calls(bare, ("documents__read_document", {})),
    )
    log = only(events, "TodoSucceeded", run)["result"]["progress_log"]
    assert [one["title"] for one in log] == ["지난 대화를 찾아보고 있어요", "문서를 읽고 있어요"]


async def test_002_section_1_each_turn_is_routed_by_its_intent_and_the_state_is_kept_between_them(
    person: Person, llmock: LLMock
) -> None:
    """전체 파이프라인 (단일 턴): ① SessionStore ② IntentAgent ③ FlowRouter: TRANSFER | GENERAL ④ 이벤트 스트림 ⑤ save_state."""
    llmock.tool_mode("off")
    begun, _ = await said(person, "엄마한테 보내줘")
    for text in (GREETING, "3만원"):
        await said(person, text, session_id=begun["session_id"])
    seen = await stream(person, begun["session_id"], turns=3)
    routed = [one["result"] for name, one in seen if (name, one.get("agent")) == ("AGENT_DONE", "intent")]
    assert [result == "TRANSFER" for result in routed] == [True, False, True]
    slotted = [one["stage"] for name, one in seen if (name, one.get("agent")) == ("AGENT_DONE", "slot")]
    assert slotted == ["FILLING", "READY"]
    first, general, last = (one["state_snapshot"] for name, one in seen if name == "DONE")
    assert (first["missing_required"], general) == (["amount"], {"stage": "COMPLETED"})
    assert (last["stage"], last["slots"]) == ("READY", {"target": "엄마", "amount": 30_000})


async def test_002_section_6_a_model_reads_the_summary_and_the_last_four_turns_word_for_word(
    person: Person, llmock: LLMock
) -> None:
    """build_messages(): [system: agent 지침] [system: state 정보 + summary_text], in one, [raw_history: 최근 4턴 원문] [user:
    현재]; and section 7: 메모리 요약 트리거 by code (8턴 초과 시), 대화 요약 내용 생성 by the model."""
    summary = "지난 대화에서 엄마에게 만원, 용걸이에게 5만원 이체 완료."
    llmock.tool_mode("off")
    llmock.add(Reply(text=summary, times=None, match=WRITER))
    begun, _ = await said(person, GREETING)
    session = {"session_id": begun["session_id"]}
    for text in [GREETING] * 4 + [QUESTION] * 4:
        await said(person, text, **session)

    async def look() -> list[Json]:
        return of(await person.events(session["session_id"]), "SessionSummarized")

    (made,) = await eventually(look, "a summary after the ninth turn")
    assert (made["summary"], made["turns"]) == (summary, 9)
    now = "지난번 얘기 이어서 그거 좀"
    await person.say(now, **session)

    async def asked() -> RequestRecord | None:
        return next((one for one in llmock.requests if now in one.body["messages"][-1]["content"]), None)

    told = await eventually(asked, "a question to the model about the tenth turn")
    assert [role for role, _ in shapes(told)] == ["system", *("user", "assistant") * 4, "user"]
    system, *history = (one["content"] for one in told.body["messages"][:-1])
    assert 0 <= system.find("You sort what a person asks for") < system.find(summary)
    answered = [one["text"] for one in of(await person.events(session["session_id"]), "ResponseOutput")]
    assert (history[::2], history[1::2]) == ([QUESTION] * 4, answered[5:9])


class Row(NamedTuple):
    """A line of the table: what is said, what the model says to every question, and where code leaves the flow."""

    said: Sequence[str]
    lie: Json
    stage: str
    slots: Json
    message: str
    errors: Sequence[str] = ()


MOM: Json = {"target": "엄마"}
WHAT = "음… 글쎄 잘 모르겠네"
HOW_MUCH = "엄마에게 얼마를 보내드릴까요?"
LOW = "이체 금액은 1원 이상이어야 해요. 다시 말씀해 주세요."
CONFIRMED: Json = {"stage": "CONFIRMED", "act": "confirm", "confirmed_by": "user", "amount": 9_000_000}
TEN: Json = {**MOM, "amount": 10_000}
READY = "엄마에게 1만원을 이체할까요? 메모나 이체 날짜를 추가하시겠어요?"
LOST = "말씀을 이해하지 못해서 이체를 멈췄어요. 이 건은 보내지 않았어요. 처음부터 다시 말씀해 주세요."
UNHEARD = "그 말씀은 이해하지 못해서 바뀐 것이 없어요. "
CODE = {
    "Stage 전이": Row(["엄마한테 보내줘", WHAT], CONFIRMED, "FILLING", MOM, UNHEARD + HOW_MUCH),
    "Stage 전이 READY": Row(["엄마한테 1만원 보내줘", WHAT], CONFIRMED, "READY", TEN, UNHEARD + READY.partition(" 메모")[0]),
    "슬롯 타입 검증": Row(
        ["엄마한테 보내줘", "용돈 얘기는 했으니 그 정도면 될 듯"], {"amount": "용돈", "target": 7}, "FILLING", MOM,
        "‘용돈’ 금액은 쓸 수 없어요. 이체는 원으로만 할 수 있어요. 원으로 얼마를 보내드릴까요?", ["amount"],
    ),
    "슬롯 비즈니스 검증": Row(["엄마한테 보내줘", "마이너스 천원"], {"amount": 1000}, "FILLING", MOM, LOW, ["amount"]),
    "날짜 포맷 검증": Row(["엄마한테 1만원 보내줘"], {**TEN, "date": "2026-13-45"}, "READY", TEN, READY),
    "READY 확인 메시지 생성": Row(["엄마한테 1만원 보내줘"], {**TEN, "message": "송금 완료!"}, "READY", TEN, READY),
    "Terminal 메시지 생성": Row(
        ["엄마한테 1만원 보내줘", "취소"], {"message": "송금 완료!"}, "CANCELLED", TEN, "이체가 취소됐어요."
    ),
    "배치 큐 관리": Row(
        ["엄마한테 만원, 용걸이한테 5만원 보내줘", "취소"], {"batch_total": 7, "batch_executed": 7, "amount": 1}, "READY",
        {"target": "용걸이", "amount": 50_000}, "취소됐어요. 용걸이에게 5만원 보낼까요? (2/2)",
    ),
    "MAX_FILL_TURNS": Row(["엄마한테 보내줘", *[WHAT] * 6], CONFIRMED, "UNSUPPORTED", MOM, LOST),
}  # fmt: skip


@pytest.mark.parametrize("row", CODE.values(), ids=CODE)
async def test_002_section_7_what_code_decides_stands_whatever_the_model_says(
    person: Person, llmock: LLMock, row: Row
) -> None:
    """코드 제어 vs LLM 제어 경계: "금전/상태 변경은 모두 코드 검증 → LLM 출력을 신뢰하지 않음". The text that the model writes is
    another lie."""
    run: Json = {}
    events: list[Json] = []
    for text in row.said:
        session = {"session_id": run["session_id"]} if run else {}
        slots = [row.lie] * (1 + text.count(","))
        tasks = slots if session else [{"intent": "TRANSFER", "text": "", "slots": one} for one in slots]
        lies = Reply(tool_calls=(ToolCall("answer", {"tasks": tasks}),), times=None)
        llmock.reset().add(Reply(text="송금 완료!", times=None, match=WRITER), lies)
        run, events = await said(person, text, **session)
    move = of(events, "FlowAdvanced", run)[-1]
    assert (move["stage"], move["slots"], list(move.get("slot_errors", ()))) == (row.stage, row.slots, [*row.errors])
    assert only(events, "ResponseOutput", run)["text"] == move["message"] == row.message
    assert not of(events, "TodoDispatched") and not [one for one in of(events, "FlowAdvanced") if one.get("approval")]
    assert [one for one in of(events, "ModelCalled") if one["provider"] == "openai"], "no model has lied"


async def test_002_section_7_what_the_model_reads_is_taken_where_the_sentence_says_it(
    person: Person, llmock: LLMock
) -> None:
    """슬롯 값 추출, 자연어 → 슬롯 변환: LLM(확률적), then judged by code; what it adds is not."""
    llmock.tool_mode("off")
    begun, asked = await said(person, "만원만 쏴줘")
    assert only(asked, "FlowAdvanced")["missing"] == ["target"]
    read = {"target": "용걸이", "amount": 9_000_000, "memo": "급함"}
    llmock.add(Reply(tool_calls=(ToolCall("answer", {"tasks": [read]}),)))
    # the name is no word of its own here: code, which reads known names among unknown words (ADR 44), does not find it
    run, events = await said(person, "용걸이였나 걔 계좌였던 것 같은데", session_id=begun["session_id"])
    move = only(events, "FlowAdvanced", run)
    assert (move["stage"], move["slots"]) == ("READY", {"target": "용걸이", "amount": 10_000})
    (called,) = [one for one in of(events, "ModelCalled", run) if one["role"] == "interpreter"]
    assert called["provider"] == "openai"
