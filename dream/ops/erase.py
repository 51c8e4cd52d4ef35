"""`dream admin erase`: what a person has said and left behind is forgotten; what stays of it is where each session
ended, when it was erased and by whom."""

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from dream.failures import CommandFailed, Exit
from dream.ops.archive import Removes
from dream.ops.database import database_errors
from dream.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from backbone.artifacts.port import ArtifactStore
    from backbone.bus.administration import Login


@dataclass(frozen=True, slots=True)
class Place:
    """Where the product is: the owner's URL, the artifact store's, the bus for its administrator; none: no bus."""

    owner_url: str
    artifacts_url: str
    bus: "Login | None"


@dataclass(slots=True)
class Erased:
    """What went."""

    sessions: int = 0
    events: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    files: int = 0
    left: list[str] = field(default_factory=list)
    """Files that the store cannot remove: by their names in it."""


async def erase(place: Place, user: str, texts: Texts, *, as_json: bool) -> int:
    """Refuses while the person has open runs. Whatever stops it half way, it can be said again: what is needed to find
    the rest goes last."""
    from backbone.artifacts.addresses import artifacts_at
    from backbone.ledger.retention import SessionGoesOn, retention

    store, told = artifacts_at(place.artifacts_url), Erased()
    with database_errors():
        async with retention(place.owner_url) as ledger:
            sessions, archives = await ledger.of_user(user), await ledger.archives_of_user(user)
            ids = [ended.session_id for ended in sessions]
            if runs := await ledger.open_runs_of(ids):
                raise CommandFailed(
                    texts("admin.has_open_runs", user=user, runs=", ".join(map(str, runs))), Exit.REFUSED
                )
            if place.bus:
                await _forget_on_bus(place.bus, [*ids, *archives])
            files = await ledger.files_only_of(user, [*ids, *archives])
            for name in (*files, *archives.values()):
                await _remove(store, name, told)
            try:
                for ended in sessions:
                    told.events += await ledger.remove(ended, archive=None, user=None)
            except SessionGoesOn as error:
                raise CommandFailed(texts("admin.goes_on", why=error), Exit.REFUSED) from None
            for session in archives:
                await ledger.forget_archive(session)
            told.sessions = len(ids) + len(archives)
            made = await ledger.kept_only_of(user, files)
            told.rows = {"kept.results": await ledger.forget_kept(user, files)}
            for name in made:
                await _remove(store, name, told)
            told.rows |= await ledger.forget_person(user)
    _tell(user, told, texts, as_json=as_json)
    return Exit.BROKEN if told.left else Exit.DONE


async def _remove(store: "ArtifactStore", name: str, told: Erased) -> None:
    from backbone.artifacts.port import ArtifactUnknown

    try:
        await store.size(name)
    except ArtifactUnknown:
        return
    if isinstance(store, Removes):
        await store.remove(name)
        told.files += 1
    else:
        told.left.append(name)


async def _forget_on_bus(login: "Login", sessions: "Sequence[UUID]") -> None:
    """The stream keeps messages for a day; theirs go now."""
    from backbone.bus.administration import administer
    from backbone.bus.declare import stream_config
    from contracts import subjects

    async with administer(login, (), stream_config(0, 0)) as bus:
        for session in sessions:
            await bus.forget(f"evt.{subjects.partition(session)}.{session}.>")


def _tell(user: str, told: Erased, texts: Texts, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"user": user, **asdict(told)}))
        return
    rows = ", ".join(f"{name} {count}" for name, count in told.rows.items())
    print(texts("admin.erased", user=user, sessions=told.sessions, events=told.events, rows=rows, files=told.files))
    for name in told.left:
        print(texts("admin.file_left", name=name))
