"""The executor's handler: what is recorded about an attempt, and in whose words it fails."""

import asyncio

import pytest

from backbone.runner.handlers import Outcome
from contracts.decisions import DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoDispatched, TodoFailed, TodoStarted, TodoSucceeded
from contracts.shape import Event
from contracts.tools import ToolError
from services.execution.domain.retry import retry
from services.execution.execute.executor import START_GRACE, Executor, executor
from services.execution.tools.faults import ToolFault
from services.execution.tools.tool_runner import Done
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts
from tests.fakes.ledger import MemoryLedger
from tests.unit.services.catalogues import LANGUAGES, catalogue, tool
from tests.unit.services.execution.dispatching import DISPATCHER
from tests.unit.services.execution.job_dependencies import shop
from tests.unit.services.execution.tool_caller import ToolCaller, dispatch
from tests.unit.services.given import RUN, given, given_session, types
from tests.unit.services.plans import SAID, approved, planned


class Bench:
    """Instead of tools: an attempt that takes `seconds`, says `words` of progress, and ends as told."""

    def __init__(self, seconds: float = 0.0, words: int = 0, error: BaseException | None = None) -> None:
        self.catalogue = catalogue()
        self.seconds, self.words, self.error = seconds, words, error

    def spec(self, key):
        return tool(key, isolated=False)

    def check_arguments(self, spec, dispatched) -> None:
        """Nothing to check."""

    check_result = check_arguments

    async def execute(self, run_id, spec, dispatched, listener) -> Done:
        for number in range(self.words):
            await listener.progress(number / 10, str(number))
        await asyncio.sleep(self.seconds)
        if self.error:
            raise self.error
        return Done({"rows": 1}, ())


class Recorder:
    """Keeps what is recorded, each after a while."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.events: list[Event] = []

    async def __call__(self, key: str, *events: Event, **how: object) -> None:
        await asyncio.sleep(self.seconds)
        self.events += events


async def attempt(bench: Bench, recorder: Recorder, **fields) -> Outcome:
    session = await given_session(lambda ledger: executor("data", shop(bench, ledger), 1))
    message = await session.record(dispatch("work", **fields))
    return await Executor("data", shop(bench, session.ledger)).handle(message, message.event, recorder)


def failure(outcome: Outcome) -> TodoFailed:
    (emitted,) = outcome.emits
    assert isinstance(emitted.event, TodoFailed)
    return emitted.event


async def test_an_attempt_that_is_over_at_once_is_recorded_by_its_result_alone():
    recorder = Recorder()
    outcome = await attempt(Bench(), recorder)
    assert recorder.events == []
    (emitted,) = outcome.emits
    assert isinstance(emitted.event, TodoSucceeded)
    assert (emitted.event.todo_id, emitted.event.attempt, emitted.event.result) == ("a", 1, {"rows": 1})


@pytest.mark.parametrize("error", [None, ToolError(Code.TABLE_EMPTY, "행이 없어요.")], ids=["success", "failure"])
async def test_an_attempt_that_outlives_the_grace_has_its_start_recorded_before_its_end(error):
    recorder = Recorder(seconds=0.2)
    outcome = await attempt(Bench(START_GRACE * 1.5, error=error), recorder)
    (started,) = recorder.events  # although recording took longer than the attempt
    assert isinstance(started, TodoStarted)
    assert (started.todo_id, started.attempt, started.worker) == ("a", 1, "data")
    assert len(outcome.emits) == 1


async def test_progress_shows_the_start_first_and_not_every_word_is_recorded():
    recorder = Recorder()
    await attempt(Bench(words=50), recorder)
    assert types(recorder.events) == ["TodoStarted", "TodoProgressed"]


async def test_waiting_for_a_tool_is_no_start_so_that_after_the_question_nobody_takes_it_for_a_lost_call():
    class Gated(Bench):
        def spec(self, key):
            return tool(key, isolated=False, effects="external", confirm_policy="always")

    async def comes_late(name: str) -> None:
        await asyncio.sleep(START_GRACE * 2)

    recorder = Recorder()
    session = await given_session(lambda ledger: executor("data", shop(Gated(), ledger), 1))
    message = await session.record(dispatch("work"))
    late = Executor("data", shop(Gated(), session.ledger, expect=comes_late))
    (asked,) = (await late.handle(message, message.event, recorder)).emits
    assert isinstance(asked.event, DecisionRequested)
    assert recorder.events == []


async def test_the_start_is_recorded_once_when_the_tool_speaks_and_goes_on():
    recorder = Recorder()
    await attempt(Bench(START_GRACE * 1.5, words=1), recorder)
    assert types(recorder.events) == ["TodoStarted", "TodoProgressed"]


async def test_an_error_that_nobody_foresaw_is_the_runners_business_and_records_no_result():
    with pytest.raises(ZeroDivisionError):
        await attempt(Bench(error=ZeroDivisionError()), Recorder())


async def test_what_a_tool_says_stands():
    outcome = await attempt(Bench(error=ToolError(Code.TABLE_EMPTY, "행이 없어요.", rows=0)), Recorder(), language="en")
    info = failure(outcome).error
    assert (info.code, info.message, info.detail) == (Code.TABLE_EMPTY, "행이 없어요.", {"rows": 0})


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ko", "시간이 너무 오래 걸려서 멈췄어요."),
        ("en", "It took too long, so I stopped it."),
        ("ja", "時間がかかりすぎたため、停止しました。"),
    ],
)
async def test_what_we_found_is_said_in_the_persons_language_and_kept_for_developers(language, sentence):
    fault = ToolFault(Code.TOOL_TIMEOUT, "x.y did not end within 3 s", seconds=3.0)
    info = failure(await attempt(Bench(error=fault), Recorder(), language=language)).error
    assert info.message == sentence
    assert info.detail == {"seconds": 3.0, "technical": "x.y did not end within 3 s"}


async def test_a_refusal_without_words_is_said_by_its_code():
    outcome = await attempt(Bench(error=ToolError(Code.TABLE_EMPTY, " ")), Recorder(), language="en")
    assert failure(outcome).error.message == "The tool failed on this input."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", [code for code in Code if 6000 <= code < 6100 or code in (1010, 5004, 9000)])
def test_there_is_a_sentence_for_everything_that_can_go_wrong_around_a_tool(code, language):
    assert catalogue().say(language, f"error.{int(code)}")


async def test_a_retryable_failure_says_when_the_next_attempt_starts_and_sets_its_timer():
    error = ToolError(Code.EXTERNAL_UNAVAILABLE, "나중에", retryable=True)
    outcome = await attempt(Bench(error=error), Recorder(), retries=1)
    (timer,) = outcome.timers
    assert failure(outcome).will_retry_at == timer.due_at
    assert timer == retry(RUN, dispatch("work", retries=1).todo, 1, failure(outcome).error, _set_at(timer.due_at))
    last = await attempt(Bench(error=error), Recorder(), retries=1, attempt=2, failures=1)
    assert (failure(last).will_retry_at, last.timers) == (None, ())


def _set_at(due):
    """When the timer was set: its delay is the same on every replay."""
    info = ErrorInfo(code=Code.EXTERNAL_UNAVAILABLE, message="나중에", retryable=True)
    same = retry(RUN, dispatch("work", retries=1).todo, 1, info, due)
    assert same is not None
    return due - (same.due_at - due)


async def test_a_message_that_is_given_up_fails_its_todo_in_the_persons_language():
    handler = executor("data", shop(Bench(), MemoryLedger()), 4)
    session = await given_session(lambda _: handler)
    message = await session.record(dispatch("work", attempt=2))
    error = ErrorInfo(code=Code.DELIVERIES_EXHAUSTED, message="ZeroDivisionError()")
    failed = failure(handler.give_up(message, message.event, error))
    assert (failed.todo_id, failed.attempt, failed.will_retry_at) == ("a", 2, None)
    assert failed.error.message == "저희 쪽에서 문제가 생겼어요. 잃어버린 것은 없으니 다시 시도해 주세요."
    assert failed.error.detail == {"technical": "ZeroDivisionError()"}
    assert handler.give_up(message, SAID, error) == Outcome()


async def test_an_event_that_is_not_for_an_executor_is_an_error():
    served = shop(Bench(), MemoryLedger())
    session = await given_session(lambda _: executor("data", served, 1))
    message = await session.record(SAID)
    with pytest.raises(TypeError, match="MessageReceived"):
        await Executor("data", served).handle(message, SAID, Recorder())


@pytest.fixture
def caller(artifacts: MemoryArtifacts) -> ToolCaller:
    return ToolCaller(ToolPool(1), artifacts)


async def test_dispatcher_and_executor_together_try_again_until_the_attempts_are_used_up(caller):
    runner = caller.runner("async_hangs")
    item = dispatch("async_hangs", timeout_seconds=0.01, retries=2).todo
    story = given(DISPATCHER, SAID, planned(item))
    happened = story.when(approved())
    session = await given_session(lambda ledger: executor("data", shop(runner, ledger), 1))
    attempts = []
    for _ in range(3):
        asked = happened.only(TodoDispatched)
        attempts.append(asked.attempt)
        message = await session.record(asked)
        outcome = await Executor("data", shop(runner, session.ledger)).handle(message, asked, Recorder())
        happened = story.when(failure(outcome))
        if outcome.timers:
            happened.then_nothing()
            happened = story.when(outcome.timers[0].event)
    assert attempts == [1, 2, 3]
    output = happened.events[-1]
    assert output.error.code is Code.TOOL_TIMEOUT  # type: ignore[attr-defined]
    assert output.error.message == "시간이 너무 오래 걸려서 멈췄어요."  # type: ignore[attr-defined]
