"""The desk where feedback on runs is recorded: I/O around the pure decision in domain/feedback.py."""

import asyncio
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID, uuid5

from uuid_utils.compat import uuid7

from backbone import crash, packs
from backbone.ledger.port import Append, Fact, Ledger, NotRecordable, Tail
from contracts.errors import Code
from services.gateway.domain.feedback import FOLDS, Possible, Rated, evolve, judge
from services.gateway.domain.refusal import Refused
from services.gateway.feedback import FeedbackRequest
from services.gateway.handlers import finite
from services.gateway.history import told
from services.gateway.runs import NAME


class FeedbackDesk:
    """Records what people think of runs, whether they go on or are over."""

    def __init__(self, ledger: Ledger, names: Sequence[str]) -> None:
        self._ledger = ledger
        self._names = tuple(names)
        self._possible: Possible | None = None

    async def give(self, session_id: UUID, request: FeedbackRequest, key: UUID | None) -> int:
        """The version at which it is recorded, now or before. Raises Refused."""
        crash.point(NAME, "received")
        if not finite(request.correction.model_dump(mode="json")):
            raise Refused(Code.INVALID_REQUEST, "the correction holds a number that is infinite or none")
        if self._possible is None:
            # in a thread: packs are files, and few gateways are ever told of a mistake
            self._possible = await asyncio.to_thread(_possible, self._names)
        possible, given = self._possible, request.event
        event_id = uuid5(key, "feedback") if key else uuid7()
        cause = key or event_id
        earlier: int | None = None

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            nonlocal earlier
            rated = told(tails, session_id, Rated(), evolve)
            earlier = judge(rated, request.run_id, given, event_id, possible)
            if earlier is not None:
                return ()
            crash.point(NAME, "decided")
            begun, traceparent = rated.runs[request.run_id]
            fact = Fact(given, event_id, request.run_id, request.run_id, begun, traceparent)
            return (Append(session_id, cause, (fact,)),)

        try:
            appended = await self._ledger.decide(NAME, NAME, {session_id: 0}, FOLDS, [cause], decision)
        except NotRecordable as error:
            raise Refused(Code.INVALID_REQUEST, f"this cannot be recorded ({error}): send less", status=413) from None
        crash.point(NAME, "appended")
        return (appended[0].last_version if appended else None) or earlier or 0


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
