"""May this answer be recorded? Decided over the folded session, under the stream's lock, so that one answer wins."""

from uuid import UUID

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry

from contracts.errors import Code
from contracts.shape import JsonObject
from services.gateway.domain.refusal import Refused, Repeated, short
from services.gateway.domain.session import AskedDecision, DecisionState, Session

FAULTS_SHOWN = 5


def judge(session: Session, decision_id: UUID, answer: JsonObject, answer_id: UUID) -> AskedDecision | Repeated:
    """The open decision that the answer fits, or the earlier recording of the same answer. Raises Refused."""
    asked = session.asked.get(decision_id)
    if asked is None:
        raise Refused(
            Code.DECISION_UNKNOWN,
            f"decision {decision_id} was never asked here: GET /sessions/{{session_id}}/decisions lists the open ones",
        )
    if asked.answer_id == answer_id:
        if asked.answer == answer:
            return Repeated(asked.answer_version)
        raise Refused(
            Code.IDEMPOTENCY_KEY_REUSED,
            f"this Idempotency-Key came with another answer to decision {decision_id} before: use a new key",
        )
    if asked.standing is not DecisionState.OPEN:
        raise Refused(
            Code.DECISION_CLOSED,
            f"decision {decision_id} is not open ({asked.standing}): nothing was changed, no answer is needed any more",
        )
    check(asked.request.answer_schema, answer, decision_id)
    return asked


def check(schema: JsonObject, answer: JsonObject, decision_id: UUID) -> None:
    """Raises Refused with every fault (the first few) when the answer does not fit the schema."""
    # an empty registry: a $ref may not make the gateway fetch anything
    validator = Draft202012Validator(schema, registry=Registry())
    faults = sorted(validator.iter_errors(answer), key=_pointer)
    if faults:
        where = _pointer(faults[0]) or "answer"
        raise Refused(
            Code.DECISION_ANSWER_INVALID,
            f"the answer {short(answer)} does not fit decision {decision_id}: {where}: {_cut(faults[0])}."
            " Send one that fits its answer_schema",
            errors=[{"path": _pointer(fault), "message": _cut(fault)} for fault in faults[:FAULTS_SHOWN]],
        )


def _pointer(fault: ValidationError) -> str:
    return "".join(f"/{part}" for part in fault.absolute_path)


def _cut(fault: ValidationError) -> str:
    return fault.message if len(fault.message) <= 300 else fault.message[:300] + "…"
