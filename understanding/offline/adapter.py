"""The offline model behind the port of this room: it reads in a thread, and records what it said as any model does."""

import asyncio
import hashlib
import time
from datetime import datetime

from contracts.cognitive import CognitiveInput
from contracts.model import ModelCalled, ModelRole
from contracts.reading import Clause
from understanding.offline.excerpt import excerpt
from understanding.offline.pointed import with_sum
from understanding.offline.tasks import clause_of
from understanding.offline.understand import SentenceReader as Engine
from understanding.port import Situation, UserTurn
from understanding.result import Understanding

MODEL = "sentence-encoder+logistic-1"
PROMPT = "understanding.read@1"


class OfflineUnderstander:
    """See understanding.port.Offline."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def understand(self, turn: UserTurn, situation: Situation) -> Understanding:
        return await asyncio.to_thread(self.read, turn, situation)

    async def clause(self, text: str, now: datetime, language: str) -> Clause:
        return await asyncio.to_thread(clause_of, excerpt(text).text, now, language)

    def read(self, turn: UserTurn, situation: Situation) -> Understanding:
        start = time.perf_counter()
        given = CognitiveInput(
            text=with_sum(turn.text, situation.talk.history, situation.now),
            language=turn.language,
            answers=turn.answers,
            context=situation.there,
            flow=situation.flow,
        )
        found = self._engine.understand(given, situation.now, turn.wants)
        return found.model_copy(update={"called": (_called(given, found, time.perf_counter() - start),)})

    def warm(self, now: datetime) -> None:
        self._engine.warm(now)


def _called(given: CognitiveInput, found: Understanding, seconds: float) -> ModelCalled:
    return ModelCalled(
        role=ModelRole.CLASSIFIER,
        provider="offline",
        model=MODEL,
        prompt_id=PROMPT,
        prompt_hash=hashlib.sha256(given.model_dump_json().encode()).hexdigest(),
        output={"intent": found.intent.model_dump(mode="json"), "goals": list(found.plan_hint.goals)},
        latency_seconds=round(seconds, 6),
        local=True,
    )
