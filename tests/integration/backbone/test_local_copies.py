"""Local copies of artifacts in a bucket: bounded, whole, and there for as long as somebody holds them."""

import asyncio
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from backbone.artifacts.objects import ObjectArtifacts
from backbone.artifacts.port import ArtifactStoreUnavailable
from tests.support.s3 import S3Server, cached, store_at


async def test_what_came_in_is_not_downloaded_again(s3: S3Server, scratch: Path) -> None:
    store = store_at(s3)
    source = scratch / "source"
    source.write_bytes(b"a" * 1000)
    digest, _ = await store.put(source, "text/plain")
    assert cached(scratch) == {digest}


async def test_the_longest_unused_make_room_and_never_one_that_is_held(s3: S3Server, scratch: Path) -> None:
    store = store_at(s3, cache_bytes=2500)
    first, second, third, fourth = [(await store.put(bytes([n]) * 1000))[0] for n in range(4)]
    async with store.held([first]) as (held,):
        await store.path(second)
        await store.path(third)
        assert cached(scratch) == {first, third}
        await store.path(fourth)
        assert cached(scratch) == {first, fourth}
        assert held.read_bytes() == bytes(1000)
    await store.path(third)
    assert cached(scratch) == {third, fourth}


async def test_a_file_that_is_larger_than_the_room_is_there_for_as_long_as_it_is_held(
    s3: S3Server, scratch: Path
) -> None:
    store = store_at(s3, cache_bytes=10)
    large, _ = await store.put(b"x" * 5000)
    async with store.held([large, large]) as (one, other):
        assert one == other
        assert one.stat().st_size == 5000
    small, _ = await store.put(b"y" * 7)
    await store.path(small)
    assert cached(scratch) == {small}


async def test_what_another_process_holds_stays(s3: S3Server, scratch: Path) -> None:
    store = store_at(s3, cache_bytes=100)
    digest, _ = await store.put(b"h" * 100)
    place = await store.path(digest)
    code = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_SH); print('held', flush=True); sys.stdin.read()"
    other = subprocess.Popen(  # noqa: ASYNC220  # it starts at once
        [sys.executable, "-c", code, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        fresh, _ = await store.put(b"i" * 100)
        await store.path(fresh)
        assert digest in cached(scratch)
    finally:
        other.kill()
        other.communicate()
    last, _ = await store.put(b"j" * 100)
    await store.path(last)
    assert cached(scratch) == {last}


async def test_many_at_once_get_whole_files(s3: S3Server, scratch: Path) -> None:
    """Two stores are as two processes: locks are between descriptors."""
    url = f"s3://artifacts/{uuid4()}"
    stores = [store_at(s3, url, cache_bytes=1500) for _ in range(2)]
    digests = [(await stores[0].put(bytes([n]) * 1000))[0] for n in range(4)]

    async def use(store: ObjectArtifacts, number: int) -> None:
        async with store.held([digests[number]]) as (path,):
            await asyncio.sleep(0.001)
            assert path.read_bytes() == bytes([number]) * 1000

    await asyncio.gather(*(use(store, number) for _ in range(5) for store in stores for number in range(4)))


async def test_what_a_killed_process_left_half_written_is_removed(s3: S3Server, scratch: Path) -> None:
    store = store_at(s3)
    await store.path((await store.put(b"1"))[0])
    (folder,) = scratch.glob("dream-artifacts-*")  # noqa: ASYNC240  # a test's
    (folder / "part-left").write_bytes(b"half")
    second, _ = await store.put(b"2")
    await store.path(second)
    assert not (folder / "part-left").exists()


async def test_a_folder_that_somebody_else_has_made_is_not_used(s3: S3Server, scratch: Path) -> None:
    store = store_at(s3)
    digest, _ = await store.put(b"data")
    store._cache._folder.mkdir(mode=0o777)
    store._cache._folder.chmod(0o777)
    with pytest.raises(ArtifactStoreUnavailable, match="not this user's alone"):
        await store.path(digest)
