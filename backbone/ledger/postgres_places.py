"""Open runs, dead letters and files on Postgres: what is looked for elsewhere than at a stream's end."""

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from backbone.ledger.pool import Pool
from backbone.ledger.port import SECRET_BYTES, DeadLetter, KeptLetter, RunPlace
from backbone.ledger.rows import COLUMNS, message_from_row
from backbone.ledger.sealed import SealedSessions
from contracts.envelope import Message, Outline
from contracts.errors import Code
from contracts.shape import JsonObject

T = TypeVar("T")

# heads one by one: a join may be planned as a walk through all streams that ever were
_OPEN = """select r.run_id, r.stream_id, r.version, r.recorded_at,
    (select s.version from ledger.streams s where s.stream_id = r.stream_id) as head from ledger.open_runs r"""
_RUN = """select e.run_id, e.stream_id, e.version, e.recorded_at,
    (select s.version from ledger.streams s where s.stream_id = e.stream_id) as head
    from ledger.events e where e.run_id = $1 and e.type = 'MessageReceived'"""
# word for word as in the migration: the index has only runs whose callers trace
_OF_TRACE = (
    _RUN.removesuffix("e.run_id = $1 and e.type = 'MessageReceived'")
    + """e.type = 'MessageReceived' and substr(e.traceparent, 4, 32) <> replace(e.run_id::text, '-', '')
    and substr(e.traceparent, 4, 32) = $1 order by e.recorded_at desc limit $2"""
)
# by the primary key: a run's events are those of its stream after its first one
_RUNS = """from unnest($1::uuid[], $2::uuid[], $3::int[]) w(s, r, a)
    cross join lateral (
      select * from ledger.events t
       where t.stream_id = w.s and t.version > w.a and t.run_id = w.r and t.type = any($4) order by t.version
    ) e order by stream_id, version"""
_OF_RUNS = f"select {COLUMNS} {_RUNS}"
# what is left out is not sent either, or fetched from the artifact store
_OUTLINES = f"""select stream_id, version, event_id, type, schema_version, producer, run_id, causation_id, traceparent,
    recorded_at, case when type = any($5) then (data - $6::text[])::text else '{{}}' end as data {_RUNS}"""
# word for word as in the migration: the index has these events alone
BROUGHT = """(type = 'ArtifactUploaded' or type = 'MessageReceived' and data @> '{"attachments": [{}]}'
      or type = 'DecisionAnswered' and data @> '{"answer": {"attachments": [{}]}}')"""
_BROUGHT = f"""select {COLUMNS} from ledger.events where stream_id = $1 and {BROUGHT}
    order by version desc limit $2"""  # noqa: S608  # as above
_LETTERS = """select dead_letter_id::text, consumer, subject, event_id::text, code, reason, deliveries, state,
    recorded_at from ledger.dead_letters"""
_LETTER = """select consumer, subject, event_id, headers::text as headers, body, code, reason, deliveries, state,
    recorded_at from ledger.dead_letters where dead_letter_id = $1"""
_SETTLE = "update ledger.dead_letters set state = $2 where dead_letter_id = $1 and state = 'dead' returning true"
_ASK_RESEND = """with asked as (
      select producer from ledger.events where stream_id = $2 and version = $3
    ), kept as (
      insert into ledger.resends (key, producer, stream_id, version, retry_of)
      select $1, producer, $2, $3, $4 from asked on conflict do nothing
    ) select count(*) from asked"""

_OPEN_SINCE = """select first.* from unnest($1::uuid[]) one(id) cross join lateral (
    select stream_id, version from ledger.open_runs where stream_id = one.id order by version limit 1) first"""
_HEADS = "select stream_id, version from ledger.streams where stream_id = any($1)"
_SECRET = "select value from ledger.secrets where name = $1"  # noqa: S105  # a statement
_MAKE_SECRET = "insert into ledger.secrets (name, value) values ($1, $2) on conflict do nothing"  # noqa: S105  # as above


class PostgresPlaces:
    """The part of backbone.ledger.port.Ledger that is about runs, dead letters and files."""

    _pool: Pool
    _sealed: SealedSessions

    async def _guard(self, call: Callable[[], Awaitable[T]]) -> T:
        raise NotImplementedError("the ledger's")

    async def whole(self, messages: Sequence[Message]) -> list[Message]:
        raise NotImplementedError("the ledger's")

    async def dead_letters(self, limit: int = 100, state: str | None = None) -> list[JsonObject]:
        where, values = (" where state = $2", (limit, state)) if state else ("", (limit,))
        sql = f"{_LETTERS}{where} order by recorded_at desc limit $1"
        rows = await self._guard(lambda: self._pool.fetch(sql, *values))
        return [{**dict(row), "recorded_at": row["recorded_at"].isoformat()} for row in rows]

    async def dead_letter(self, letter_id: UUID) -> KeptLetter | None:
        row = await self._guard(lambda: self._pool.fetchrow(_LETTER, letter_id))
        if row is None:
            return None
        letter = DeadLetter(
            letter_id, row["consumer"], row["subject"], row["event_id"], json.loads(row["headers"]), bytes(row["body"]),
            Code(row["code"]), row["reason"], row["deliveries"],
        )  # fmt: skip
        return KeptLetter(letter, row["state"], row["recorded_at"])

    async def keep_dead_letter(self, letter: DeadLetter) -> None:
        sql = """insert into ledger.dead_letters as l (dead_letter_id, consumer, subject, event_id, headers, body, code,
                 reason, deliveries) values ($1,$2,$3,$4,$5,$6,$7,$8,$9)
                 on conflict (dead_letter_id) do update set state = 'dead', code = excluded.code,
                 reason = excluded.reason, deliveries = excluded.deliveries where l.state = 'retried'"""
        values = (
            letter.dead_letter_id, letter.consumer, _storable(letter.subject), letter.event_id,
            json.dumps({_storable(name): _storable(value) for name, value in letter.headers.items()}),
            letter.body, int(letter.code), _storable(letter.reason), letter.deliveries,
        )  # fmt: skip
        await self._guard(lambda: self._pool.execute(sql, *values))

    async def settle_letter(self, letter_id: UUID, state: str) -> bool:
        return bool(await self._guard(lambda: self._pool.fetchval(_SETTLE, letter_id, state)))

    async def ask_resend(self, key: UUID, session_id: UUID, version: int, retry_of: UUID | None = None) -> bool:
        values = key, session_id, version, retry_of
        return bool(await self._guard(lambda: self._pool.fetchval(_ASK_RESEND, *values)))

    async def open_runs(self, limit: int = 1000, before: RunPlace | None = None) -> list[RunPlace]:
        where, values = (
            (" where (r.recorded_at, r.run_id) < ($2, $3)", (limit, before.since, before.run_id))
            if before
            else ("", (limit,))
        )
        sql = f"{_OPEN}{where} order by r.recorded_at desc, r.run_id desc limit $1"
        return [_place(row) for row in await self._guard(lambda: self._pool.fetch(sql, *values))]

    async def open_since(self, session_ids: Sequence[UUID]) -> dict[UUID, int]:
        rows = await self._guard(lambda: self._pool.fetch(_OPEN_SINCE, list(session_ids)))
        return {row["stream_id"]: row["version"] for row in rows}

    async def run(self, run_id: UUID) -> RunPlace | None:
        row = await self._guard(lambda: self._pool.fetchrow(_RUN, run_id))
        if row is None:
            await self._sealed.open_run(run_id)
            row = await self._guard(lambda: self._pool.fetchrow(_RUN, run_id))
        return _place(row) if row else None

    async def of_trace(self, trace_id: UUID, limit: int) -> list[RunPlace]:
        await self._sealed.open_trace(trace_id)
        own = await self._guard(lambda: self._pool.fetch(_RUN, trace_id))
        rows = await self._guard(lambda: self._pool.fetch(_OF_TRACE, trace_id.hex, limit))
        return [_place(row) for row in (*own, *rows)][:limit]

    async def of_runs(
        self, after: Mapping[UUID, tuple[UUID, int]], types: frozenset[str], outline: Outline | None = None
    ) -> list[Message]:
        streams, versions = [one for one, _ in after.values()], [one for _, one in after.values()]
        values = [streams, list(after), versions, list(types)]
        sql, more = (_OUTLINES, [list(outline.read), list(outline.but)]) if outline else (_OF_RUNS, [])
        rows = await self._guard(lambda: self._pool.fetch(sql, *values, *more))
        return await self.whole([message_from_row(row) for row in rows])

    async def heads(self, session_ids: Sequence[UUID]) -> dict[UUID, int]:
        rows = await self._guard(lambda: self._pool.fetch(_HEADS, list(session_ids)))
        return {row["stream_id"]: row["version"] for row in rows}

    async def secret(self, name: str) -> bytes:
        async def ask() -> bytes:
            known = await self._pool.fetchval(_SECRET, name)
            if known is None:
                # of two that make one at once the first has made it for both
                await self._pool.execute(_MAKE_SECRET, name, secrets.token_bytes(SECRET_BYTES))
                known = await self._pool.fetchval(_SECRET, name)
            return bytes(known)

        return await self._guard(ask)

    async def brought(self, session_id: UUID, limit: int) -> list[Message]:
        rows = await self._guard(lambda: self._pool.fetch(_BROUGHT, session_id, limit))
        return await self.whole([message_from_row(row) for row in rows])


def _place(row: Any) -> RunPlace:
    return RunPlace(row["run_id"], row["stream_id"], row["version"], row["recorded_at"], row["head"])


def _storable(text: str) -> str:
    """Text as Postgres takes it: without NUL, without halves of surrogate pairs."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
