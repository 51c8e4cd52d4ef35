"""Servers of a measurement's own, gone when it is over: an empty Postgres, or the whole product."""

import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from dream.failures import EmbeddedServerFailed
from dream.local.embedded import EmbeddedPostgres
from dream.local.processes import ProcessStack
from dream.local.stack import SERVICES

_TOLD = 4000
"""Characters of the services' log that are shown where they do not start."""


@contextmanager
def postgres() -> Iterator[str]:
    """Its URL."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        server = EmbeddedPostgres(Path(folder) / "postgres")
        try:
            server.start()
            yield server.owner_url
        finally:
            server.stop()


@asynccontextmanager
async def product(**settings: str) -> AsyncIterator[ProcessStack]:
    """Postgres, NATS and the five services as processes, with `settings` in their environment. Raises
    EmbeddedServerFailed; the log goes with the folder, so its end is shown then."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        output = Path(folder) / "services.log"
        every = {name: {"DREAM_LOG_LEVEL": "WARNING", **settings} for name in SERVICES}
        with output.open("wb") as log:
            try:
                async with ProcessStack(Path(folder) / "stack", environment=every, output=log) as stack:
                    yield stack
            except EmbeddedServerFailed:
                sys.stderr.write(output.read_text(encoding="utf-8", errors="replace")[-_TOLD:])
                raise
