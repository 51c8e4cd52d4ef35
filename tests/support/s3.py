"""A server that speaks S3, for tests: moto's, in a process of its own, which keeps everything in memory."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from backbone.artifacts.addresses import artifacts_at
from backbone.artifacts.objects import ObjectArtifacts
from dream.local.embedded import free_port

KEY, SECRET = "AKIATESTTESTTEST", "a secret that must be nowhere"


@dataclass(slots=True)
class S3Server:
    """`url` stays the same when it is stopped and started again; what it had is gone then."""

    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self, key: str = KEY, secret: str = SECRET) -> dict[str, str]:
        """The variables with which a bucket of it is used."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": secret,
        }

    def start(self, *buckets: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": "/tmp"},
        )
        deadline = time.monotonic() + 60
        while True:
            with suppress(OSError):
                self.request("GET", "/moto-api/data.json")
                break
            assert self.process.poll() is None, "moto's server has ended"
            assert time.monotonic() < deadline, "moto's server does not answer"
            time.sleep(0.1)
        for bucket in buckets:
            self.request("PUT", f"/{bucket}")

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        headers = {"content-type": "text/plain"} if body else {}
        asked = urllib.request.Request(f"{self.url}{path}", data=body, method=method, headers=headers)
        with urllib.request.urlopen(asked, timeout=10) as answer:
            found: bytes = answer.read()
            return found

    def pause(self) -> None:
        """It takes connections, and answers nothing."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def s3_server(*buckets: str) -> Iterator[S3Server]:
    """Running, with these buckets."""
    server = S3Server(free_port())
    try:
        server.start(*buckets)
        yield server
    finally:
        server.stop()


def store_at(
    s3: S3Server, url: str = "", cache_bytes: int = 10**9, environment: Mapping[str, str] | None = None
) -> ObjectArtifacts:
    """A store in a bucket of it, with a prefix of its own."""
    store = artifacts_at(url or f"s3://artifacts/{uuid4()}", cache_bytes, environment or s3.environment())
    assert isinstance(store, ObjectArtifacts)
    return store


def cached(scratch: Path) -> set[str]:
    """The local copies in a temporary folder."""
    return {file.name for file in scratch.glob("dream-artifacts-*/*")}
