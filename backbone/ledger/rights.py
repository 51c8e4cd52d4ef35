"""What each service may do in the database: the rights of its role on tables and functions, by what the service does.

docs/adr/0037-logins-of-services.md. Migrations grant what is missing and take nothing away: processes of an earlier
version are still there while the next one rolls out. A service looks at its own before it says that it is ready."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from backbone.ledger.logins import SERVICES, role_of_service
from backbone.ledger.port import LedgerUnavailable

ADMIN = "admin"
"""Who looks the ledger over: it reads. Who migrates, restores and erases is the database's owner."""
PACKED = ("cognitive", "execution")
"""Services that log in as packs, too."""


class Right(NamedTuple):
    """A privilege on one thing: a schema (its `name` is empty), a table, a column of it, a sequence, a function."""

    kind: str
    schema: str
    name: str
    privilege: str
    column: str = ""

    def __str__(self) -> str:
        thing = f"{self.schema}.{self.name}" if self.name else f"schema {self.schema}"
        return f"{self.privilege} {f'({self.column}) ' if self.column else ''}on {thing}"


def _schema(*names: str) -> set[Right]:
    return {Right("schema", name, "", "usage") for name in names}


def _table(tables: str, privileges: str, columns: str = "") -> set[Right]:
    """`tables`, `privileges` and `columns` are words."""
    rights = set()
    for table in tables.split():
        schema, _, name = table.partition(".")
        for privilege in privileges.split():
            kind = "column" if columns else "table"
            rights |= {Right(kind, schema, name, privilege, column) for column in columns.split() or [""]}
    return rights


def _sequence(*names: str) -> set[Right]:
    return {Right("sequence", "toolbox", name, "usage") for name in names}


def _function(name: str) -> set[Right]:
    """One that runs with the rights of the ledger's owner; the others give nobody anything."""
    return {Right("function", "ledger", name, "execute")}


_KNOWN = _schema("dream_meta") | _table("dream_meta.min_reader dream_meta.migrations", "select")
_READS = _KNOWN | _schema("ledger") | _table("ledger.events ledger.streams ledger.sealed", "select")
_SPEAKS = (
    _READS
    | _table("ledger.inbox ledger.open_runs", "select")
    | _function("append")
    | _function("unseal")
    | _table("ledger.relay_cursors", "select insert update")
    | _table("ledger.resends", "select delete")
)
"""Appends events in its own voice, and relays them."""
_HANDLES = (
    _SPEAKS
    | _table("ledger.dead_letters", "select insert")
    | _table("ledger.dead_letters", "update", "state code reason deliveries")
)
"""Hears messages from the bus, and keeps those that it cannot handle."""
_DECIDES = _HANDLES | _table("ledger.snapshots", "select insert update")
"""Folds sessions whole, and keeps what it has folded."""
_LEASES = (
    _schema("toolbox")
    | _table("toolbox.groups", "select insert update")
    | _table("toolbox.leases toolbox.waiters", "select insert update delete")
    | _sequence("fencing_tokens", "places")
    | _function("append_fenced")
)
_ANSWERS = _function("append_believed")
"""Records answers together with what it decided about them."""
_LOOKS_BACK = _schema("kept") | _table("kept.results", "select")
"""Looks up what was made before."""
_RIGHTS: Mapping[str, set[Right]] = {
    "gateway": _HANDLES
    | _LOOKS_BACK
    | _table("ledger.resends", "insert")
    | _table("ledger.secrets", "select insert")
    | _schema("access")
    | _table("access.keys", "select")
    | _table("access.logins", "select insert delete")
    | _table("access.files", "select insert"),
    "cognitive": _DECIDES
    | _LOOKS_BACK
    | _schema("memory")
    | _table("memory.items", "select insert")
    | _table("memory.items", "update", "encoder vector")
    | _table("memory.encoder_in_use", "select insert update"),
    "planning": _HANDLES | _LOOKS_BACK,
    "execution": _DECIDES
    | _LEASES
    | _ANSWERS
    | _LOOKS_BACK
    | _table("kept.results", "insert update delete")
    | _table("ledger.timers", "select delete")
    | _schema("memory")
    | _table("memory.items", "select insert delete"),
    # it watches over open runs, and counts what operators look at
    "response": _HANDLES
    | _table("ledger.resends", "insert")
    | _table("ledger.timers", "select")
    | _schema("toolbox")
    | _table("toolbox.leases toolbox.waiters", "select"),
    ADMIN: _READS | _table("ledger.removed", "select"),
}
LOGINS = tuple(_RIGHTS)
"""The services with a login of their own, and the administrator's."""
READERS = (role_of_service(ADMIN), SERVICES)
"""Whoever looks the ledger over acts as the first of these that the login may act as."""
ROLES = (SERVICES, *(role_of_service(service) for service in LOGINS))


def rights_of(service: str) -> list[Right]:
    """The rights of a service's role, and none beyond them."""
    return sorted(_RIGHTS[service])


# By the names of the catalogue, which anybody may read: to name a table whose schema is closed is an error.
_LACKING = """select r.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      r(kind, schema, name, privilege, col)
    where not coalesce(case
      when kind = 'schema' then (select has_schema_privilege($1, s.oid, privilege) from pg_namespace s
        where nspname = schema)
      when kind = 'function' then (select bool_and(has_function_privilege($1, p.oid, privilege))
        from pg_proc p join pg_namespace s on s.oid = pronamespace where nspname = schema and proname = name)
      else (select case kind
          when 'sequence' then has_sequence_privilege($1, c.oid, privilege)
          when 'column' then has_column_privilege($1, c.oid, col, privilege)
          else has_table_privilege($1, c.oid, privilege) end
        from pg_class c join pg_namespace s on s.oid = relnamespace where nspname = schema and relname = name)
      end, false)"""


_SIGNATURES = """select p.oid::regprocedure::text from pg_proc p join pg_namespace s on s.oid = pronamespace
    where nspname = $1 and proname = $2"""


async def lacking(connection: Any, rights: Iterable[Right], role: str | None = None) -> list[Right]:
    """Those that `role`, or whoever is connected, does not have. `connection` is one of asyncpg, or a pool."""
    columns = [list(column) for column in zip(*sorted(rights), strict=True)]
    role = role or await connection.fetchval("select current_user::text")
    return [Right(*row) for row in await connection.fetch(_LACKING, role, *columns)]


async def problem(connection: Any, service: str) -> str:
    """One sentence that names what the service may not do and should; an empty one when nothing is missing."""
    role = await connection.fetchval("select current_user::text")
    missing = await lacking(connection, rights_of(service), role)
    return f"{role} lacks {', '.join(map(str, missing))}: run dream admin migrate" if missing else ""


async def check_rights(connection: Any, service: str) -> None:
    """Raises LedgerUnavailable while a right is missing: whoever migrates puts it back."""
    if sentence := await problem(connection, service):
        raise LedgerUnavailable(sentence)


async def grant(connection: Any) -> None:
    """Gives each role what it lacks, in a transaction of who owns it all; and the role that all services shared in
    earlier versions what any of them needs."""
    for service in LOGINS:
        await _grant(connection, rights_of(service), role_of_service(service))
    await _grant(connection, set().union(*_RIGHTS.values()), SERVICES)


async def _grant(connection: Any, rights: Iterable[Right], role: str) -> None:
    for right in await lacking(connection, rights, role):
        thing = f"{right.schema}.{right.name}"
        if right.kind == "schema":
            await connection.execute(f"grant usage on schema {right.schema} to {role}")
        elif right.kind == "function":
            for name in await connection.fetch(_SIGNATURES, right.schema, right.name):
                await connection.execute(f"grant execute on function {name[0]} to {role}")
        elif right.kind == "sequence":
            await connection.execute(f"grant {right.privilege} on sequence {thing} to {role}")
        else:
            columns = f" ({right.column})" if right.column else ""
            await connection.execute(f"grant {right.privilege}{columns} on {thing} to {role}")
