"""The servers of contract tests, for as long as the test session lasts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import as_owner, as_superuser
from tests.contract.servers import Servers, containers, containers_wanted, embedded


@pytest.fixture(scope="session")
def servers(request: pytest.FixtureRequest) -> Iterator[Servers]:
    """NATS and Postgres, of which kind the tests do not know."""
    if containers_wanted():
        with containers() as found:
            yield found
        return
    folder: Path = request.getfixturevalue("server_dir")
    url: str = request.getfixturevalue("postgres_server")("postgres")
    with embedded(folder / "contract-nats", (as_superuser(url), as_owner(url), url)) as found:
        yield found
