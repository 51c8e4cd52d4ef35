"""A run so far: its message, what was asked about it, and what was answered."""

from dataclasses import dataclass
from uuid import UUID

from backbone.ledger.port import Ledger
from contracts.artifacts import Attachment
from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.gateway import MessageReceived
from contracts.shape import JsonObject
from services.cognitive.domain.answers import read_answer

_RUN = frozenset({"MessageReceived", "DecisionRequested", "DecisionAnswered"})


@dataclass(frozen=True, slots=True)
class Asked:
    """Its message, the subjects of the questions asked, and the answers."""

    received: MessageReceived
    subjects: tuple[JsonObject, ...] = ()
    answers: tuple[str, ...] = ()
    files: tuple[Attachment | str, ...] = ()


async def so_far(ledger: Ledger, session_id: UUID, run_id: UUID) -> Asked | None:
    """None: the run has no message."""
    received: MessageReceived | None = None
    subjects: list[JsonObject] = []
    answers: list[str] = []
    files: list[Attachment | str] = []
    for message in await ledger.find(session_id, _RUN, run_id):
        match message.event:
            case MessageReceived() as first:
                received = first
            case DecisionRequested(kind=DecisionKind.CLARIFY, subject=subject):
                subjects.append(subject)
            case DecisionAnswered(kind=DecisionKind.CLARIFY, answer=answer):
                words, brought = read_answer(answer)
                answers += words or ("",)  # empty for files alone: rounds are counted by answers
                files += brought
            case _:
                pass
    return Asked(received, tuple(subjects), tuple(answers), tuple(files)) if received else None
