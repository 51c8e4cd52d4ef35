"""Slash commands: a sentence said in code ("/noop 8"), so that nothing has to be understood."""

import re
import shlex
from collections.abc import Mapping

from contracts.cognitive import CognitiveOutput, Intent, PackCommand, PlanHint, Route
from contracts.errors import Code, ErrorInfo
from contracts.gateway import MessageReceived
from contracts.packs import CommandSpec
from contracts.shape import JsonValue

COMMAND = re.compile(r"^/([a-z][a-z0-9_]*)(?:\s|$)")
INTENT = Intent(domain="COMMAND", confidence=1.0)


def read_command(message: MessageReceived, commands: Mapping[str, CommandSpec]) -> CognitiveOutput | None:
    """The message as a command of a pack, or None when it is a sentence."""
    match = COMMAND.match(message.text)
    spec = commands.get(match[1]) if match else None
    if match is None or spec is None:
        return None
    language = message.language or "en"
    given: dict[str, JsonValue] = {}
    error = None
    try:
        words = shlex.split(message.text[match.end() :])
    except ValueError as problem:
        words, error = [], f"/{spec.name}: {problem}"
    if len(words) > len(spec.positional):
        error = f"/{spec.name} takes {len(spec.positional)} arguments, {len(words)} were given"
    for name, word in zip(spec.positional, words, strict=False):
        given[name] = int(word) if re.fullmatch(r"-?\d{1,18}", word) else word
    return CognitiveOutput(
        text=message.text,
        language=language,
        intent=INTENT,
        plan_hint=PlanHint(command=PackCommand(name=spec.name, args=given)),
        route=Route.PLAN,
        attachments=message.attachments,
        auto_approve=message.auto_approve,
        error=ErrorInfo(code=Code.PLAN_ARGUMENTS_INVALID, message=error) if error else None,
    )
