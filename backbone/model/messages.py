"""The one builder of what a model reads: instructions, what is known, the last turns, the question. Pure.

It sees the running summary and the last turns only, so its cost does not grow with the session."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel

from backbone.model.fences import fenced
from backbone.model.port import Conversation
from backbone.model.prompts import Prompt, shown
from backbone.model.wording import wording
from contracts.agents import LoopMessage, LoopState, ToolCall

MOST_TURNS = 24
"""Sides of a conversation that are given word for word; whoever gathers them gives fewer."""
LONGEST_TURN = 8_000
"""Characters of one side: a pasted table was data when it was said, and is not said again with every question."""
LONGEST_SUMMARY = 8_000


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One message to a model, of no provider in particular."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    failed: bool = False


def question(
    prompt: Prompt, variables: BaseModel, conversation: Conversation, told: Sequence[str] = ()
) -> list[ModelMessage]:
    """The messages of one question; `told` is what the provider adds to the instructions."""
    system, user = prompt.fill(variables)
    return _built(system, user, conversation, told, uses_data=bool(prompt.data))


def loop(prompt: Prompt, state: LoopState, conversation: Conversation) -> list[ModelMessage]:
    """The messages of a loop's next step: the question, then what was said and answered since."""
    system, user = prompt.fill(state)
    since = state.messages
    if since and since[0].role == "user" and since[0].text == state.request:
        since = since[1:]  # the prompt says it already
    return [*_built(system, user, conversation, (), uses_data=True), *map(_said, since)]


def _built(
    system: str, user: str, conversation: Conversation, told: Sequence[str], *, uses_data: bool
) -> list[ModelMessage]:
    rules = [system, *([wording("data")] if uses_data else []), *told]
    turns = [(turn.role, _short(turn.text, LONGEST_TURN)) for turn in conversation.history[-MOST_TURNS:]]
    said_before: list[str] = []
    while turns and turns[0][0] == "assistant":  # some providers want a person to speak first
        said_before.append(turns.pop(0)[1])
    known = _known(conversation.summary, said_before)
    messages = [ModelMessage("system", "\n\n".join(rules))]
    if known:
        messages.append(ModelMessage("system", known))
    return [*messages, *_alternating([*turns, ("user", user)])]


def _known(summary: str, said_before: Sequence[str]) -> str:
    # a summary is made of what people and tools said: it informs, it does not command
    parts = [f"{wording('state')}\n{fenced('summary', _short(summary, LONGEST_SUMMARY))}"] if summary else []
    parts += [f"{wording('before')}\n{text}" for text in said_before]
    return "\n\n".join(parts)


def _alternating(turns: Iterable[tuple[str, str]]) -> list[ModelMessage]:
    """One side after the other; two messages of one side in a row become one."""
    messages: list[ModelMessage] = []
    for role, text in turns:
        if messages and messages[-1].role == role:
            messages[-1] = ModelMessage(messages[-1].role, f"{messages[-1].text}\n\n{text}")
        else:
            messages.append(ModelMessage("assistant" if role == "assistant" else "user", text))
    return messages


def _said(message: LoopMessage) -> ModelMessage:
    if message.role != "tool":
        return ModelMessage(message.role, message.text, message.calls)
    result = "" if message.result is None else shown(message.result)
    told = "\n".join(part for part in (message.text, result) if part)
    return ModelMessage("tool", fenced("result", told), call_id=message.call_id or "", failed=message.failed)


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} …"


def hash_of(messages: Sequence[ModelMessage]) -> str:
    """SHA-256 over what was asked: how a record names a prompt without holding it."""
    calls = [[call.model_dump(mode="json") for call in message.calls] for message in messages]
    told = [(m.role, m.text, call, m.call_id) for m, call in zip(messages, calls, strict=True)]
    return sha256(json.dumps(told, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
