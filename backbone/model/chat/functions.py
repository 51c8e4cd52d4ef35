"""Tools as functions that a model may call: their names, which may have no dot, and back again."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from contracts.agents import ToolCall
from contracts.tools import ToolSpec

LONGEST_NAME = 64
LONGEST_CALL_ID = 100
DOT = "__"
UNKNOWN = "unknown"
"""Pack of a function that no tool has: whoever makes the call says that it does not exist."""
ANSWER = "answer"
_NOT_A_NAME = re.compile(r"[^a-z0-9_]+")
_NOT_AN_ID = re.compile(r"[^A-Za-z0-9_-]")
_KEY = re.compile(r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")

Function = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as the model wrote it; `arguments` may be anything."""

    name: str
    call_id: str
    arguments: str


class CallUnusable(Exception):
    """Arguments that are no JSON object. `str` says of which functions."""


def function_name(tool_key: str) -> str:
    """The same for the same tool, and short enough for every provider."""
    name = tool_key.replace(".", DOT)
    if len(name) <= LONGEST_NAME and name.count(DOT) == 1:
        return name
    # too long, or it could be that of another tool
    return f"{name[: LONGEST_NAME - 9]}_{sha256(tool_key.encode()).hexdigest()[:8]}"


def functions_of(tools: Sequence[ToolSpec]) -> list[Function]:
    return [_function(function_name(tool.tool_key), tool.description, tool.params_schema) for tool in tools]


def answer_function(answer: type[BaseModel]) -> Function:
    """The one function whose arguments are the answer."""
    from langchain_core.utils.json_schema import dereference_refs

    schema = answer.model_json_schema()
    flat = {key: value for key, value in dereference_refs(schema).items() if key != "$defs"}
    return _function(ANSWER, str(schema.get("description", "")), flat)


def _function(name: str, description: str, schema: Mapping[str, Any]) -> Function:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": {"properties": {}, **schema}},
    }


def calls_of(raw: Sequence[RawCall], tools: Sequence[ToolSpec], taken: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls by the tools' keys, each with an id of its own. An unknown function is passed on under a name that no
    pack has. Raises CallUnusable."""
    keys = {function_name(tool.tool_key): tool.tool_key for tool in tools}
    broken = [call.name[:LONGEST_NAME] for call in raw if arguments_of(call) is None]
    if broken:
        raise CallUnusable(f"the arguments of {', '.join(broken)} are no JSON object")
    used = set(taken)
    calls = []
    for number, call in enumerate(raw, 1):
        call_id = call.call_id[:LONGEST_CALL_ID]
        if not call_id or call_id in used:
            call_id = f"call_{len(used) + number}"
        used.add(call_id)
        key = keys.get(call.name) or _key_of(call.name)
        calls.append(ToolCall(call_id=call_id, tool=key, arguments=arguments_of(call) or {}))
    return tuple(calls)


def arguments_of(call: RawCall) -> dict[str, Any] | None:
    """None when they are no JSON object. Some providers write nothing for a function without parameters."""
    if not call.arguments.strip():
        return {}
    try:
        found = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _key_of(name: str) -> str:
    dotted = name.replace(DOT, ".", 1)
    if _KEY.match(dotted):
        return dotted
    return f"{UNKNOWN}.t_{_NOT_A_NAME.sub('_', name.casefold())}"[:LONGEST_NAME]


def wire_id(call_id: str) -> str:
    """A call's id as every provider takes it."""
    return _NOT_AN_ID.sub("_", call_id)
