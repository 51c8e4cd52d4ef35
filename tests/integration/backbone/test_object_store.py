"""A bucket as the artifact store, when it is not as it should be: wrong, forbidden, away, altered; and its local copies."""

import asyncio
import logging
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import boto3
import pytest

from backbone.artifacts.addresses import artifacts_at
from backbone.artifacts.bucket import AddressWrong
from backbone.artifacts.health import StoreHealth
from backbone.artifacts.objects import ObjectArtifacts
from backbone.artifacts.port import (
    ArtifactDamaged,
    ArtifactStoreRefused,
    ArtifactStoreUnavailable,
    ArtifactUnknown,
)
from tests.support.s3 import KEY, SECRET, S3Server, cached, s3_server, store_at

pytestmark = pytest.mark.usefixtures("scratch")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://files.example/artifacts", "'ftp'"),
        ("artifacts", "file://, s3://, gs://, az://"),
        ("s3:///only/a/prefix", "names no bucket"),
        ("s3://AKIA123:hunter2hunter2@bucket/p", "AWS_*"),
        ("gs://bucket/p?token=hunter2hunter2", "GOOGLE_*"),
        ("az://container#hunter2hunter2", "AZURE_*"),
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_a_password(url: str, said: str) -> None:
    with pytest.raises(AddressWrong) as refused:
        artifacts_at(url, environment={})
    assert said in str(refused.value)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["s3", "gs", "az"])
def test_all_three_providers_open_without_asking_anybody(scheme: str) -> None:
    account = {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "aGVsbG8="}
    store = artifacts_at(f"{scheme}://bucket/p", environment=account if scheme == "az" else {})
    assert isinstance(store, ObjectArtifacts)


def test_a_variable_of_the_provider_that_is_wrong_is_named_by_its_kind_and_not_shown() -> None:
    key = "2retnuh"[::-1] + " is no base64"  # a traceback shows this line
    with pytest.raises(AddressWrong, match=r"AZURE_\*") as refused:
        artifacts_at("az://container", environment={"AZURE_STORAGE_ACCOUNT_KEY": key})
    assert "hunter2" not in "".join(traceback.format_exception(refused.value))


def test_who_uses_a_folder_does_not_import_the_library() -> None:
    code = "import sys, backbone.service; sys.exit('obstore' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_what_the_sealing_takes_out_of_the_environment_still_signs(s3: S3Server) -> None:
    """The library reads the environment of the C library, from which secrets are gone."""
    code = f"""
import asyncio, os, tempfile
tempfile.tempdir = {tempfile.gettempdir()!r}
from backbone.sealing import seal
seal()
from backbone.artifacts.addresses import artifacts_at
store = artifacts_at("s3://artifacts/{uuid4()}")
print(asyncio.run(store.problem()) or "well", store._bucket.store.config["access_key_id"])
"""
    environment = {**os.environ, **s3.environment()}
    found = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, env=environment, stdout=asyncio.subprocess.PIPE
    )
    told, _ = await found.communicate()
    assert told.decode().split() == ["well", KEY]


async def test_a_bucket_that_is_not_there_is_refused_and_the_sentence_names_it(s3: S3Server) -> None:
    store = store_at(s3, "s3://nowhere-at-all/p")
    with pytest.raises(ArtifactStoreRefused, match="s3://nowhere-at-all/p is not there"):
        await store.put(b"data")
    assert "no such bucket" in await store.problem()


async def test_a_server_that_is_away_is_unavailable_and_well_again_after_its_return(s3: S3Server) -> None:
    gone = {**s3.environment(), "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    store = store_at(s3, environment=gone)
    with pytest.raises(ArtifactStoreUnavailable) as away:
        await store.put(b"data")
    assert not isinstance(away.value, ArtifactStoreRefused)
    assert "no answer" in await store.problem()


@pytest.fixture(scope="module")
def guarded() -> Iterator[S3Server]:
    """A server of its own: rights are looked at for everybody or for nobody."""
    with s3_server("artifacts") as server:
        yield server


class TestRights:
    @pytest.fixture
    def person(self, guarded: S3Server) -> Iterator["Person"]:
        person = Person(guarded)
        guarded.request("POST", "/moto-api/reset-auth", b"0")
        yield person
        guarded.request("POST", "/moto-api/reset-auth", b"inf")

    async def test_with_its_rights_it_works(self, person: "Person") -> None:
        person.may("s3:GetObject", "s3:PutObject", "s3:ListBucket")
        store = person.store()
        assert await store.problem() == ""
        digest, _ = await store.put(b"data")
        assert await store.size(digest) == 4

    @pytest.mark.parametrize("missing", ["s3:GetObject", "s3:PutObject"])
    async def test_each_right_that_is_missing_becomes_a_sentence(
        self, person: "Person", missing: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        person.may(*({"s3:GetObject", "s3:PutObject", "s3:ListBucket"} - {missing}))
        store = person.store()
        what = "read" if missing == "s3:GetObject" else "written"
        assert (
            await store.problem()
            == f"the artifact store s3://artifacts/p may not be {what} with our credentials" + (" (AccessDenied)")
        )
        with pytest.raises(ArtifactStoreRefused) as refused:
            await store.put(os.urandom(20))
        for told in (caplog.text, "".join(traceback.format_exception(refused.value)), repr(store), repr(store._bucket)):
            assert person.secret not in told

    @pytest.mark.parametrize("wrong", ["key", "secret"])
    async def test_wrong_credentials_are_told_from_missing_rights(self, person: "Person", wrong: str) -> None:
        person.may("s3:*")
        store = person.store(**{wrong: "AKIANOBODY123456"})
        told = await store.problem()
        assert told.startswith("the artifact store s3://artifacts/p refuses our credentials")
        assert "AKIANOBODY" not in told

    async def test_health_takes_up_and_drops_the_problem(self, person: "Person", monkeypatch) -> None:
        monkeypatch.setattr("backbone.artifacts.health.ILL_SECONDS", 0.05)
        monkeypatch.setattr("backbone.artifacts.health.WELL_SECONDS", 0.05)
        health = StoreHealth(person.store())
        assert health.problem
        watching = asyncio.create_task(health.watch())
        try:
            await until(lambda: "may not be" in health.problem)
            person.may("s3:*")
            await until(lambda: not health.problem)
            person.may("s3:GetObject")
            await until(lambda: "may not be written" in health.problem)
        finally:
            watching.cancel()


async def until(holds) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.02)


class Person:
    """Somebody at the server, with the rights that a test gives them."""

    def __init__(self, server: S3Server) -> None:
        self._server = server
        self._name = f"user-{uuid4()}"
        self._iam = boto3.client(
            "iam", endpoint_url=server.url, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
        )
        server.request("POST", "/moto-api/reset-auth", b"inf")
        self._iam.create_user(UserName=self._name)
        made = self._iam.create_access_key(UserName=self._name)["AccessKey"]
        self._key, self.secret = made["AccessKeyId"], made["SecretAccessKey"]

    def may(self, *actions: str) -> None:
        import json

        policy = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": sorted(actions), "Resource": "*"}],
        }
        self._server.request("POST", "/moto-api/reset-auth", b"inf")
        self._iam.put_user_policy(UserName=self._name, PolicyName="rights", PolicyDocument=json.dumps(policy))
        self._server.request("POST", "/moto-api/reset-auth", b"0")

    def store(self, key: str = "", secret: str = "") -> ObjectArtifacts:
        environment = self._server.environment(key or self._key, secret or self.secret)
        return store_at(self._server, "s3://artifacts/p", environment=environment)


class TestWhatComesBack:
    @pytest.mark.parametrize("altered", [b"", b"half of it", b"another of the same length "[:24]])
    async def test_what_is_not_what_its_name_says_is_noticed(self, s3: S3Server, scratch: Path, altered: bytes) -> None:
        store = store_at(s3)
        digest, _ = await store.put(b"what a tool had written.")
        await store._bucket.put(f"{digest[:2]}/{digest}", altered, "text/plain", create=False)
        with pytest.raises(ArtifactDamaged, match=digest):
            await store.path(digest)
        with pytest.raises(ArtifactDamaged, match=digest):
            async for _ in await store.open(digest):
                pass
        assert cached(scratch) == set()

    async def test_a_large_file_goes_up_in_parts_and_down_in_chunks(self, s3: S3Server, scratch: Path) -> None:
        store = store_at(s3)
        large = os.urandom(1024 * 1024) * 21

        async def stream() -> AsyncIterator[bytes]:
            for start in range(0, len(large), 700_000):
                yield large[start : start + 700_000]

        digest, size = await store.put_stream(stream(), len(large), "video/mp4")
        assert (size, await store.size(digest), await store.media_type(digest)) == (len(large), len(large), "video/mp4")
        chunks = [chunk async for chunk in await store.open(digest)]
        assert b"".join(chunks) == large
        assert max(map(len, chunks)) < 4 * 1024 * 1024

    async def test_what_one_bucket_has_is_unknown_in_another(self, s3: S3Server, scratch: Path) -> None:
        digest, _ = await store_at(s3).put(b"mine")
        with pytest.raises(ArtifactUnknown):
            await store_at(s3).path(digest)


def test_the_servers_secret_is_a_secret() -> None:
    store = artifacts_at("s3://bucket/p", environment=S3Server(9).environment())
    assert isinstance(store, ObjectArtifacts)
    assert SECRET not in f"{store!r} {store._bucket!r} {store._bucket.store!r}"
