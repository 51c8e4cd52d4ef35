"""The desk where people's answers are taken: I/O around the pure decision in domain/answers.py.

An answer is checked under the stream's lock, so that of many at once one is recorded."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID, uuid5

from pydantic import JsonValue, TypeAdapter, ValidationError
from uuid_utils.compat import uuid7

from backbone import crash
from backbone.artifacts.port import ArtifactStore
from backbone.ledger.port import Append, Fact, Ledger, NotRecordable, Tail
from contracts.artifacts import Attachment
from contracts.decisions import DecisionAnswered
from contracts.errors import Code
from contracts.shape import JsonObject
from services.gateway.domain.answers import Repeated, judge
from services.gateway.domain.refusal import Refused, short
from services.gateway.domain.session import ASKING, Asked, Session
from services.gateway.history import fold_in, told
from services.gateway.runs import NAME, check_attachments

ANYBODY = "anonymous"
_ATTACHMENTS: TypeAdapter[tuple[Attachment, ...]] = TypeAdapter(tuple[Attachment, ...])


class DecisionDesk:
    """Records answers to decisions."""

    def __init__(self, ledger: Ledger, artifacts: ArtifactStore) -> None:
        self._ledger = ledger
        self._artifacts = artifacts

    async def answer(self, session_id: UUID, decision_id: UUID, answer: JsonObject, key: UUID | None) -> int:
        """The version of the recorded answer. Raises Refused; of many answers at once one is recorded."""
        crash.point(NAME, "received")
        if not finite(answer):
            raise Refused(
                Code.DECISION_ANSWER_INVALID, "the answer holds a number that is infinite or none: send finite numbers"
            )
        await check_attachments(self._artifacts, _attachments(answer))
        cause = key or uuid7()
        answer_id = uuid5(cause, "answer")
        earlier = 0

        def decision(tails: Mapping[UUID, Tail], handled: AbstractSet[UUID]) -> Sequence[Append]:
            nonlocal earlier
            session = told(tails, session_id, Session(), fold_in)
            judged = judge(session, decision_id, answer, answer_id)
            if isinstance(judged, Repeated):
                earlier = judged.version
                return ()
            crash.point(NAME, "decided")
            return (_append(session_id, cause, answer_id, judged, answer),)

        try:
            appended = await self._ledger.decide(NAME, NAME, {session_id: 0}, ASKING, [cause], decision)
        except NotRecordable as error:
            raise Refused(
                Code.DECISION_ANSWER_INVALID,
                f"the answer cannot be recorded ({error}): send less, and put files into POST /artifacts",
                status=413,
            ) from None
        crash.point(NAME, "appended")
        return (appended[0].last_version or 0) if appended else earlier


def _append(session_id: UUID, cause: UUID, answer_id: UUID, asked: Asked, answer: JsonObject) -> Append:
    decision_id = asked.request.decision_id
    fact = Fact(
        event=DecisionAnswered(decision_id=decision_id, kind=asked.request.kind, answer=answer, answered_by=ANYBODY),
        event_id=answer_id,
        run_id=asked.run_id,
        correlation_id=asked.run_id or asked.event_id,
        causation_id=asked.event_id,
        # the run's trace goes on, whoever answers
        traceparent=asked.traceparent,
    )
    # the deadline's timer has the decision's id: answered is not expired
    return Append(session_id, cause, (fact,), cancel_timers=(decision_id,))


def finite(value: JsonValue) -> bool:
    """JSON has no infinite numbers; Python's reader of it has."""
    if isinstance(value, dict):
        return all(finite(member) for member in value.values())
    if isinstance(value, list):
        return all(finite(member) for member in value)
    return not isinstance(value, float) or math.isfinite(value)


def _attachments(answer: JsonObject) -> tuple[Attachment, ...]:
    files = answer.get("attachments")
    if files is None:
        return ()
    try:
        return _ATTACHMENTS.validate_python(files)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        path = "".join(f"/{part}" for part in ("attachments", *fault["loc"]))
        raise Refused(
            Code.DECISION_ANSWER_INVALID,
            f"{path} of the answer is {short(fault['input'])}: {fault['msg']}. Send what POST /artifacts returned",
            errors=({"path": path, "message": fault["msg"]},),
        ) from None
