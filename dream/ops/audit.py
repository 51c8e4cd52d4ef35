"""`dream audit`: is history what was written, and is it what an anchor has seen?

An anchor is a text file: a line of JSON, a line for each session, and a last one with the HMAC of all before it. Its
key is no part of the database either: who can write there can still forge no anchor."""

import hmac
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING
from uuid import UUID

from dream.failures import CommandFailed, Exit
from dream.ops.database import database_errors
from dream.texts import Texts

if TYPE_CHECKING:
    from backbone.ledger.anchors import Head, Removed
    from backbone.ledger.postgres import PostgresLedger

FORMAT = 1


async def anchor(url: str, file: Path, key: Path, texts: Texts) -> int:
    """Writes where every history ends now. Refuses to write over a file: it may be an anchor."""
    from backbone.ledger.anchors import heads
    from backbone.ledger.postgres import PostgresLedger
    from backbone.ledger.rights import READERS

    signature = hmac.new(_key(key, texts, make=True), digestmod="sha256")
    count = 0
    with _new(file, texts) as output, database_errors():

        def write(line: str) -> None:
            data = line.encode() + b"\n"
            signature.update(data)
            output.write(data)

        write(json.dumps({"dream_anchor": FORMAT, "made_at": datetime.now(UTC).isoformat()}))
        ledger = await PostgresLedger.connect(url, roles=READERS, min_size=1, max_size=2)
        try:
            async for page in heads(ledger):
                count += len(page)
                for head in page:
                    write(f"{head.session_id} {head.version} {head.hash.hex()}")
        finally:
            await ledger.close()
        output.write(json.dumps({"sessions": count, "hmac": signature.hexdigest()}).encode() + b"\n")
    print(texts("audit.anchored", sessions=count, file=file))
    return Exit.DONE


def look_at(anchor: Path, key: Path, texts: Texts) -> None:
    """Raises CommandFailed for what is no anchor, or was not written with this key."""
    _check(anchor, _key(key, texts, make=False), texts)


async def verify(
    url: str, session: UUID | None, against: Path | None, key: Path, texts: Texts, artifacts: str | None = None
) -> int:
    """Recomputes the hash chains, looks for data of events that lie in the artifact store, and compares with an anchor;
    exit 3 when something is not as it was, with the first bad version of each session."""
    from backbone.artifacts.addresses import artifacts_at
    from backbone.ledger.anchors import removed
    from backbone.ledger.postgres import PostgresLedger
    from backbone.ledger.rights import READERS

    if against:
        look_at(against, key, texts)
    store = artifacts_at(artifacts) if artifacts else None
    with database_errors():
        ledger = await PostgresLedger.connect(url, roles=READERS, min_size=1, max_size=2, artifacts=store)
        try:
            told = await _compared(ledger, against, session, texts) if against else []
            if session and not told and not await ledger.heads([session]):
                gone = (await removed(ledger, [session])).get(session)
                if gone is None:
                    raise CommandFailed(texts("audit.unknown", session=session), Exit.USAGE)
                print(_gone(gone, gone.version, texts))
                return Exit.DONE
            broken = await ledger.verify(session)
        finally:
            await ledger.close()
    told += [texts("audit.broken", session=stream, version=version) for stream, version in broken.items()]
    for line in told:
        print(line)
    if told:
        return Exit.FAILED
    print(texts("audit.sound", session=session) if session else texts("audit.all_sound"))
    if store is None:
        print(texts("audit.no_artifacts"))
    print(texts("audit.as_anchored", file=against) if against else texts("audit.not_anchored"))
    return Exit.DONE


async def _compared(ledger: "PostgresLedger", file: Path, session: UUID | None, texts: Texts) -> list[str]:
    """What is not as it was. What was archived or erased is printed: it is recorded where it went, and no accident."""
    from backbone.ledger.anchors import differing, removed

    told = []
    for page in _pages(file):
        wanted = {head.session_id: head for head in page if session in (None, head.session_id)}
        found = await differing(ledger, list(wanted.values()))
        taken = await removed(ledger, [one.session_id for one in found]) if found else {}
        for one in found:
            gone = taken.get(one.session_id)
            if gone and gone.accounts_for(wanted[one.session_id]):
                print(_gone(gone, one.version, texts))
                continue
            key = "audit.missing" if one.missing else "audit.rewritten"
            told.append(texts(key, session=one.session_id, version=one.version))
    return told


def _gone(gone: "Removed", version: int, texts: Texts) -> str:
    if gone.archive:
        return texts("audit.archived", session=gone.session_id, version=version, archive=gone.archive)
    at = gone.at.isoformat(timespec="seconds")
    return texts("audit.erased", session=gone.session_id, version=gone.version, at=at, by=gone.by)


def _pages(file: Path) -> "Iterator[list[Head]]":
    from backbone.ledger.anchors import PAGE, Head

    page: list[Head] = []
    with file.open(encoding="ascii") as lines:
        for line in lines:
            if line.startswith("{"):
                continue
            session, version, digest = line.split()
            page.append(Head(UUID(session), int(version), bytes.fromhex(digest)))
            if len(page) == PAGE:
                yield page
                page = []
    yield page


def _check(file: Path, key: bytes, texts: Texts) -> None:
    """Raises CommandFailed for what is no anchor, or not as it was written."""
    signature = hmac.new(key, digestmod="sha256")
    last = b""
    known = False
    try:
        with file.open("rb") as lines:
            for line in lines:
                signature.update(last)
                known = known or json.loads(line)["dream_anchor"] == FORMAT
                last = line
        told = json.loads(last)["hmac"] if known else None
    except OSError as error:
        raise CommandFailed(texts("audit.no_anchor", file=file, error=error), Exit.USAGE) from None
    except (ValueError, KeyError, TypeError) as error:
        raise CommandFailed(texts("audit.no_anchor", file=file, error=repr(error)), Exit.USAGE) from None
    if not hmac.compare_digest(str(told), signature.hexdigest()):
        raise CommandFailed(texts("audit.forged", file=file), Exit.FAILED)


def _key(place: Path, texts: Texts, *, make: bool) -> bytes:
    """Our own key, ours to read alone; made when the first anchor is."""
    try:
        if make and not place.exists():
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
        key = place.read_bytes().strip()
    except OSError as error:
        raise CommandFailed(texts("audit.no_key", file=place, error=error), Exit.USAGE) from None
    if not key:
        raise CommandFailed(texts("audit.no_key", file=place, error="empty"), Exit.USAGE)
    return key


@contextmanager
def _new(file: Path, texts: Texts) -> Iterator[IO[bytes]]:
    """A file that was not there; gone again when it does not become whole."""
    try:
        output = os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except OSError as error:
        raise CommandFailed(texts("audit.not_written", file=file, error=error), Exit.USAGE) from None
    try:
        with output:
            yield output
            output.flush()
            os.fsync(output.fileno())
    except BaseException:
        file.unlink(missing_ok=True)
        raise
