"""What every model provider does, whoever answers behind it. Inherit and give `provider` and `request`."""

import pytest

from backbone.model.port import ModelProvider, ModelRequest
from contracts.registry import parse, render
from contracts.shape import Contract

PRIVATE = "a sentence that nobody else should read"


class Question(Contract):
    """What the suite asks; `text` is private to the person."""

    text: str = PRIVATE


class Answer(Contract):
    """What it expects back."""

    letters: int


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
