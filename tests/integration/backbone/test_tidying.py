"""`dream up` keeps a ledger of its own small: prune runs beside it, and ends with it."""

import asyncio
import json
from collections.abc import Iterator

import psutil
import pytest

from backbone.ledger.migrate import migrate
from dream.local.data_dir import DataDir
from dream.local.embedded import EmbeddedPostgres
from dream.local.tidying import tidy
from tests.e2e.person import eventually
from tests.support.folders import own_folder


@pytest.fixture
def place() -> Iterator[DataDir]:
    with own_folder("tidy") as folder:
        place = DataDir(folder)
        place.made()
        yield place


def pruned(place: DataDir) -> list[str]:
    log = place.folder / "logs/prune.log"
    return [line for line in log.read_text().splitlines() if line.startswith("{")] if log.exists() else []


async def test_a_ledger_of_our_own_is_pruned_again_and_again(place: DataDir) -> None:
    server = EmbeddedPostgres(place.folder / "postgres")
    await asyncio.to_thread(server.start)
    try:
        await migrate(server.owner_url, services_url=server.url)
        place.announce("http://127.0.0.1", server.url, "")
        tidying = asyncio.create_task(tidy(place, first=0.0, every=0.1))

        async def twice() -> bool:
            return len(pruned(place)) >= 2

        await eventually(twice, "pruned twice")
        tidying.cancel()
        await asyncio.wait({tidying})
    finally:
        await asyncio.to_thread(server.stop)
    assert json.loads(pruned(place)[0])["sealed"] == 0


async def test_what_stops_us_stops_it_and_without_a_database_it_says_so(place: DataDir, caplog) -> None:
    tidying = asyncio.create_task(tidy(place, first=0.0, every=0.1))

    async def refused() -> bool:
        return any("could not be made smaller" in record.message for record in caplog.records)

    await eventually(refused, "told that there is no database")
    tidying.cancel()
    await asyncio.wait({tidying})
    left = [one for one in psutil.Process().children(recursive=True) if "prune" in " ".join(one.cmdline())]
    assert left == []
    assert not place.record_of("prune").exists()
