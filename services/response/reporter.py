"""The reporter role: a model retells the findings. Failures, files and figures stay in code's own words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from backbone.model.faults import ModelDeclined, ModelUnavailable
from backbone.model.port import NO_CONVERSATION, Conversation, ModelProvider, ModelRequest, OnChunk
from contracts.model import ModelCalled, ModelRole
from contracts.shape import Contract
from services.response.domain.faithful import is_faithful

PROMPT = "response.report@1"
LONGEST = 6_000
"""Characters of findings that are retold; a long list is better read than told."""


class ReporterQuestion(Contract):
    """What was asked, and what was found, sentence by sentence."""

    request: str
    facts: tuple[str, ...]
    language: str


class ReporterAnswer(Contract):
    """The findings retold."""

    spoken: ClassVar = "text"

    text: str = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Reporter:
    """Asks the model; what it adds to the findings is not said."""

    provider: ModelProvider

    async def retell(
        self,
        request: str,
        findings: Sequence[str],
        language: str,
        conversation: Conversation = NO_CONVERSATION,
        on_chunk: OnChunk | None = None,
    ) -> tuple[Sequence[str], ModelCalled | None]:
        """The sentences to say, and the record of the call: the findings themselves where the model fails or errs."""
        if not findings or sum(map(len, findings)) > LONGEST:
            return findings, None
        question = ReporterQuestion(request=request, facts=tuple(findings), language=language)

        def problem(answer: ReporterAnswer) -> str | None:
            if is_faithful(answer.text, findings):
                return None
            return "it leaves out what was found, or has numbers, names or addresses that are not in the findings"

        asked = ModelRequest(
            ModelRole.REPORTER,
            PROMPT,
            question,
            ReporterAnswer,
            conversation=conversation,
            on_chunk=on_chunk,
            problem=problem,
        )
        try:
            answered = await self.provider.ask(asked)
        except (ModelUnavailable, ModelDeclined) as fault:
            return findings, fault.called
        return (answered.answer.text,), answered.called
