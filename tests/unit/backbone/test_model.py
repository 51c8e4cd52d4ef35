"""The offline provider passes the suite of every provider."""

import pytest

from backbone.model.offline import OfflineProvider
from backbone.model.port import LoopRequest, ModelProvider, ModelRequest
from contracts.model import ModelRole
from tests.conformance.model_conformance import STATE, Answer, AskedOfModel, ModelConformance, nothing_to_do, plainly


def _count(question: AskedOfModel) -> Answer:
    return Answer(letters=len(question.text))


class TestOfflineProvider(ModelConformance):
    """Deterministic roles as plain functions."""

    @pytest.fixture
    def provider(self) -> ModelProvider:
        return OfflineProvider({ModelRole.SOLVER: ("counting-1", _count)})

    @pytest.fixture
    def request_(self) -> ModelRequest[Answer]:
        return ModelRequest(ModelRole.SOLVER, "test.count@1", AskedOfModel(), Answer)

    @pytest.fixture
    def loop_(self) -> LoopRequest:
        return LoopRequest("test.loop@1", STATE, (), nothing_to_do, plainly)

    async def test_a_role_nobody_brought_is_an_error_that_names_it(self, provider: ModelProvider) -> None:
        with pytest.raises(KeyError, match="planner"):
            await provider.ask(ModelRequest(ModelRole.PLANNER, "test.plan@1", AskedOfModel(), Answer))
