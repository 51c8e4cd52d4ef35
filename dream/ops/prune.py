"""`dream admin prune` and `restore-session`: what nobody can ask for again goes, sessions in which nothing
happens any more are sealed, old ones go into the archive."""

import json
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from dream.failures import CommandFailed, Exit
from dream.ops import archive
from dream.ops.database import database_errors
from dream.texts import Texts

if TYPE_CHECKING:
    from backbone.ledger.retention import Retention

TRIAL = timedelta(days=7)
"""After an update, in which nothing is sealed: the version before, which knows no seals, can be gone back to."""
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Limits:
    """How old things may get; None: they stay."""

    inbox: timedelta
    letters: timedelta
    sessions: timedelta | None
    seal: timedelta | None = None
    dry_run: bool = False


def duration(text: str, texts: Texts) -> timedelta:
    """36h, 90d, 8w."""
    found = re.fullmatch(r"([1-9][0-9]{0,4})([hdw])", text.strip())
    if not found:
        raise CommandFailed(texts("admin.no_duration", text=text), Exit.USAGE)
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


async def prune(url: str, artifacts: str, limits: Limits, texts: Texts, *, as_json: bool) -> int:
    """`url` is the owner's. Refuses to forget what the bus may still bring again."""
    from backbone.ledger.retention import retention
    from backbone.settings import Settings

    shortest = timedelta(hours=Settings().bus_max_age_hours * 2)
    if limits.inbox < shortest:
        raise CommandFailed(
            texts("admin.inbox_too_short", shortest=f"{shortest.total_seconds() / 3600:.0f}h"), Exit.USAGE
        )
    now = datetime.now(UTC)
    told: dict[str, int | str] = {"inbox": 0, "letters": 0, "kept": 0, "sessions": 0, "events": 0, "sealed": 0}
    with database_errors():
        async with retention(url) as ledger:
            until = await ledger.inbox_until(now - limits.inbox)
            told["inbox_until"] = until.isoformat(timespec="seconds")
            if not limits.dry_run:
                told["inbox"] = await ledger.prune_inbox(until)
                told["letters"] = await ledger.prune_letters(now - limits.letters)
                told["kept"] = await ledger.prune_kept(now - limits.letters)
            if limits.sessions is not None:
                if not limits.dry_run:
                    for wrong in await ledger.unseal_before(now - limits.sessions):
                        print(wrong, file=sys.stderr)
                told |= await _archive(ledger, artifacts, now - limits.sessions, dry_run=limits.dry_run)
            if limits.seal is not None and await ledger.may_seal(TRIAL):
                told["sealed"] = await _seal(ledger, now - limits.seal, dry_run=limits.dry_run)
    print(json.dumps(told) if as_json else texts("admin.would_prune" if limits.dry_run else "admin.pruned", **told))
    return Exit.DONE


async def _archive(ledger: "Retention", artifacts: str, until: datetime, *, dry_run: bool) -> dict[str, int | str]:
    from backbone.artifacts.addresses import artifacts_at
    from backbone.ledger.retention import SessionGoesOn

    store = artifacts_at(artifacts)
    sessions = events = 0
    async for ended in ledger.ended_before(until):
        if not dry_run:
            user = await ledger.user_of(ended.session_id)
            name = await archive.keep(store, ledger, ended)
            try:
                await ledger.remove(ended, archive=name, user=user)
            except SessionGoesOn:
                continue  # somebody has said something there since
        sessions, events = sessions + 1, events + ended.version
    return {"sessions": sessions, "events": events}


async def _seal(ledger: "Retention", until: datetime, *, dry_run: bool) -> int:
    from backbone.ledger.retention import NotAsArchived, SessionGoesOn

    count = 0
    async for ended in ledger.idle_since(until):
        if not dry_run:
            try:
                await ledger.seal(ended)
            except SessionGoesOn:
                continue  # or somebody is still to hear of what happened there
            except NotAsArchived as error:
                print(error, file=sys.stderr)
                continue
        count += 1
    return count


async def restore_session(url: str, artifacts: str, session: UUID, texts: Texts) -> int:
    """Brings an archived session back, if its archive is what was taken away."""
    from backbone.artifacts.addresses import artifacts_at
    from backbone.artifacts.port import ArtifactUnknown
    from backbone.ledger.retention import NotAsArchived, SessionGoesOn, retention

    with database_errors():
        async with retention(url) as ledger:
            name = await ledger.archive_of(session)
            if name is None:
                raise CommandFailed(texts("admin.not_archived", session=session), Exit.USAGE)
            try:
                events = await archive.rows(artifacts_at(artifacts), name, session, texts)
                version = await ledger.readmit(session, events)
            except ArtifactUnknown as error:
                raise CommandFailed(texts("admin.no_archive", name=name, session=session, why=error)) from None
            except (NotAsArchived, SessionGoesOn) as error:
                raise CommandFailed(str(error)) from None
    print(texts("admin.readmitted", session=session, events=version))
    return Exit.DONE
