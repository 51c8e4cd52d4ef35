"""From results to an answer: aggregate, let a model retell the findings where there is one, generate the format."""

from dataclasses import dataclass, replace

from backbone.model.port import NO_CONVERSATION, Conversation, OnChunk
from contracts.model import ModelCalled
from contracts.response import ResponseInput, ResponseOutput
from services.response.domain.aggregate import Aggregate, aggregate
from services.response.formatter import ResponseGenerator
from services.response.reporter import Reporter

NOTHING_MADE = Aggregate((), (), (), (), {})


@dataclass(frozen=True, slots=True)
class Report:
    """Without a model for the reporter the findings stand as they are."""

    generator: ResponseGenerator
    reporter: Reporter | None = None

    async def respond(
        self, given: ResponseInput, conversation: Conversation = NO_CONVERSATION, on_chunk: OnChunk | None = None
    ) -> tuple[ResponseOutput, ModelCalled | None]:
        """The answer, and the record of the model's call if one has told it."""
        made, called = NOTHING_MADE, None
        if given.plan is not None and given.execution is not None:
            made = aggregate(given.plan, given.execution)
        if self.reporter is not None:
            understood = given.cognitive
            told, called = await self.reporter.retell(
                understood.text, made.sentences, understood.language, conversation, on_chunk
            )
            made = replace(made, sentences=tuple(told))
        return self.generator.generate(given, made), called
