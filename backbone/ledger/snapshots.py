"""States of deciders, kept beside the ledger: a cache, of which any row may be missing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a session was folded to at a version, as JSON."""

    version: int
    state: str


KEEP = """insert into ledger.snapshots (stream_id, consumer, version, made_by, state)
    select stream_id, $2, $3, $4, $5::text::jsonb from ledger.streams where stream_id = $1
    on conflict (stream_id, consumer) do update
      set version = excluded.version, made_by = excluded.made_by, state = excluded.state
      where snapshots.version < excluded.version or snapshots.made_by <> excluded.made_by"""
KEPT = """select s.* from unnest($1::uuid[]) one(id) cross join lateral (
    select stream_id, version, state::text as state from ledger.snapshots
     where stream_id = one.id and consumer = $2 and made_by = $3 limit 1) s"""


def snapshots_of(rows: Iterable[Any]) -> dict[UUID, Snapshot]:
    """By session."""
    return {row["stream_id"]: Snapshot(row["version"], row["state"]) for row in rows}
