"""Chat providers of both makers pass the suite of every provider, over real HTTP."""

from collections.abc import Callable

import pytest

from backbone.model.chat.provider import ChatProvider
from backbone.model.port import LoopRequest, ModelProvider, ModelRequest
from contracts.model import ModelRole
from tests.conformance.model_conformance import STATE, Answer, AskedOfModel, ModelConformance, nothing_to_do, plainly
from tests.support.llm import ANTHROPIC, OPENAI


class ChatConformance(ModelConformance):
    """The scripted server answers with what fits the schema it is given."""

    model = ""

    @pytest.fixture
    def provider(self, provider_for: Callable[[str], ChatProvider]) -> ModelProvider:
        return provider_for(self.model)

    @pytest.fixture
    def request_(self) -> ModelRequest[Answer]:
        return ModelRequest(ModelRole.SOLVER, "test.count@1", AskedOfModel(), Answer)

    @pytest.fixture
    def loop_(self) -> LoopRequest:
        return LoopRequest("test.loop@1", STATE, (), nothing_to_do, plainly)


class TestOpenAI(ChatConformance):
    model = OPENAI


class TestAnthropic(ChatConformance):
    model = ANTHROPIC
