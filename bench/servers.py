"""A Postgres of a measurement's own: empty, durable as it is in production, gone when the measurement is over."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dream.local.embedded import EmbeddedPostgres


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
