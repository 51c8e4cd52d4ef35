"""What a layer asks of a model: one port for every provider. The answer is a contract, checked before it is seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from contracts.agents import LoopState, NextStep, Policy, Say
from contracts.cognitive import Turn
from contracts.model import ModelCalled, ModelRole
from contracts.shape import Contract
from contracts.tools import ToolSpec

Answer = TypeVar("Answer", bound=BaseModel)
OnChunk = Callable[[str], None]
"""Is told pieces of the answer while it is written; an empty piece says that it begins anew."""


class Conversation(Contract):
    """What every model is told of the session: the running summary, the last turns verbatim (source design 002)."""

    summary: str = ""
    history: tuple[Turn, ...] = ()


NO_CONVERSATION = Conversation()


@dataclass(frozen=True, slots=True)
class ModelRequest(Generic[Answer]):
    """A question to a model. `variables` fills the prompt; `answer` is the contract that the output must fit.

    A prompt is found by its id, `<where>.<name>@<version>`: prompts/<name>.yaml of a service or a pack. `problem` says
    what is wrong with an answer that fits its contract; the model may mend it once. An answer whose class names a field
    in `spoken` is plain text, which goes there and may be heard while it is written."""

    role: ModelRole
    prompt_id: str
    variables: BaseModel
    answer: type[Answer]
    conversation: Conversation = NO_CONVERSATION
    on_chunk: OnChunk | None = None
    todo_id: str | None = None
    problem: Callable[[Answer], str | None] | None = None


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[Answer]):
    """The answer, and the record of the call, which the caller puts into the ledger with its own events."""

    answer: Answer
    called: ModelCalled


@dataclass(frozen=True, slots=True)
class LoopRequest:
    """The next step of an agent loop (source design 003): the messages so far, and the tools that may be called.

    `policy` with `say` is what the offline provider asks instead of a model."""

    prompt_id: str
    state: LoopState
    tools: tuple[ToolSpec, ...]
    policy: Policy
    say: Say
    conversation: Conversation = NO_CONVERSATION
    role: ModelRole = ModelRole.SOLVER
    on_chunk: OnChunk | None = None
    todo_id: str | None = None


@dataclass(frozen=True, slots=True)
class LoopAnswer:
    """Calls to make, or the final answer; and the record of the call."""

    step: NextStep
    called: ModelCalled


class ModelProvider(Protocol):
    """A provider of answers. Raises Retryable when it cannot be reached, Rejected when it refuses."""

    async def ask(self, request: ModelRequest[Answer]) -> ModelAnswer[Answer]: ...

    async def step(self, request: LoopRequest) -> LoopAnswer:
        """One turn of the model in a loop. Calls name tools and hold objects; whether they may be made is checked by
        who makes them."""
