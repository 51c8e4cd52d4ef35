"""The shape of an answer to a clarifying question, and how it is read."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import ValidationError

from contracts.artifacts import Attachment
from contracts.shape import JsonObject, JsonValue
from services.cognitive.domain.ambiguity import QuestionKind

MAX_ANSWER = 4000
MAX_FILES = 20
_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": MAX_ANSWER}
_FILE: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["artifact_id", "name", "media_type", "size", "type"],
    "properties": {
        "artifact_id": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "name": {"type": "string", "minLength": 1, "maxLength": 255},
        "media_type": {"type": "string"},
        "size": {"type": "integer", "minimum": 0},
        "type": {"type": "string"},
        "meta": {"type": "object"},
    },
}
"""An Attachment, as POST /artifacts returned it."""


class Answer(NamedTuple):
    """A person's answer: what they chose and said, in this order, and the files that came with it.

    A file is whole, or an artifact id of the session (as answers looked before they carried attachments)."""

    words: tuple[str, ...]
    files: tuple[Attachment | str, ...]


def answer_schema(kind: QuestionKind, options: Sequence[str] = ()) -> JsonObject:
    """A closed JSON Schema: {choice} and/or {text}, with {attachments} or without; for a file {attachments} will do.

    `choice` is an option's value; `text` is a free sentence (or an option's value too)."""
    answers: JsonObject = {"text": _TEXT}
    if options:
        answers["choice"] = {"enum": list(options)}
    files: JsonObject = {"attachments": {"type": "array", "items": _FILE, "minItems": 1, "maxItems": MAX_FILES}}
    enough = [*answers, *(files if kind is QuestionKind.FILE else ())]
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {**answers, **files},
        "anyOf": [{"required": [name]} for name in enough],
    }


def read_answer(answer: JsonObject) -> Answer:
    """What an answer says. It fits its schema, but the schema may be that of an older version."""
    said = (answer.get("choice"), answer.get("text"))
    files = answer.get("attachments")
    return Answer(
        words=tuple(one for one in said if isinstance(one, str) and one),
        files=tuple(file for one in files if (file := _file(one)) is not None) if isinstance(files, list) else (),
    )


def _file(value: JsonValue) -> Attachment | str | None:
    if isinstance(value, str):
        return value
    try:
        return Attachment.model_validate(value)
    except ValidationError:
        return None
