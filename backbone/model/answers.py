"""From what a model wrote to the contract that was asked for; or what is wrong with it, in words it can mend by."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

A = TypeVar("A", bound=BaseModel)
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*\s*\n(.*?)```", re.DOTALL)
MOST_PROBLEMS = 8
LONGEST_PROBLEM = 1_000


class AnswerUnusable(Exception):
    """The output does not fit. `str` says why, and quotes nothing but names of fields and types."""


def spoken_field(answer: type[BaseModel]) -> str:
    """The field that takes a plain text as it is; empty for an answer in JSON."""
    return str(getattr(answer, "spoken", ""))


def read_answer(answer: type[A], text: str) -> A:
    """Raises AnswerUnusable."""
    field = spoken_field(answer)
    if field:
        if not text.strip():
            raise AnswerUnusable("it is empty")
        return _validated(answer, {field: text.strip()})
    return _validated(answer, read_object(text))


def read_object(text: str) -> dict[str, Any]:
    """The one JSON object in a text, out of its code fence if it has one. Raises AnswerUnusable."""
    fence = _FENCE.search(text)
    inner = (fence[1] if fence else text).strip()
    begin, end = inner.find("{"), inner.rfind("}")
    if begin < 0 or end < begin:
        raise AnswerUnusable("it is no JSON object")
    try:
        found = json.loads(inner[begin : end + 1])
    except (ValueError, RecursionError) as error:
        raise AnswerUnusable(f"it is no valid JSON: {_place(error)}") from None
    if not isinstance(found, dict):
        raise AnswerUnusable("it is no JSON object")
    return found


def _place(error: Exception) -> str:
    return f"{error.msg} at character {error.pos}" if isinstance(error, json.JSONDecodeError) else "it cannot be read"


def _validated(answer: type[A], found: dict[str, Any]) -> A:
    try:
        return answer.model_validate_json(json.dumps(found))
    except ValidationError as error:
        raise AnswerUnusable(_problems(error)) from None


def _problems(error: ValidationError) -> str:
    """Without the values: they may be what a person said."""
    told = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'/'.join(map(str, one['loc'])) or 'the object'}: {one['msg']}" for one in told[:MOST_PROBLEMS]]
    return "; ".join(lines)[:LONGEST_PROBLEM]
