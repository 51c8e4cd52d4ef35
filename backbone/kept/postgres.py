"""Kept results on Postgres, on the ledger's pool."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

import orjson

from backbone.kept.port import MOST_BYTES, MOST_ROWS, Kept, Made, size_of
from backbone.ledger.pool import Pool, guarded
from backbone.ledger.port import LedgerUnavailable

log = logging.getLogger(__name__)

_COLUMNS = "key, owner, tool, files, done::text as done, made_at"
_FIND = f"select {_COLUMNS} from kept.results where key = any($1)"  # noqa: S608  # our own columns
_USED = "update kept.results set used_at = now() where key = any($1) and used_at < now() - interval '1 minute'"
# the newest of each tool: an older one was made by another version
_OF_FILE = f"""select distinct on (tool) {_COLUMNS} from kept.results
    where owner = '' and files @> array[$1::text] order by tool, made_at desc"""  # noqa: S608  # our own columns
_KEEP = """insert into kept.results (key, owner, tool, files, made, done, bytes)
    values ($1, $2, $3, $4, $5, $6::text::jsonb, $7)
    on conflict (key) do update set done = excluded.done, made = excluded.made, bytes = excluded.bytes,
      made_at = now(), used_at = now()"""
_BOUND = """delete from kept.results r using (
      select key, row_number() over w as row, sum(bytes) over w as bytes from kept.results where owner = $1
      window w as (order by used_at desc, key)
    ) o where r.key = o.key and (o.row > $2 or o.bytes > $3)"""
_FORGET = "delete from kept.results where key = $1"


class PostgresKept:
    """See backbone.kept.port.KeptResults."""

    def __init__(self, pool: Pool, *, most_rows: int = MOST_ROWS, most_bytes: int = MOST_BYTES) -> None:
        self._pool = pool
        self._most = most_rows, most_bytes

    async def find(self, keys: Sequence[str], *, used: bool = True) -> dict[str, Kept]:
        rows = await self._fetch(_FIND, list(keys)) if keys else []
        if used and rows:
            await self._execute((_USED, [row["key"] for row in rows]))
        return {row["key"]: _kept(row) for row in rows}

    async def of_file(self, file: str) -> list[Kept]:
        return [_kept(row) for row in await self._fetch(_OF_FILE, file)]

    async def keep(self, one: Kept) -> None:
        done = one.made.model_dump_json(exclude_defaults=True)
        made = [each.artifact_id for each in one.made.attachments]
        row = (one.key, one.owner, one.tool, list(one.files), made, done, size_of(one))
        await self._execute((_KEEP, *row), (_BOUND, one.owner, *self._most))

    async def forget(self, key: str) -> None:
        await self._execute((_FORGET, key))

    async def _fetch(self, sql: str, *values: object) -> list[Any]:
        try:
            return list(await guarded(lambda: self._pool.fetch(sql, *values)))
        except LedgerUnavailable as error:
            log.warning("what was kept cannot be looked up: %s", error)
            return []

    async def _execute(self, *statements: tuple[Any, ...]) -> None:
        try:
            for sql, *values in statements:
                await guarded(partial(self._pool.execute, sql, *values))
        except LedgerUnavailable as error:
            log.warning("a result is not kept: %s", error)


def _kept(row: Any) -> Kept:
    made = Made.model_validate(orjson.loads(row["done"]))
    return Kept(
        key=row["key"], owner=row["owner"], tool=row["tool"], files=tuple(row["files"]), made=made,
        made_at=row["made_at"],
    )  # fmt: skip
