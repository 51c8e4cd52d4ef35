"""The saver's SQL: one statement for each call, so that a call is one round trip and a transaction by itself."""

# Writes as one array for each column: for an array of records asyncpg asks the catalog once more on each connection.
_TUPLE = """select c.thread_id, c.checkpoint_ns, c.checkpoint_id, c.parent_id, c.type, c.checkpoint, c.metadata::text,
       w.tasks, w.channels, w.types, w.blobs
  from checkpoints.checkpoints c, lateral (
    select coalesce(array_agg(task_id order by task_path, task_id, idx), '{}') as tasks,
           coalesce(array_agg(channel order by task_path, task_id, idx), '{}') as channels,
           coalesce(array_agg(type order by task_path, task_id, idx), '{}') as types,
           coalesce(array_agg(blob order by task_path, task_id, idx), '{}') as blobs
      from checkpoints.writes i
     where (i.thread_id, i.checkpoint_ns, i.checkpoint_id) = (c.thread_id, c.checkpoint_ns, c.checkpoint_id)) w """

PUT = """insert into checkpoints.checkpoints
       (thread_id, checkpoint_ns, checkpoint_id, parent_id, type, checkpoint, metadata)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (thread_id, checkpoint_ns, checkpoint_id) do update
   set type = excluded.type, checkpoint = excluded.checkpoint, metadata = excluded.metadata, written_at = now()"""

# A task's results are written once, the first time; its error, interrupt and resume (which have negative places) may be
# written anew.
PUT_WRITES = """insert into checkpoints.writes as w
       (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
select $1, $2, $3, $4, $5, n.* from unnest($6::int[], $7::text[], $8::text[], $9::bytea[]) n
on conflict (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) do update
   set channel = excluded.channel, type = excluded.type, blob = excluded.blob, written_at = now() where w.idx < 0"""

DELETE_THREADS = """with w as (delete from checkpoints.writes where thread_id = any($1::text[]))
delete from checkpoints.checkpoints where thread_id = any($1::text[])"""

DELETE_RUNS = """with gone as (
  delete from checkpoints.checkpoints where metadata->>'run_id' = any($1::text[])
  returning thread_id, checkpoint_ns, checkpoint_id)
delete from checkpoints.writes w using gone g
 where (w.thread_id, w.checkpoint_ns, w.checkpoint_id) = (g.thread_id, g.checkpoint_ns, g.checkpoint_id)"""

COPY_THREAD = """with w as (
  insert into checkpoints.writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path)
  select $2, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path
    from checkpoints.writes where thread_id = $1
  on conflict do nothing)
insert into checkpoints.checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_id, type, checkpoint, metadata)
select $2, checkpoint_ns, checkpoint_id, parent_id, type, checkpoint, metadata
  from checkpoints.checkpoints where thread_id = $1
on conflict do nothing"""

# Of every namespace the newest, which needs nothing of its parents.
KEEP_LATEST = """with latest as (
  select distinct on (thread_id, checkpoint_ns) thread_id, checkpoint_ns, checkpoint_id
    from checkpoints.checkpoints where thread_id = any($1::text[])
   order by thread_id, checkpoint_ns, checkpoint_id desc),
w as (
  delete from checkpoints.writes w using latest l
   where (w.thread_id, w.checkpoint_ns) = (l.thread_id, l.checkpoint_ns) and w.checkpoint_id < l.checkpoint_id),
c as (
  delete from checkpoints.checkpoints c using latest l
   where (c.thread_id, c.checkpoint_ns) = (l.thread_id, l.checkpoint_ns) and c.checkpoint_id < l.checkpoint_id)
update checkpoints.checkpoints c set parent_id = null from latest l
 where (c.thread_id, c.checkpoint_ns, c.checkpoint_id) = (l.thread_id, l.checkpoint_ns, l.checkpoint_id)"""

# Everything in it reads one snapshot: what somebody writes into a silent thread meanwhile stays, and is whole.
SWEEP = """with silent as (
  select thread_id from (select thread_id, written_at from checkpoints.checkpoints
                          union all select thread_id, written_at from checkpoints.writes) t
   group by thread_id having max(written_at) < now() - $1::interval),
w as (delete from checkpoints.writes w using silent s where w.thread_id = s.thread_id),
c as (delete from checkpoints.checkpoints c using silent s where c.thread_id = s.thread_id returning 1)
select count(*) from c"""


def one(thread: str, namespace: str, checkpoint: str | None) -> tuple[str, list[object]]:
    """A checkpoint, or the newest of its namespace."""
    return many(thread, namespace, checkpoint, None, None, 1)


def many(
    thread: str | None,
    namespace: str | None,
    checkpoint: str | None,
    before: str | None,
    containing: str | None,
    limit: int | None,
) -> tuple[str, list[object]]:
    """Those that match all conditions that are given, newest first.

    Written out for the conditions at hand: our plans are generic; one with `$1 is null or ...` would use no index."""
    conditions = {
        "c.thread_id = ${}": thread,
        "c.checkpoint_ns = ${}": namespace,
        "c.checkpoint_id = ${}": checkpoint,
        "c.checkpoint_id < ${}": before,
        "c.metadata @> ${}::jsonb": containing,
    }
    given = {condition: value for condition, value in conditions.items() if value is not None}
    texts = [condition.format(number) for number, condition in enumerate(given, 1)]
    where = f"where {' and '.join(texts)} " if texts else ""
    return f"{_TUPLE}{where}order by c.checkpoint_id desc limit ${len(given) + 1}", [*given.values(), limit]
