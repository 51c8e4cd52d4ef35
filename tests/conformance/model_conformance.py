"""What every model provider does, whoever answers behind it. Inherit and give `provider`, `request_` and `loop_`."""

from datetime import UTC, datetime

import pytest

from backbone.model.port import LoopRequest, ModelProvider, ModelRequest
from contracts.agents import LoopState, NextStep, Say
from contracts.registry import parse, render
from contracts.shape import Contract

PRIVATE = "a sentence that nobody else should read"


class AskedOfModel(Contract):
    """What the suite asks; `text` is private to the person."""

    text: str = PRIVATE


class Answer(Contract):
    """What it expects back."""

    letters: int


STATE = LoopState(request=PRIVATE, language="en", now=datetime(2026, 3, 2, 9, 30, tzinfo=UTC))


def nothing_to_do(state: LoopState, say: Say) -> NextStep:
    """A policy that answers at once."""
    return NextStep(text="done")


def plainly(key: str, **values: object) -> str:
    return key


class ModelConformance:
    """A provider answers in the contract asked for, and leaves a record without the prompt's text."""

    @pytest.fixture
    def provider(self) -> ModelProvider:
        raise NotImplementedError("the adapter's test gives the provider")

    @pytest.fixture
    def request_(self) -> "ModelRequest[Answer]":
        raise NotImplementedError("the adapter's test gives a request it can answer")

    async def test_the_answer_is_the_contract_that_was_asked_for(
        self, provider: ModelProvider, request_: "ModelRequest[Answer]"
    ) -> None:
        given = await provider.ask(request_)
        assert isinstance(given.answer, Answer)

    async def test_the_record_names_role_provider_and_prompt(
        self, provider: ModelProvider, request_: "ModelRequest[Answer]"
    ) -> None:
        called = (await provider.ask(request_)).called
        assert (called.role, called.prompt_id) == (request_.role, request_.prompt_id)
        assert called.provider
        assert called.model
        assert called.latency_seconds >= 0

    async def test_the_record_holds_the_answer_and_a_hash_but_not_the_prompt(
        self, provider: ModelProvider, request_: "ModelRequest[Answer]"
    ) -> None:
        given = await provider.ask(request_)
        assert given.called.output == given.answer.model_dump(mode="json", exclude_defaults=True)
        assert PRIVATE not in render(given.called)

    async def test_the_record_can_go_into_the_ledger_and_come_back(
        self, provider: ModelProvider, request_: "ModelRequest[Answer]"
    ) -> None:
        called = (await provider.ask(request_)).called
        assert parse("ModelCalled", 1, render(called)) == called

    async def test_the_same_question_has_the_same_prompt_hash(
        self, provider: ModelProvider, request_: "ModelRequest[Answer]"
    ) -> None:
        first, second = await provider.ask(request_), await provider.ask(request_)
        assert first.called.prompt_hash == second.called.prompt_hash

    @pytest.fixture
    def loop_(self) -> LoopRequest:
        raise NotImplementedError("the adapter's test gives a step of a loop")

    async def test_a_step_of_a_loop_says_something_or_calls_something(
        self, provider: ModelProvider, loop_: LoopRequest
    ) -> None:
        step = (await provider.step(loop_)).step
        assert step.text or step.calls

    async def test_calls_of_a_step_have_names_of_their_own(self, provider: ModelProvider, loop_: LoopRequest) -> None:
        calls = (await provider.step(loop_)).step.calls
        assert len({call.call_id for call in calls}) == len(calls)

    async def test_the_record_of_a_step_can_go_into_the_ledger_and_names_its_prompt(
        self, provider: ModelProvider, loop_: LoopRequest
    ) -> None:
        called = (await provider.step(loop_)).called
        assert (called.role, called.prompt_id) == (loop_.role, loop_.prompt_id)
        assert parse("ModelCalled", 1, render(called)) == called
        assert PRIVATE not in render(called)
