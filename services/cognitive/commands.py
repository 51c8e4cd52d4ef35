"""Slash commands: a sentence said in code ("/noop 8"), so that nothing has to be understood."""

import re
import shlex
from collections.abc import Callable, Mapping

from contracts.cognitive import CognitiveOutput, Intent, PackCommand, PlanHint, Route
from contracts.errors import Code, ErrorInfo
from contracts.gateway import MessageReceived
from contracts.packs import CommandSpec
from contracts.shape import JsonValue

COMMAND = re.compile(r"^/([a-z][a-z0-9_]*)(?:\s|$)")
INTENT = Intent(domain="COMMAND", confidence=1.0)


Say = Callable[..., str]
"""Catalogue.say: language, text key, values."""


def read_command(message: MessageReceived, commands: Mapping[str, CommandSpec], say: Say) -> CognitiveOutput | None:
    """The message as a command of a pack, or None when it is a sentence."""
    match = COMMAND.match(message.text)
    spec = commands.get(match[1]) if match else None
    if match is None or spec is None:
        return None
    language = message.language or "en"
    name, count = f"/{spec.name}", len(spec.positional)
    error, words = None, []
    try:
        words = shlex.split(message.text[match.end() :])
    except ValueError:
        error = say(language, "command.quotes", command=name)
    if len(words) > count:
        error = say(language, "command.too_many", command=name, limit=count, count=len(words))
    args = {argument: _value(word) for argument, word in zip(spec.positional, words, strict=False)}
    return CognitiveOutput(
        text=message.text,
        language=language,
        intent=INTENT,
        plan_hint=PlanHint(command=PackCommand(name=spec.name, args=args)),
        route=Route.PLAN,
        attachments=message.attachments,
        auto_approve=message.auto_approve,
        error=ErrorInfo(code=Code.PLAN_ARGUMENTS_INVALID, message=error) if error else None,
    )


def _value(word: str) -> JsonValue:
    return int(word) if re.fullmatch(r"-?\d{1,18}", word) else word
