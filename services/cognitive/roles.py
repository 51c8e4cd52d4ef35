"""What this layer asks of a model: the running summary."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from backbone.model.port import ModelProvider, ModelRequest
from contracts.cognitive import Turn
from contracts.model import ModelCalled, ModelRole
from contracts.shape import Contract

SUMMARIZE = "cognitive.summarize@1"


class SummaryQuestion(Contract):
    """The turns since the last summary, and that summary."""

    turns: tuple[Turn, ...]
    summary: str = ""
    language: str = "en"


class Summary(Contract):
    """The running summary."""

    spoken: ClassVar = "summary"

    summary: str = Field(min_length=1, max_length=4000)


async def summarize(
    provider: ModelProvider, turns: Sequence[Turn], summary: str, language: str
) -> tuple[str, ModelCalled]:
    """The new running summary. Raises HandlingError when the provider has no offline summarizer and the model fails."""
    question = SummaryQuestion(turns=tuple(turns), summary=summary, language=language)
    answered = await provider.ask(ModelRequest(ModelRole.SUMMARIZER, SUMMARIZE, question, Summary))
    return answered.answer.summary, answered.called
