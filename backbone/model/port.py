"""What a layer asks of a model: one port for every provider. The answer is a contract, checked before it is seen."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from contracts.model import ModelCalled, ModelRole

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelRequest(Generic[Answer]):
    """A question to a model. `variables` fills the prompt; `answer` is the contract that the output must fit."""

    role: ModelRole
    prompt_id: str
    variables: BaseModel
    answer: type[Answer]


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[Answer]):
    """The answer, and the record of the call, which the caller puts into the ledger with its own events."""

    answer: Answer
    called: ModelCalled


class ModelProvider(Protocol):
    """A provider of answers. Raises Retryable when it cannot be reached, Rejected when it refuses."""

    async def ask(self, request: ModelRequest[Answer]) -> ModelAnswer[Answer]: ...
