"""Slash commands: a sentence said in code ("/noop 8"), so that nothing has to be understood."""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from contracts.cognitive import CognitiveOutput, Intent, PackCommand, PlanHint, Route
from contracts.errors import Code, ErrorInfo
from contracts.gateway import MessageReceived
from contracts.packs import CommandSpec
from contracts.shape import JsonObject, JsonValue, Language

COMMAND = re.compile(r"^/([a-z][a-z0-9_]*)(?:\s|$)")
_NEAR = 0.75
"""How alike two names are of which one is the other, mistyped."""
INTENT = Intent(domain="COMMAND", confidence=1.0)


Say = Callable[..., str]
"""Catalogue.say: language, text key, values."""


def named_in(text: str) -> str:
    """The name of the command that a message would be; empty for a sentence."""
    match = COMMAND.match(text)
    return match[1] if match else ""


def read_command(message: MessageReceived, commands: Mapping[str, CommandSpec], say: Say) -> CognitiveOutput | None:
    """The message as a command of a pack, or None when it is a sentence. A name that is nearly that of a command was
    mistyped: what follows was written for that one, and is no sentence."""
    match = COMMAND.match(message.text)
    if match is None:
        return None
    language = message.language or "en"
    spec = commands.get(match[1])
    if spec is None:
        near = get_close_matches(match[1], commands, n=1, cutoff=_NEAR)
        if not near:
            return None
        unknown = say(language, "command.unknown", command=f"/{match[1]}", near=f"/{near[0]}")
        return _output(message, language, PlanHint(), unknown)
    said = message.text[match.end() :].strip()
    try:
        error, args = None, _object(said) if spec.named and said.startswith("{") else _arguments(spec, said)
    except _Unreadable as unreadable:
        args = {}
        error = say(language, unreadable.key, command=f"/{spec.name}", **unreadable.values)
    return _output(message, language, PlanHint(command=PackCommand(name=spec.name, args=args)), error)


def _output(message: MessageReceived, language: Language, hint: PlanHint, error: str | None) -> CognitiveOutput:
    return CognitiveOutput(
        text=message.text,
        language=language,
        intent=INTENT,
        plan_hint=hint,
        route=Route.PLAN,
        attachments=message.attachments,
        auto_approve=message.auto_approve,
        error=ErrorInfo(code=Code.PLAN_ARGUMENTS_INVALID, message=error) if error else None,
    )


class _Unreadable(Exception):
    """What was said after the command cannot be read; the text that says so, and its values."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


def _arguments(spec: CommandSpec, said: str) -> JsonObject:
    """Words by position; where they may be named, name=value too. Raises _Unreadable."""
    try:
        words = shlex.split(said)
    except ValueError:
        raise _Unreadable("command.quotes") from None
    types = _types(spec.args_schema)
    named = [word.partition("=") for word in words if spec.named and word.partition("=")[0] in types]
    placed = [word for word in words if not (spec.named and word.partition("=")[0] in types and "=" in word)]
    args = {name: _typed(value, types[name]) for name, equals, value in named if equals}
    free = [name for name in spec.positional if name not in args]
    if len(placed) > len(free):
        raise _Unreadable("command.too_many", limit=len(spec.positional), count=len(words))
    read = {
        name: _typed(word, types[name]) if spec.named and name in types else _value(word)
        for name, word in zip(free, placed, strict=False)
    }
    return args | read


def _object(said: str) -> JsonObject:
    try:
        found: JsonObject = json.loads(said, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _Unreadable("command.json", problem=str(error)[:100]) from None
    return found


def _no_number(name: str) -> JsonValue:
    raise ValueError(f"{name} is no number")


def _types(schema: JsonObject) -> dict[str, JsonValue]:
    """Name of an argument -> the type that its schema says."""
    properties = schema.get("properties")
    members = properties.items() if isinstance(properties, dict) else ()
    return {name: one.get("type") if isinstance(one, dict) else None for name, one in members}


def _typed(word: str, type_: JsonValue) -> JsonValue:
    """A word as its schema wants it; the check of the arguments says what does not fit."""
    if type_ == "string":
        return word
    try:
        value: JsonValue = json.loads(word, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return word
    return value


def _value(word: str) -> JsonValue:
    return int(word) if re.fullmatch(r"-?\d{1,18}", word) else word
