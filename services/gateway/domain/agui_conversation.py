"""The conversation of a session as clients of AG-UI have it: messages, and the questions that wait. Pure."""

from collections.abc import Callable, Collection
from uuid import UUID

from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    CustomEvent,
    Interrupt,
    MessagesSnapshotEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    UserMessage,
)

from contracts.artifacts import Attachment
from contracts.response import ResponseOutput
from contracts.shape import JsonObject
from contracts.timers import ReminderDue
from services.gateway.domain.session import AskedDecision, Run, Session

Link = Callable[[Attachment], str]
"""Where a file is to be had."""
Told = list[BaseEvent]


def answer_id(run_id: UUID) -> str:
    """The id of the message that answers a run."""
    return f"answer:{run_id}"


def with_files(response: ResponseOutput, link: Link) -> str:
    """The text, and under it the files in Markdown: pictures as pictures, the rest as links."""
    files = [
        f"{'!' if file.media_type.startswith('image/') else ''}[{_plain(file.name)}]({link(file)})"
        for file in response.attachments
    ]
    return "\n\n".join(part for part in (response.text, "\n".join(f"- {file}" for file in files)) if part)


def interrupts(session: Session, *, expiring: bool) -> list[Interrupt]:
    """Every open question of a session, oldest first: a client must answer all that it is told of. `expiring`: it knows
    that questions have an end."""
    return [_interrupt(asked, expiring=expiring) for asked in session.open.values()]


def reminder(due: ReminderDue) -> CustomEvent:
    """A reminder that is due."""
    value = due.model_dump(mode="json", include={"reminder_id", "text", "due_at", "timezone"})
    return CustomEvent(name="dream.reminder", value=value)


def messages(session: Session, link: Link) -> MessagesSnapshotEvent:
    """The conversation, for a client that has none of it: of each run what was said, what was asked and answered, and
    the answer."""
    said: list[UserMessage | AssistantMessage] = []
    for run in session.runs.values():
        said.append(UserMessage(id=str(run.run_id), content=run.text))
        for asked in session.asked.values():
            if asked.run_id == run.run_id and asked.answer is not None:
                name = str(asked.request.decision_id)
                said.append(AssistantMessage(id=f"question:{name}", content=asked.request.question))
                said.append(UserMessage(id=f"reply:{name}", content=_in_words(asked, asked.answer)))
        text = _answer_of(run, link)
        if text:
            said.append(AssistantMessage(id=answer_id(run.run_id), content=text))
    return MessagesSnapshotEvent(messages=said)


def missing(session: Session, link: Link, known: Collection[str]) -> Told:
    """The answers that a client lacks which has the conversation: those behind the last one that it has."""
    told: Told = []
    for run in reversed(session.runs.values()):
        message_id, text = answer_id(run.run_id), _answer_of(run, link)
        if message_id in known:
            break
        if text:
            told[:0] = message(message_id, text)
    return told


def message(message_id: str, text: str) -> Told:
    return [
        TextMessageStartEvent(message_id=message_id, role="assistant"),
        TextMessageContentEvent(message_id=message_id, delta=text),
        TextMessageEndEvent(message_id=message_id),
    ]


def _answer_of(run: Run, link: Link) -> str:
    return with_files(run.response, link) if run.response else (run.error.message if run.error else "")


def _in_words(asked: AskedDecision, answer: JsonObject) -> str:
    """An answer as a person may have said it: their words, else what they chose."""
    words = next((answer[name] for name in ("text", "reason") if isinstance(answer.get(name), str)), "")
    chosen = {option.value: option.label for option in asked.request.options}
    choices = [chosen.get(str(value), str(value)) for name, value in answer.items() if name in ("action", "choice")]
    files = answer.get("attachments")
    names = [str(one.get("name")) for one in files if isinstance(one, dict)] if isinstance(files, list) else []
    return str(words) or ", ".join([*choices, *names]) or "…"


def _interrupt(asked: AskedDecision, *, expiring: bool) -> Interrupt:
    request = asked.request
    return Interrupt(
        id=str(request.decision_id),
        reason=f"dream:{request.kind.value}",
        message=request.question,
        response_schema=request.answer_schema,
        expires_at=request.deadline.isoformat() if expiring else None,
        metadata={
            "kind": request.kind.value,
            "run_id": str(asked.run_id) if asked.run_id else None,
            "language": request.language,
            "options": [option.model_dump() for option in request.options],
            "default": request.default,
            "subject": request.subject,
        },
    )


def _plain(name: str) -> str:
    """A file's name as the text of a link."""
    return name.translate(str.maketrans("[]\n\\", "() /"))
