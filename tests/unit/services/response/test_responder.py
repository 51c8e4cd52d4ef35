"""How a run ends: the handler over a ledger in memory."""

from typing import Any

import pytest

from backbone.runner.handlers import NOTHING, WorkHandler
from contracts.cognitive import CognitiveOutput, Intent, PackCommand, PlanHint
from contracts.decisions import DecisionExpired, DecisionKind
from contracts.errors import Code, ErrorInfo
from contracts.execution import ExecutionOutput, ExecutionResult, ExecutionStatus, TodoStatus
from contracts.gateway import MessageReceived
from contracts.planning import PlanRejected
from contracts.response import ResponseOutput, RunCancelled, RunCompleted, RunFailed
from services.response.formatter import ResponseGenerator
from services.response.handlers import Responder
from services.response.report import Report
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import LANGUAGES, catalogue
from tests.unit.services.given import Happened, given_session, named
from tests.unit.services.plans import SAID, failed, planned, todo

CATALOGUE = catalogue()
EXPIRED = DecisionExpired(decision_id=named("d"), kind=DecisionKind.PLAN)


def responder(ledger: MemoryLedger) -> WorkHandler:
    generator = ResponseGenerator(CATALOGUE)
    return Responder(CATALOGUE, generator, Report(generator), ledger).handler()


def understood(**fields: Any) -> CognitiveOutput:
    return CognitiveOutput(
        **{"text": "x", "language": "ko", "intent": Intent(domain="ANALYSIS", confidence=1), "route": "plan"} | fields
    )


def output(status: str, **fields: Any) -> ExecutionOutput:
    good = TodoStatus.SUCCEEDED if status in ("succeeded", "partial") else TodoStatus.FAILED
    results = (
        ExecutionResult(todo_id="a", status=good, result={"summary": ["긍정이 61 %입니다."]}, error=failed("a").error),
        ExecutionResult(
            todo_id="b", status=good if status == "succeeded" else TodoStatus.FAILED, error=failed("b").error
        ),
    )
    return ExecutionOutput(
        **{"plan_id": named("plan"), "plan_version": 1, "status": ExecutionStatus(status), "results": results} | fields
    )


async def ending(event: Any, *history: Any) -> Happened:
    return await (await given_session(responder, *(history or (SAID,)))).when(event)


def text_of(happened: Happened) -> str:
    text: str = happened.only(ResponseOutput).text
    return text


RUNNING = (SAID, understood(), planned(todo("a", title="감성 {x}"), todo("b", title="키워드")))


async def test_results_are_told_and_the_run_is_complete():
    happened = (await ending(output("succeeded"), *RUNNING)).then_types(ResponseOutput, RunCompleted)
    assert text_of(happened) == "긍정이 61 %입니다."
    assert not happened.only(RunCompleted).partial


async def test_partial_failure_is_named_and_the_run_is_partial():
    happened = (await ending(output("partial"), *RUNNING)).then_types(ResponseOutput, RunCompleted)
    assert text_of(happened) == "긍정이 61 %입니다.\n일부는 실패했어요.\n키워드: 안 돼요"
    assert happened.only(RunCompleted).partial


async def test_a_run_without_useful_results_fails_with_its_first_error():
    happened = await ending(output("failed", error=failed("a").error), *RUNNING)
    happened.then_types(ResponseOutput, RunFailed)
    assert text_of(happened) == "처리하지 못했어요.\n감성 {x}: 안 돼요\n키워드: 안 돼요"
    assert happened.only(RunFailed).error == failed("a").error


async def test_a_failed_run_without_an_error_says_so_itself():
    error = (await ending(output("failed"), *RUNNING)).only(RunFailed).error
    assert (error.code, error.message) == (Code.EXECUTION_FAILED, "처리하지 못했어요.")


async def test_a_cancelled_run_is_cancelled():
    cancelled = (await ending(output("cancelled"), *RUNNING)).then_types(RunCancelled).only(RunCancelled)
    assert (cancelled.reason, cancelled.message) == ("requested", "알겠어요. 여기서 멈췄어요.")


async def test_a_commands_results_are_counted():
    command = understood(plan_hint=PlanHint(command=PackCommand(name="noop")))
    empty = output("succeeded").model_copy(
        update={"results": (ExecutionResult(todo_id="a", status=TodoStatus.SUCCEEDED),)}
    )
    happened = await ending(empty, SAID, command, planned(todo("a")))
    assert text_of(happened) == "완료했어요. 1단계."


async def test_the_plan_that_ran_is_told_and_not_an_older_version():
    older = planned(todo("a", title="옛 제목"), todo("b"), version=1)
    newer = planned(todo("a"), todo("b", title="새 제목"), version=2)
    happened = await ending(output("partial", plan_version=2), SAID, understood(), older, newer)
    assert "새 제목: 안 돼요" in text_of(happened)


async def test_results_without_a_plan_are_our_own_failure_in_the_persons_language():
    happened = (await ending(output("succeeded"), SAID, understood())).then_types(ResponseOutput, RunFailed)
    error = happened.only(RunFailed).error
    assert error.code is Code.INTERNAL
    assert error.message == text_of(happened)
    assert error.message.startswith("저희 쪽에서")
    assert error.detail == {"technical": "the run has results but no plan"}


async def test_an_answer_ends_the_run():
    happened = (await ending(understood(route="answer", answer="안녕하세요"))).then_types(ResponseOutput, RunCompleted)
    assert text_of(happened) == "안녕하세요"


@pytest.mark.parametrize(
    "event",
    [
        understood(),
        understood(requires_clarification=True),
        understood(route="answer", requires_clarification=True),
        PlanRejected(plan_id=named("plan"), plan_version=1, final=False, reason="x"),
        EXPIRED.model_copy(update={"default": {"action": "approve"}}),
    ],
    ids=["planned next", "asked", "asked before answering", "to be revised", "a default is taken"],
)
async def test_what_is_not_an_end_is_left_alone(event):
    (await ending(event)).then_nothing()


async def test_what_a_flow_leads_is_answered_by_the_flow():
    assert (await ending(understood(route="flow"))).outcome == NOTHING
    assert (await ending(output("succeeded"), SAID, understood(route="flow"))).outcome == NOTHING


async def test_a_refusal_stands_in_its_own_words():
    error = ErrorInfo(code=Code.INTENT_UNSUPPORTED, message="무엇을 하면 되는지 모르겠어요.")
    happened = (await ending(understood(error=error))).then_types(ResponseOutput, RunFailed)
    assert text_of(happened) == error.message
    assert happened.only(RunFailed).error == error


@pytest.mark.parametrize(
    ("language", "code", "sentence"),
    [
        ("ko", Code.INTERNAL, "저희 쪽에서 문제가 생겼어요. 잃어버린 것은 없으니 다시 시도해 주세요."),
        ("en", Code.MODEL_UNAVAILABLE, "The language model cannot be reached at the moment. Please try again later."),
        (
            "ja",
            Code.LEDGER_UNAVAILABLE,
            "こちら側で問題が起きました（コード 9006）。何も失われていません。もう一度お試しください。",
        ),
    ],
)
@pytest.mark.parametrize("by", ["cognitive", "planning"])
async def test_what_broke_is_said_by_its_code_in_the_persons_language(by, language, code, sentence):
    error = ErrorInfo(code=code, message="ConnectionError('x')")
    event: Any = understood(error=error, route="answer", language="en")
    if by == "planning":
        event = PlanRejected(plan_id=named("plan"), plan_version=1, final=True, error=error)
    happened = await ending(event, MessageReceived(text="x", language=language))
    assert text_of(happened) == sentence
    assert happened.only(RunFailed).error.detail == {"technical": "ConnectionError('x')"}


async def test_a_plan_that_was_impossible_fails_the_run_with_its_reason():
    error = ErrorInfo(code=Code.INPUT_MISSING, message="파일이 필요해요.", detail={"missing": "file.table"})
    rejected = PlanRejected(plan_id=named("plan"), plan_version=1, final=True, error=error)
    happened = (await ending(rejected, SAID, understood())).then_types(ResponseOutput, RunFailed)
    assert (text_of(happened), happened.only(RunFailed).error) == ("파일이 필요해요.", error)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_rejected_plan_and_an_expired_question_cancel_the_run(language):
    history = (SAID, understood(language=language))
    rejected = PlanRejected(plan_id=named("plan"), plan_version=1, final=True)
    for event, reason in ((rejected, "rejected"), (EXPIRED, "expired")):
        cancelled = (await ending(event, *history)).then_types(RunCancelled).only(RunCancelled)
        assert cancelled.reason == reason
        assert cancelled.message == CATALOGUE.say(language, f"run.{reason}")


async def test_a_question_that_outlives_its_run_does_not_end_it_again():
    (await ending(EXPIRED, *RUNNING, RunCompleted())).then_nothing()


async def test_a_message_that_is_given_up_fails_its_run():
    handler = responder(MemoryLedger())
    session = await given_session(lambda _: handler)
    error = ErrorInfo(code=Code.DELIVERIES_EXHAUSTED, message="boom")
    message = await session.record(understood(route="answer", language="ja"))
    (emitted,) = handler.give_up(message, message.event, error).emits
    assert isinstance(emitted.event, RunFailed)
    assert emitted.event.error.message.startswith("こちら側で")
    stray = await session.record(output("succeeded"), run_id=None)
    assert handler.give_up(stray, stray.event, error) == NOTHING
    assert await handler.handle(stray, stray.event, None) == NOTHING  # type: ignore[arg-type]
