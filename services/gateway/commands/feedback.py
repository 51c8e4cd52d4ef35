"""Feedback on runs: I/O around the pure decision in domain/feedback.py."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from backbone import packs
from backbone.ledger.port import Fact, Ledger
from services.gateway.commands.record import Command, Fold, record_command, refuse_infinite
from services.gateway.domain.feedback import FOLDS, Possible, Rated, evolve, judge
from services.gateway.domain.refusal import Repeated
from services.gateway.views.feedback import FeedbackRequest

RATINGS = Fold(FOLDS, Rated, evolve)


class FeedbackCommands:
    """Records what people think of runs, whether they go on or are over."""

    def __init__(self, ledger: Ledger, names: Sequence[str]) -> None:
        self._ledger = ledger
        self._names = tuple(names)
        self._possible: Possible | None = None

    async def give(self, session_id: UUID, request: FeedbackRequest, key: UUID | None) -> int:
        """The version at which it is recorded, now or before. Raises Refused."""
        refuse_infinite(request.correction.model_dump(mode="json"), "the correction")
        if self._possible is None:
            # in a thread: packs are files, and few gateways are ever told of a mistake
            self._possible = await asyncio.to_thread(_possible, self._names)
        possible, given = self._possible, request.event
        command = Command.of(session_id, "feedback", key)

        def judged(rated: Rated, _: bool) -> Fact | Repeated:  # noqa: FBT001  # as record_command calls it
            if repeated := judge(rated, request.run_id, given, command.event_id, possible):
                return repeated
            begun, traceparent = rated.runs[request.run_id]
            return Fact(given, command.event_id, request.run_id, request.run_id, begun, traceparent)

        return await record_command(self._ledger, command, RATINGS, judged)


def _possible(names: Sequence[str]) -> Possible:
    catalogue = packs.load(names)
    intents: dict[str, frozenset[str]] = {}
    for pack in catalogue.packs.values():
        for spec in pack.intents:
            slots: set[str] = set()
            if spec.tool in catalogue.tools:
                properties = catalogue.tools[spec.tool].params_schema.get("properties")
                slots |= set(properties) if isinstance(properties, dict) else set()
            if spec.flow in pack.flows:
                slots |= {slot.name for slot in pack.flows[spec.flow].slots}
            for name in (spec.intent, ".".join(spec.intent.split(".")[:2])):
                intents[name] = intents.get(name, frozenset()) | slots
    return Possible(intents, frozenset(catalogue.tools))
