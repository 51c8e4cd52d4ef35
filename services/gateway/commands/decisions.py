"""Answers to decisions: I/O around the pure decision in domain/answers.py.

An answer is checked under the stream's lock, so that of many at once one is recorded."""

from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from backbone.ledger.port import Fact, Ledger, NotRecordable
from contracts.access import Principal
from contracts.artifacts import Attachment
from contracts.decisions import DecisionAnswered
from contracts.errors import Code
from contracts.shape import JsonObject
from services.gateway.commands.files import Files
from services.gateway.commands.record import DECISIONS, Command, record_command, refuse_infinite
from services.gateway.domain.answers import judge
from services.gateway.domain.refusal import Refused, Repeated, short
from services.gateway.domain.session import AskedDecision, Session

ANYBODY = "anonymous"
_ATTACHMENTS: TypeAdapter[tuple[Attachment, ...]] = TypeAdapter(tuple[Attachment, ...])


class DecisionCommands:
    """Records answers to decisions."""

    def __init__(self, ledger: Ledger, files: Files) -> None:
        self._ledger = ledger
        self._files = files

    async def answer(
        self, session_id: UUID, decision_id: UUID, answer: JsonObject, key: UUID | None, *, who: Principal
    ) -> int:
        """The version of the recorded answer. Raises Refused; of many answers at once one is recorded."""
        refuse_infinite(answer, "the answer", Code.DECISION_ANSWER_INVALID)
        await self._files.check(who, _attachments(answer))
        command = Command.of(session_id, "answer", key)

        def judged(session: Session, _: bool) -> Fact | Repeated:  # noqa: FBT001  # as record_command calls it
            asked = judge(session, decision_id, answer, command.event_id)
            return asked if isinstance(asked, Repeated) else _fact(asked, command.event_id, answer, who.user or ANYBODY)

        # the deadline's timer has the decision's id: answered is not expired
        return await record_command(
            self._ledger, command, DECISIONS, judged, cancel_timers=(decision_id,), unrecordable=_files_elsewhere
        )


def _fact(asked: AskedDecision, answer_id: UUID, answer: JsonObject, by: str) -> Fact:
    request = asked.request
    return Fact(
        event=DecisionAnswered(decision_id=request.decision_id, kind=request.kind, answer=answer, answered_by=by),
        event_id=answer_id,
        run_id=asked.run_id,
        correlation_id=asked.run_id or asked.event_id,
        causation_id=asked.event_id,
        # the run's trace goes on, whoever answers
        traceparent=asked.traceparent,
    )


def _files_elsewhere(error: NotRecordable) -> Refused:
    return Refused(
        Code.DECISION_ANSWER_INVALID,
        f"the answer cannot be recorded ({error}): send less, and put files into POST /artifacts",
        status=413,
    )


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
