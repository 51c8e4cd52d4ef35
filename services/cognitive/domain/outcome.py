"""The event of layer 1, built from what was understood."""

from collections.abc import Sequence

from contracts.artifacts import Attachment
from contracts.cognitive import CognitiveOutput
from contracts.errors import ErrorInfo
from understanding.port import Understanding

ALTERNATIVES = 3


def cognitive_output(
    understanding: Understanding,
    attachments: Sequence[Attachment],
    *,
    answer: str | None = None,
    error: ErrorInfo | None = None,
    asks: bool = False,
) -> CognitiveOutput:
    """`answer` for a Reply, `error` for a Refuse, `asks` for an Ask, none of them for Proceed."""
    return CognitiveOutput(
        text=understanding.text,
        language=understanding.language,
        intent=understanding.intent,
        alternatives=understanding.intents[1 : 1 + ALTERNATIVES],
        entities=understanding.entities,
        plan_hint=understanding.plan_hint,
        requires_clarification=asks,
        route=understanding.route,
        answer=answer,
        attachments=tuple(attachments),
        tasks=understanding.tasks,
        unread=understanding.unread,
        error=error,
    )
