"""The shape of an answer to a clarifying question, and how it is read."""

from collections.abc import Sequence

from contracts.shape import JsonObject
from services.cognitive.domain.ambiguity import QuestionKind

MAX_ANSWER = 4000
MAX_FILES = 20
_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": MAX_ANSWER}


def answer_schema(kind: QuestionKind) -> JsonObject:
    """A closed JSON Schema: {text} for most questions, {attachments} or {text} for a file.

    `text` is an option's value or a free sentence; `attachments` are artifact ids (SHA-256).
    """
    schema: JsonObject = {"type": "object", "additionalProperties": False, "properties": {"text": _TEXT}}
    if kind is not QuestionKind.FILE:
        return {**schema, "required": ["text"]}
    files: JsonObject = {
        "type": "array",
        "items": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "minItems": 1,
        "maxItems": MAX_FILES,
    }
    return {
        **schema,
        "properties": {"text": _TEXT, "attachments": files},
        "anyOf": [{"required": ["attachments"]}, {"required": ["text"]}],
    }


def read_answer(answer: JsonObject) -> tuple[str, tuple[str, ...]]:
    """The text ("" if only files came) for CognitiveInput.answers, and the artifact ids of the files."""
    text, files = answer.get("text"), answer.get("attachments")
    ids = tuple(str(one) for one in files) if isinstance(files, Sequence) and not isinstance(files, str) else ()
    return (text if isinstance(text, str) else ""), ids
