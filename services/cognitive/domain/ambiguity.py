"""Whether layer 1 goes on, answers, asks or gives up: decided from the understanding alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from contracts.artifacts import TABLE, Attachment
from contracts.cognitive import Route
from contracts.errors import Code
from understanding.port import Choice, Doubt, Understanding

MAX_ROUNDS = 3
WEB_SERVES = frozenset({TABLE})
"""What a web address in the sentence can stand for."""


class QuestionKind(StrEnum):
    """What is asked. The value goes into the decision's subject, so that later rounds know what was asked."""

    WHAT = "what"
    SUBJECT = "subject"
    LANGUAGE = "language"
    FILE = "file"
    SLOT = "slot"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question. `again` says that the same thing was asked before; `refused` are files that do not serve; `slot` is
    what a task of the intent `intent` lacks; `shown` are examples of what can be asked for."""

    kind: QuestionKind
    pack: str
    domain: str | None = None
    choices: tuple[Choice, ...] = ()
    needs: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    again: bool = False
    intent: str | None = None
    slot: str | None = None
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """A text of the pack answers the message."""

    pack: str
    key: str


@dataclass(frozen=True, slots=True)
class Proceed:
    """Everything is known that planning needs."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The person was asked often enough. `missing` is what would have been asked next."""

    code: Code
    pack: str
    missing: QuestionKind


Verdict = Ask | Reply | Proceed | Refuse


def decide(
    understanding: Understanding, attachments: Sequence[Attachment], asked: Sequence[QuestionKind] = ()
) -> Verdict:
    """`asked` are the questions of this run so far, in order; never more than MAX_ROUNDS of them."""
    question = _question(understanding, attachments, asked)
    if question is not None:
        if max(len(asked), understanding.rounds) >= MAX_ROUNDS:
            return Refuse(Code.INTENT_UNSUPPORTED, understanding.pack, question.kind)
        return question
    if understanding.route is Route.ANSWER and understanding.answer:
        return Reply(understanding.pack, understanding.answer)
    return Proceed()


def _question(
    understanding: Understanding, attachments: Sequence[Attachment], asked: Sequence[QuestionKind]
) -> Ask | None:
    if understanding.ambiguities:
        doubt = understanding.ambiguities[0]
        kind = _KINDS[doubt.doubt]
        return Ask(kind, understanding.pack, doubt.domain, doubt.choices, again=kind in asked, shown=doubt.shown)
    if understanding.apart:
        kind = QuestionKind.ORDER
        return Ask(kind, understanding.pack, choices=understanding.apart, again=kind in asked)
    on_the_web = any(entity.type == "url" for entity in understanding.entities)
    missing = tuple(
        need
        for need in understanding.needs
        if not any(_serves(one, need) for one in attachments) and not (on_the_web and need in WEB_SERVES)
    )
    if missing and understanding.route is Route.PLAN:
        kind = QuestionKind.FILE
        names = tuple(one.name for one in attachments)
        return Ask(kind, understanding.pack, needs=missing, refused=names, again=kind in asked)
    if understanding.missing:
        # Never "again": the next question is most often for another slot.
        gap = understanding.missing[0]
        return Ask(QuestionKind.SLOT, gap.pack, intent=gap.intent, slot=gap.slot)
    return None


def _serves(attachment: Attachment, need: str) -> bool:
    """A more special type serves too: file.table.reviews where file.table is needed."""
    return attachment.type == need or attachment.type.startswith(f"{need}.")


_KINDS = {
    Doubt.UNKNOWN: QuestionKind.WHAT,
    Doubt.UNSPECIFIED: QuestionKind.SUBJECT,
    Doubt.FOREIGN: QuestionKind.LANGUAGE,
}
