"""The default provider: no key, no network, deterministic. A service brings the roles it needs as functions."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import BaseModel

from backbone.model.port import Answer, LoopAnswer, LoopRequest, ModelAnswer, ModelRequest
from backbone.telemetry import metrics, tracing
from contracts.model import ModelCalled, ModelRole

POLICY = "policy-1"
OfflineRole = Callable[[Any], BaseModel]
"""From the request's variables to the answer. Pure apart from time spent."""


class OfflineProvider:
    """See backbone.model.port.ModelProvider."""

    def __init__(self, roles: Mapping[ModelRole, tuple[str, OfflineRole]]) -> None:
        self._roles = roles

    async def ask(self, request: ModelRequest[Answer]) -> ModelAnswer[Answer]:
        """Runs the role's function in a thread: it may take milliseconds of CPU, and the loop serves others."""
        name, function = self._roles[request.role]
        start = time.perf_counter()
        answer = cast("Answer", await asyncio.to_thread(function, request.variables))
        called = _called(request, name, request.variables, answer, start)
        return ModelAnswer(answer, called)

    async def step(self, request: LoopRequest) -> LoopAnswer:
        """Asks the policy of the loop's agent."""
        start = time.perf_counter()
        step = request.policy(request.state, request.say)
        called = _called(request, POLICY, request.state, step, start)
        return LoopAnswer(step, called)


def _called(
    request: ModelRequest[Any] | LoopRequest, model: str, asked: BaseModel, answer: BaseModel, start: float
) -> ModelCalled:
    seconds = time.perf_counter() - start
    metrics.MODEL_CALLS.labels(request.role.value, "offline", "answered").inc()
    metrics.MODEL_SECONDS.labels(request.role.value, "offline").observe(seconds, tracing.exemplar())
    return ModelCalled(
        role=request.role,
        provider="offline",
        model=model,
        prompt_id=request.prompt_id,
        prompt_hash=hashlib.sha256(asked.model_dump_json().encode()).hexdigest(),
        output=answer.model_dump(mode="json", exclude_defaults=True),
        latency_seconds=round(seconds, 6),
        local=True,
        todo_id=request.todo_id,
    )
