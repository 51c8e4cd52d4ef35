"""The default provider: no key, no network, deterministic. A service brings the roles it needs as functions."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import BaseModel

from backbone.model.port import Answer, ModelAnswer, ModelRequest
from backbone.telemetry import metrics
from contracts.model import ModelCalled, ModelRole

OfflineRole = Callable[[Any], BaseModel]
"""From the request's variables to the answer. Pure apart from time spent."""


class OfflineProvider:
    """See backbone.model.port.ModelProvider."""

    def __init__(self, roles: Mapping[ModelRole, tuple[str, OfflineRole]]) -> None:
        self._roles = roles

    async def ask(self, request: ModelRequest[Answer]) -> ModelAnswer[Answer]:
        """Runs the role's function in a thread: it may take milliseconds of CPU, and the loop serves others."""
        name, function = self._roles[request.role]
        prompt = request.variables.model_dump_json().encode()
        start = time.perf_counter()
        answer = cast("Answer", await asyncio.to_thread(function, request.variables))
        metrics.MODEL_CALLS.labels(request.role.value, "offline", "answered").inc()
        called = ModelCalled(
            role=request.role,
            provider="offline",
            model=name,
            prompt_id=request.prompt_id,
            prompt_hash=hashlib.sha256(prompt).hexdigest(),
            output=answer.model_dump(mode="json", exclude_defaults=True),
            latency_seconds=round(time.perf_counter() - start, 6),
        )
        return ModelAnswer(answer, called)
