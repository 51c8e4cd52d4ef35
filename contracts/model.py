"""A call to a model, recorded as the fact it is: replay reads it and never calls again."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from contracts.errors import ErrorInfo
from contracts.shape import Digest, Event, JsonObject


class ModelRole(StrEnum):
    """Who asks the model (source design 000)."""

    CLASSIFIER = "classifier"
    EXTRACTOR = "extractor"
    PLANNER = "planner"
    SOLVER = "solver"
    SUMMARIZER = "summarizer"
    REPORTER = "reporter"
    INTERPRETER = "interpreter"


class ModelCalled(Event):
    """One answer of one model. The prompt is kept as its id and hash, never as text."""

    producers: ClassVar[frozenset[str]] = frozenset({"cognitive", "planning", "execution", "response"})
    example: ClassVar = {
        "role": "planner",
        "provider": "offline",
        "model": "backward-chaining-1",
        "prompt_id": "planning.plan@1",
        "prompt_hash": "0" * 64,
        "output": {"todos": []},
        "latency_seconds": 0.004,
        "local": True,
    }

    role: ModelRole
    provider: str
    model: str
    prompt_id: str
    prompt_hash: Digest
    output: JsonObject = Field(default_factory=dict)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0, description="USD")
    latency_seconds: float = Field(ge=0)
    repaired: bool = False
    attempts: int = Field(default=1, ge=1, description="requests made for this answer, retries and repair included")
    fell_back_from: tuple[str, ...] = Field(default=(), description="providers that were asked before, and failed")
    todo_id: str | None = Field(default=None, description="the todo on whose behalf, if one")
    local: bool = Field(default=False, description="code of this process answered; no model was asked")
    error: ErrorInfo | None = None
