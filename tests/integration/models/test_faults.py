"""What can go wrong with a model, over real HTTP: each fault ends in an answer or in a clear error."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply

from backbone.model.chat.provider import ChatProvider
from backbone.model.faults import ModelDeclined, ModelMisconfigured, ModelUnavailable
from backbone.model.port import Conversation, ModelProvider, ModelRequest
from backbone.model.prompts import PromptBook
from backbone.telemetry import logs
from contracts.errors import Code
from contracts.model import ModelRole
from contracts.registry import render
from tests.conformance.model_conformance import PRIVATE, Answer, AskedOfModel
from tests.support.llm import ANTHROPIC, KEY, MAKERS, OPENAI, settings, told

OFFLINE: dict[ModelRole, Any] = {ModelRole.SOLVER: ("counting-1", lambda question: Answer(letters=len(question.text)))}
Make = Callable[..., ChatProvider]
FromSettings = Callable[..., ModelProvider]
makers = pytest.mark.parametrize("model", MAKERS)


def asked(**more: Any) -> ModelRequest[Answer]:
    return ModelRequest(ModelRole.SOLVER, "test.count@1", AskedOfModel(), Answer, **more)


@makers
async def test_a_full_server_is_asked_again_when_it_said(llmock: LLMock, provider_for: Make, model: str):
    llmock.rate_limit(retry_after=0.3)
    start = time.monotonic()
    called = (await provider_for(model).ask(asked())).called
    assert (called.attempts, called.error, time.monotonic() - start >= 0.3) == (2, None, True)
    llmock.assert_resilient()


@makers
@pytest.mark.parametrize("fault", ["fail", "truncate", "nothing", "disconnect", "corrupt"])
async def test_a_fault_that_may_pass_is_tried_again(llmock: LLMock, provider_for: Make, model: str, fault: str):
    match fault:
        case "fail":
            llmock.fail(500)
        case "nothing":
            llmock.truncate(after_chunks=0)
        case _:
            getattr(llmock, fault)(after_chunks=2)
    called = (await provider_for(model).ask(asked())).called
    assert (called.attempts, called.repaired) == (2, False)
    llmock.assert_resilient()


@makers
async def test_silence_is_measured_from_the_last_chunk(llmock: LLMock, provider_for: Make, model: str):
    silent, slow = provider_for(model, model_timeout_seconds=0.4), provider_for(model, model_timeout_seconds=2.0)
    llmock.stall(after_chunks=2, seconds=20)
    start = time.monotonic()
    # a busy machine is silent for so long, too, and then it is asked again
    assert (await silent.ask(asked())).called.attempts >= 2
    assert time.monotonic() - start < 15
    llmock.pace(800)  # slower than the limit as a whole, never silent for so long
    start = time.monotonic()
    assert (await slow.ask(asked())).called.attempts == 1
    assert time.monotonic() - start > 2.0


@makers
async def test_a_model_that_stays_away_is_replaced_by_the_offline_one(
    llmock: LLMock, from_settings: FromSettings, book: PromptBook, model: str
):
    llmock.fail(503, times=None, retry_after=0.05)
    answered = await from_settings(settings(llmock, model), OFFLINE, book).ask(asked())
    assert answered.answer.letters == len(PRIVATE)
    called = answered.called
    assert (called.provider, called.fell_back_from, called.attempts) == ("offline", (model,), 4)
    assert called.error
    assert called.error.code is Code.MODEL_UNAVAILABLE
    llmock.assert_resilient()


async def test_the_chain_goes_from_maker_to_maker(llmock: LLMock, from_settings: FromSettings, book: PromptBook):
    llmock.fail(503, times=None, retry_after=0.05, provider="openai")
    chosen = settings(llmock, OPENAI, model_fallbacks=(ANTHROPIC,))
    called = (await from_settings(chosen, OFFLINE, book).ask(asked())).called
    assert (called.provider, called.fell_back_from) == ("anthropic", (OPENAI,))


async def test_a_role_has_a_model_of_its_own(llmock: LLMock, from_settings: FromSettings, book: PromptBook):
    chosen = settings(llmock, OPENAI, model_roles={ModelRole.SOLVER: "openai:gpt-5-mini"})
    called = (await from_settings(chosen, OFFLINE, book).ask(asked())).called
    assert (called.model, llmock.last_request.model) == ("gpt-5-mini", "gpt-5-mini")


async def test_without_an_offline_role_the_error_is_clear(
    llmock: LLMock, from_settings: FromSettings, book: PromptBook
):
    llmock.fail(503, times=None, retry_after=0.05)
    with pytest.raises(ModelUnavailable, match="openai:gpt-4o-mini: it answered 503") as raised:
        await from_settings(settings(llmock), {}, book).ask(asked())
    assert (raised.value.code, raised.value.called.attempts) == (Code.MODEL_UNAVAILABLE, 3)


@makers
async def test_prose_instead_of_json_is_mended_once(llmock: LLMock, provider_for: Make, model: str):
    llmock.reply("Sure! There are many letters in it.")
    called = (await provider_for(model).ask(asked())).called
    assert (called.repaired, called.attempts) == (True, 2)
    assert "it is no JSON object" in told(llmock)


@makers
async def test_prose_again_is_refused_and_the_next_is_asked(
    llmock: LLMock, from_settings: FromSettings, book: PromptBook, model: str
):
    llmock.reply("Letters are fascinating.", times=2)
    called = (await from_settings(settings(llmock, model), OFFLINE, book).ask(asked())).called
    assert (called.provider, called.attempts) == ("offline", 3)
    assert called.error
    assert called.error.code is Code.MODEL_OUTPUT_INVALID


@makers
async def test_json_in_a_fence_and_of_the_wrong_type_is_read_or_mended(llmock: LLMock, provider_for: Make, model: str):
    llmock.reply('Here you are:\n```json\n{"letters": 7}\n```')
    answered = await provider_for(model).ask(asked())
    assert (answered.answer.letters, answered.called.repaired) == (7, False)
    llmock.call_tool("answer", {"letters": "many"})
    assert (await provider_for(model).ask(asked())).called.repaired
    assert "letters: Input should be a valid integer" in told(llmock)


@makers
async def test_broken_arguments_of_the_answer_are_mended(llmock: LLMock, provider_for: Make, model: str):
    llmock.break_tool_call("malformed_arguments")
    called = (await provider_for(model).ask(asked())).called
    assert (called.repaired, called.attempts) == (True, 2)


async def test_an_answer_that_fits_and_is_wrong_is_mended_by_what_the_caller_says(llmock: LLMock, provider_for: Make):
    llmock.call_tool("answer", {"letters": 3}).call_tool("answer", {"letters": 4})
    request = asked(problem=lambda answer: None if answer.letters == 4 else "it is an even number")
    answered = await provider_for(OPENAI).ask(request)
    assert (answered.answer.letters, answered.called.repaired) == (4, True)


@makers
async def test_a_refusal_is_said_as_one_and_not_repeated(llmock: LLMock, provider_for: Make, model: str):
    llmock.add(Reply(text="", finish_reason="content_filter"))
    with pytest.raises(ModelDeclined) as raised:
        await provider_for(model).ask(asked())
    assert (raised.value.code, len(llmock.requests)) == (Code.MODEL_REFUSED, 1)


@makers
async def test_a_refused_key_and_a_prompt_too_long_are_not_tried_again(llmock: LLMock, provider_for: Make, model: str):
    for code, expected in ((401, Code.MODEL_MISCONFIGURED), (413, Code.MODEL_PROMPT_TOO_LONG)):
        llmock.reset().fail(code)
        with pytest.raises(ModelDeclined) as raised:
            await provider_for(model).ask(asked())
        assert (raised.value.code, len(llmock.requests)) == (expected, 1)


async def test_a_server_without_functions_is_told_the_schema(llmock: LLMock, provider_for: Make):
    llmock.fail(400, code="tools_unsupported").reply('{"letters": 5}', times=2)
    provider = provider_for(OPENAI)
    assert (await provider.ask(asked())).answer.letters == 5
    assert '"letters"' in told(llmock)
    assert "tools" not in llmock.last_request.body
    await provider.ask(asked())
    assert len(llmock.requests) == 3  # what was found out is remembered


async def test_a_very_late_server_is_not_waited_for(llmock: LLMock, from_settings: FromSettings, book: PromptBook):
    llmock.rate_limit(times=None, retry_after=90)
    start = time.monotonic()
    called = (await from_settings(settings(llmock), OFFLINE, book).ask(asked())).called
    assert (called.provider, called.attempts) == ("offline", 2)
    assert time.monotonic() - start < 60


async def test_cancelling_leaves_no_request_behind(llmock: LLMock, provider_for: Make):
    llmock.delay(3)
    asking = asyncio.create_task(provider_for(OPENAI).ask(asked()))
    await asyncio.sleep(0.2)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


@contextmanager
def logging_everything() -> Iterator[None]:
    """As a process does it that is told DREAM_LOG_LEVEL=DEBUG."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    quiet = {name: logging.getLogger(name).level for name in ("httpx", "httpcore", *logs.PROMPTS_IN_DEBUG)}
    try:
        logs.configure("test", "DEBUG", "json")
        yield
    finally:
        root.handlers[:] = before
        root.setLevel(level)
        for name, was in quiet.items():
            logging.getLogger(name).setLevel(was)


@makers
async def test_neither_the_key_nor_the_prompt_is_in_logs_or_records(
    llmock: LLMock, from_settings: FromSettings, book: PromptBook, model: str, capsys: pytest.CaptureFixture[str]
):
    llmock.fail(401, message=f"Incorrect API key {KEY}: {PRIVATE}")
    with logging_everything():
        provider = from_settings(settings(llmock, model), OFFLINE, book)
        talk = Conversation(summary=PRIVATE)
        records = [(await provider.ask(asked(conversation=talk))).called for _ in range(2)]
    written = "".join(capsys.readouterr())
    assert "a model failed" in written
    for text in (written, *map(render, records)):
        assert KEY not in text
        assert PRIVATE not in text


def test_a_maker_that_nobody_knows_is_said_at_the_start(llmock: LLMock, book: PromptBook):
    from backbone.model.provider import provider_of

    with pytest.raises(ModelMisconfigured, match="'nobody:none' cannot be used") as raised:
        provider_of(settings(llmock, model_roles={ModelRole.PLANNER: "nobody:none"}), {}, book)
    assert KEY not in str(raised.value)
