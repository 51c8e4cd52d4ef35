"""The main job where processes share no folder: files go through a bucket, and nothing else."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from contracts.gateway import TEXT_LIMIT
from tests.e2e.person import Json, Person, eventually, of, only
from tests.e2e.test_main_job import main_job
from tests.e2e.world import PLAIN, STAGE, World, folder_for
from tests.support.forkserver import start
from tests.support.s3 import KEY, SECRET, S3Server, s3_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
def bucket() -> Iterator[S3Server]:
    with s3_server("artifacts") as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(bucket: S3Server) -> AsyncIterator[World]:
    with folder_for("bucket") as folder, (folder / "services.log").open("ab") as output:
        settings = {"DREAM_ARTIFACTS_URL": "s3://artifacts/house", **bucket.environment(), "DREAM_TOOL_FOLDERS": ""}
        world = World(folder, f"{PLAIN},{STAGE}", output, start, **settings)
        for name, environment in world._environment.items():
            environment["TMPDIR"] = str(folder / f"tmp-{name}")  # as pods have it
            Path(environment["TMPDIR"]).mkdir()  # noqa: ASYNC240  # a test's
        async with world.stack:
            yield world


async def test_a_report_is_made_of_files_that_only_the_bucket_has(house: World) -> None:
    async with Person(house.stack.url) as person:
        await main_job(person, "en")
    assert not list((house.stack.place.folder / "artifacts").glob("*"))
    log = (house.folder / "services.log").read_text()
    assert SECRET not in log
    assert KEY not in log


async def test_a_message_that_is_too_large_for_a_row_is_understood_and_shown_whole(house: World) -> None:
    text = "😀" * TEXT_LIMIT  # four bytes each
    async with Person(house.stack.url) as person:
        run = await person.say(text)

        async def understood() -> list[Json] | None:
            events = await person.events(run["session_id"])
            return events if of(events, "CognitiveOutput") else None

        events = await eventually(understood, "cognitive has read it", 60)
    assert only(events, "MessageReceived")["text"] == text


async def test_a_bucket_that_is_away_is_a_problem_and_no_reason_to_end(house: World, bucket: S3Server) -> None:
    async with httpx.AsyncClient() as http:

        async def health() -> tuple[int, str]:
            answer = await http.get(f"{house.stack.url}/health")
            return answer.status_code, answer.text

        async def told() -> bool:
            status, text = await health()
            return status == 503 and "s3://artifacts/house" in text

        async def well() -> bool:
            return (await health())[0] == 200

        await eventually(well, "health")
        bucket.stop()
        await eventually(told, "the bucket among the problems", 90)
        refused = await http.post(
            f"{house.stack.url}/artifacts?name=a.txt",
            content=b"text",
            headers={"content-type": "application/octet-stream"},
            timeout=60,
        )
        assert (refused.status_code, refused.json()["code"]) == (503, 9008)
        assert SECRET not in refused.text
        bucket.start("artifacts")
        await eventually(well, "health", 60)
    assert all(house.alive(name) for name in house._environment)
