"""One request to a chat model: its stream read to the end, silence measured, an end without a reason refused."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from backbone.model.chat.faults import RequestFault, fault_of
from backbone.model.chat.functions import RawCall, function_name, wire_id
from backbone.model.chat.refusals import refusal_in
from backbone.model.messages import ModelMessage
from backbone.model.wording import wording
from contracts.errors import Code

REASONS = ("finish_reason", "stop_reason", "done_reason")
"""What the makers call the word at the end of a stream."""
REFUSALS = frozenset({"content_filter", "refusal", "safety", "prohibited_content", "blocklist", "spii", "recitation"})
TOO_LONG = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})


@dataclass(slots=True)
class Written:
    """All that a model wrote in one stream."""

    text: str = ""
    calls: list[RawCall] = field(default_factory=list)
    reason: str = ""
    refusal: str = ""
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def is_cut(self) -> bool:
        return self.reason in TOO_LONG

    @property
    def echo(self) -> str:
        """What it wrote, for telling it what is wrong with that."""
        calls = "\n".join(f"{call.name}({call.arguments})" for call in self.calls)
        return "\n".join(part for part in (self.text, calls) if part.strip()) or wording("nothing")


async def read_stream(
    model: Any, messages: Sequence[ModelMessage], seconds: float, on_chunk: Callable[[str], None] | None = None
) -> Written:
    """`seconds` is the longest silence. Raises RequestFault."""
    written, parts = Written(), _Calls()
    try:
        async with aclosing(model.astream([*for_langchain(messages)])) as stream:
            async for chunk in _within(stream, seconds):
                _take(chunk, written, parts, on_chunk)
    except TimeoutError:
        raise RequestFault(Code.MODEL_TIMEOUT, f"it said nothing for {seconds:g} s", passing=True) from None
    except Exception as error:  # noqa: BLE001  # every maker's SDK has exceptions of its own, and LangChain adds its
        raise fault_of(error) from None  # its words may quote the prompt
    if written.refusal or written.reason in REFUSALS:
        raise RequestFault(Code.MODEL_REFUSED, f"it refuses ({written.reason or 'refusal'})")
    if not written.reason:
        # no SDK says so: a stream that was cut looks like one that ended
        raise RequestFault(Code.MODEL_UNAVAILABLE, "its stream ended without a reason", passing=True)
    written.calls = parts.calls()
    return written


async def _within(stream: AsyncIterator[AIMessageChunk], seconds: float) -> AsyncIterator[AIMessageChunk]:
    while True:
        async with asyncio.timeout(seconds):
            chunk = await anext(stream, None)
        if chunk is None:
            return
        yield chunk


def _take(chunk: AIMessageChunk, written: Written, parts: "_Calls", on_chunk: Callable[[str], None] | None) -> None:
    text = str(chunk.text)
    if text:
        written.text += text
        if on_chunk is not None and not parts.there:
            on_chunk(text)
    if chunk.tool_call_chunks and not parts.there and written.text and on_chunk is not None:
        on_chunk("")  # what was written before a call is not the answer
    parts.take(chunk.tool_call_chunks)
    told = chunk.response_metadata
    written.reason = next((str(told[name]).lower() for name in REASONS if told.get(name)), written.reason)
    written.refusal += refusal_in(chunk)
    if chunk.usage_metadata:
        written.input_tokens += chunk.usage_metadata["input_tokens"]
        written.output_tokens += chunk.usage_metadata["output_tokens"]


class _Calls:
    """Calls in pieces, put together by their place. LangChain mends half JSON in silence: what was written counts."""

    def __init__(self) -> None:
        self._found: dict[Any, list[str]] = {}

    @property
    def there(self) -> bool:
        return bool(self._found)

    def take(self, chunks: Sequence[Any]) -> None:
        for chunk in chunks:
            index = chunk.get("index")
            # without a place, a piece with a name begins a call
            place = index if index is not None else len(self._found) - (0 if chunk.get("name") else 1)
            call = self._found.setdefault(place, ["", "", ""])
            for position, name in enumerate(("name", "id", "args")):
                call[position] += chunk.get(name) or ""

    def calls(self) -> list[RawCall]:
        return [RawCall(*parts) for parts in self._found.values()]


def for_langchain(messages: Sequence[ModelMessage]) -> list[BaseMessage]:
    """One system message, which all servers take, then the rest in order."""
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    return [SystemMessage(system), *(_message(one) for one in messages if one.role != "system")]


def _message(message: ModelMessage) -> BaseMessage:
    match message.role:
        case "assistant":
            calls = [
                {"name": function_name(call.tool), "args": call.arguments, "id": wire_id(call.call_id)}
                for call in message.calls
            ]
            text = message.text if message.text or calls else wording("nothing")
            return AIMessage(text, tool_calls=calls)
        case "tool":
            status = "error" if message.failed else "success"
            return ToolMessage(message.text, tool_call_id=wire_id(message.call_id), status=status)
        case _:
            return HumanMessage(message.text)
