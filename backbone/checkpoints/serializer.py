"""Checkpoints as bytes, and back from bytes that may lie: only plain data and types that code has named are built."""

from collections.abc import Iterable
from threading import get_ident
from typing import Any

from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

WRITTEN = frozenset({"null", "bytes", "bytearray", "msgpack"})
"""The encodings that we write. LangGraph reads two more: "json", which builds LangChain's classes, and "pickle"."""


class CheckpointRefused(Exception):
    """The state holds a type that was not named, or the bytes are not a checkpoint that we have written.

    Trying again does not help. A checkpoint is a cache: delete its thread, and run the graph again from the ledger."""


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's serializer with a closed list of types: its own, the standard library's plain ones, and `types`.

    Left to itself it imports and calls whatever the bytes name, or, when told not to, quietly gives the arguments in
    place of the object. Here both are errors, and what could not be read back is already refused when it is written."""

    def __init__(self, types: Iterable[type] = ()) -> None:
        super().__init__(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=tuple(types) or None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Raises CheckpointRefused."""
        try:
            typed = super().dumps_typed(obj)
        except (TypeError, ValueError) as error:
            raise CheckpointRefused(f"the state cannot be written: {error}") from error
        self.loads_typed(typed)
        return typed

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Raises CheckpointRefused."""
        if data[0] not in WRITTEN:
            raise CheckpointRefused(f"a checkpoint is encoded as {data[0]!r}; we write {sorted(WRITTEN)}")
        blocked: list[str] = []
        thread = get_ident()

        def listen(event: SerdeEvent) -> None:
            if get_ident() == thread:  # listeners hear of every serializer in the process
                blocked.append(".".join((event["module"], event["name"])))

        silence = register_serde_event_listener(listen)
        try:
            value = super().loads_typed(data)
        except ValueError as error:
            raise CheckpointRefused(f"a checkpoint cannot be read: {error}") from error
        finally:
            silence()
        if blocked:
            raise CheckpointRefused(f"a checkpoint holds {blocked!r}: give the saver these types, or keep plain data")
        return value
