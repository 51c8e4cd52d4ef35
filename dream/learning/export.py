"""`dream export learning`: every run of the ledger as a line of JSON, page by page."""

import secrets
import sys
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO
from uuid import UUID

import orjson

from backbone import packs
from backbone.artifacts.addresses import artifacts_at
from backbone.ledger.past_runs import past_runs
from backbone.ledger.postgres import PostgresLedger
from backbone.ledger.rights import READERS
from backbone.ledger.sealed import Damaged, sealed_sessions
from contracts.envelope import Message
from contracts.shape import JsonObject
from dream.failures import CommandFailed, Exit
from dream.learning.record import EVENTS, corrected, privacy_of, record
from dream.ops.database import database_errors
from dream.texts import Texts

PAGE = 50
SESSIONS = 1000
"""Openings that are kept at hand; runs of a session mostly come together."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs, and as what: `corrections` are lines of `python -m bench understanding`, and nothing else."""

    since: datetime | None = None
    user: str | None = None
    corrections: bool = False


async def export(url: str, wanted: Wanted, out: Path | None, texts: Texts, artifacts: str | None = None) -> int:
    """Writes the lines to a file that is not there yet, or to standard output; says how many on standard error. Large
    data of events are read from `artifacts`."""
    store = artifacts_at(artifacts) if artifacts else None
    with database_errors():
        ledger = await PostgresLedger.connect(url, roles=READERS, min_size=1, max_size=2, artifacts=store)
        try:
            written = 0
            with _opened(out, texts) as file:
                async with aclosing(lines(ledger, wanted)) as found:
                    async for line in found:
                        file.write(orjson.dumps(line) + b"\n")
                        written += 1
        finally:
            await ledger.close()
    print(texts("learning.exported", count=written, out=out or "-"), file=sys.stderr)
    return Exit.DONE


async def lines(ledger: PostgresLedger, wanted: Wanted) -> AsyncGenerator[JsonObject, None]:
    """A record for each run: those of sealed sessions, then the others in the order of their ids. The salt of
    pseudonyms is this export's own, and kept nowhere: two exports cannot be joined by them, and nobody can try names
    against one."""
    salt = secrets.token_bytes(32)
    loaded = packs.load()
    flows = {name: flow for name, (_, flow) in loaded.flows.items()}
    privacy = privacy_of((spec for pack in loaded.packs.values() for spec in pack.intents), flows)
    async for opened, events in _runs(ledger, wanted.since):
        if not _is_of(opened, wanted.user):
            continue
        made: JsonObject | None = record(opened, events, salt, privacy)
        made = corrected(made) if wanted.corrections and made else made
        if made is not None:
            yield made


async def _runs(
    ledger: PostgresLedger, since: datetime | None
) -> AsyncGenerator[tuple[Message | None, list[Message]], None]:
    """The opening of its session, and the events of each run."""
    async for one in sealed_sessions(ledger.pool):  # read as they are, not opened: there may be any number
        try:
            messages = await ledger.whole(one.messages())
        except Damaged as error:
            print(f"{one.session_id}: {error}: dream audit verify", file=sys.stderr)
            continue
        begun = {message.run_id for message in messages if _begins(message, since)}
        for run_id, events in _by_run(message for message in messages if message.type in EVENTS).items():
            if run_id in begun:
                yield messages[0], events
    sessions: dict[UUID, Message | None] = {}
    async for page in past_runs(ledger, since, PAGE):
        places = {place.run_id: (place.session_id, place.version - 1) for place in page}
        of_page = _by_run(await ledger.of_runs(places, EVENTS))
        for place in page:
            if place.session_id not in sessions:
                first = await ledger.read(place.session_id, 0, 1)
                sessions[place.session_id] = first[0] if first else None
                if len(sessions) > SESSIONS:
                    del sessions[next(iter(sessions))]
            if place.run_id in of_page:
                yield sessions[place.session_id], of_page[place.run_id]


def _begins(message: Message, since: datetime | None) -> bool:
    return message.type == "MessageReceived" and (since is None or message.recorded_at >= since)


def _by_run(messages: Iterable[Message]) -> dict[UUID, list[Message]]:
    found: dict[UUID, list[Message]] = {}
    for message in messages:
        found.setdefault(message.run_id or message.event_id, []).append(message)
    return found


def _is_of(opened: Message | None, user: str | None) -> bool:
    if user is None:
        return True
    return opened is not None and orjson.loads(opened.data).get("user", "anonymous") == user


@contextmanager
def _opened(out: Path | None, texts: Texts) -> Iterator[IO[bytes]]:
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        file = out.open("xb")
    except OSError as error:
        raise CommandFailed(texts("learning.out", why=error), Exit.USAGE) from None
    with file:
        yield file
