"""LangGraph's checkpoint saver over asyncpg. Each call is one statement on the ledger's own pool."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NoReturn

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)

from backbone.checkpoints import statements as sql
from backbone.checkpoints.serializer import CheckpointRefused, StrictSerializer
from backbone.ledger.pool import Pool, guarded

DELTAS = "counters_since_delta_snapshot"
"""Metadata of a graph with a DeltaChannel, whose value is spread over many checkpoints."""


class PostgresSaver(BaseCheckpointSaver[int]):
    """Checkpoints of threads, until `sweep` or `adelete_thread`. Raises LedgerUnavailable when Postgres is away,
    NotRecordable for ids that it cannot hold, CheckpointRefused for types that are not named in `types`.

    They may be gone at any time: who resumes a thread asks `aget_tuple` first and, on None, starts from the ledger."""

    def __init__(self, pool: Pool, types: Iterable[type] = ()) -> None:
        super().__init__(serde=StrictSerializer(types))
        self._pool = pool

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread, namespace, checkpoint = _place(config)
        query, values = sql.one(thread, namespace or "", checkpoint)
        row = await guarded(lambda: self._pool.fetchrow(query, *values))
        return None if row is None else self._tuple(row)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # LangGraph's name for it
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        place: tuple[str | None, str | None, str | None] = _place(config) if config else (None, None, None)
        until = get_checkpoint_id(before) if before else None
        query, values = sql.many(*place, until, _json(filter) if filter else None, limit)
        for row in await guarded(lambda: self._pool.fetch(query, *values)):
            yield self._tuple(row)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        if metadata.get(DELTAS):
            raise CheckpointRefused("a DeltaChannel needs all of its older checkpoints, and a cache may lose them")
        thread, namespace, parent = _place(config)
        described = _json(get_serializable_checkpoint_metadata(config, metadata))
        # All channels in one row: the new versions alone would be useless without older rows.
        typed = self.serde.dumps_typed(checkpoint)
        values = (thread, namespace or "", checkpoint["id"], parent, *typed, described)
        await guarded(lambda: self._pool.execute(sql.PUT, *values))
        return _config(thread, namespace or "", checkpoint["id"])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        # In the order of the key, so that two who write the same task's results cannot block each other.
        rows = sorted(
            {
                WRITES_IDX_MAP.get(channel, place): (channel, *self.serde.dumps_typed(value))
                for place, (channel, value) in enumerate(writes)
            }.items()
        )
        thread, namespace, checkpoint = _place(config)
        columns = ([place for place, _ in rows], *([row[column] for _, row in rows] for column in range(3)))
        values = (thread, namespace or "", checkpoint, task_id, task_path, *columns)
        await guarded(lambda: self._pool.execute(sql.PUT_WRITES, *values))

    async def adelete_thread(self, thread_id: str) -> None:
        await guarded(lambda: self._pool.execute(sql.DELETE_THREADS, [str(thread_id)]))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await guarded(lambda: self._pool.execute(sql.DELETE_RUNS, run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await guarded(lambda: self._pool.execute(sql.COPY_THREAD, str(source_thread_id), str(target_thread_id)))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        statements = {"keep_latest": sql.KEEP_LATEST, "delete": sql.DELETE_THREADS}
        if strategy not in statements:
            raise ValueError(f"no strategy {strategy!r}; there are {list(statements)}")
        await guarded(lambda: self._pool.execute(statements[strategy], thread_ids))

    async def sweep(self, older_than: timedelta) -> int:
        """Removes the threads in which nothing was written for so long; returns how many checkpoints that were.

        Whole threads, because a part of one is of no use. Give it more than the deadline of a decision: an answer that
        finds no checkpoint makes its graph start again."""
        return int(await guarded(lambda: self._pool.fetchval(sql.SWEEP, older_than)))

    def _tuple(self, row: Any) -> CheckpointTuple:
        thread, namespace, parent = row["thread_id"], row["checkpoint_ns"], row["parent_id"]
        writes = zip(row["tasks"], row["channels"], row["types"], row["blobs"], strict=True)
        return CheckpointTuple(
            config=_config(thread, namespace, row["checkpoint_id"]),
            checkpoint=self.serde.loads_typed((row["type"], row["checkpoint"])),
            metadata=json.loads(row["metadata"]),
            parent_config=_config(thread, namespace, parent) if parent else None,
            pending_writes=[(task, name, self.serde.loads_typed((kind, blob))) for task, name, kind, blob in writes],
        )

    def _only_in_coroutines(self, *args: Any, **kwargs: Any) -> NoReturn:
        """A blocking call would stop every other session of the process."""
        raise NotImplementedError("checkpoints are read and written by coroutines alone: ainvoke, astream, aget_state")

    get_tuple = _only_in_coroutines
    list = _only_in_coroutines
    put = _only_in_coroutines
    put_writes = _only_in_coroutines
    delete_thread = _only_in_coroutines
    delete_for_runs = _only_in_coroutines
    copy_thread = _only_in_coroutines
    prune = _only_in_coroutines
    get_delta_channel_history = _only_in_coroutines


def _place(config: RunnableConfig) -> tuple[str, str | None, str | None]:
    """Thread, namespace and checkpoint that a config names. Without a thread it is a KeyError, never all threads."""
    named = config["configurable"]
    return str(named["thread_id"]), named.get("checkpoint_ns"), named.get("checkpoint_id")


def _config(thread: str, namespace: str, checkpoint: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}}


def _json(metadata: Mapping[str, Any]) -> str:
    return json.dumps(_storable(metadata), ensure_ascii=False, default=str)


def _storable(value: Any) -> Any:
    """Metadata as jsonb takes it: without NUL, as LangGraph does it too, and without halves of surrogate pairs."""
    match value:
        case str():
            return value.replace("\x00", "").encode("utf-8", "replace").decode()
        case Mapping():
            return {_storable(str(name)): _storable(part) for name, part in value.items()}
        case [*parts]:
            return [_storable(part) for part in parts]
        case _:
            return value
