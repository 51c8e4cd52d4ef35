"""Builds the images: a Debian base where there is none, the services, and the servers where no registry is at hand."""

import json
import os
import platform
import shutil
import ssl
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from deploy.containers.dockerd import OUT, ROOT, Docker, EngineMissing, install

SERVICES = ("dream-gateway", "dream-planning", "dream-response", "dream-cognitive", "dream-execution", "dream-admin")
SERVERS = ("dream-nats", "dream-postgres")
BASE, POSTGRES_BASE = "dream-base:bookworm", "dream-base:postgres"
BASES = {BASE: "python", POSTGRES_BASE: "postgres"}
TAG = "dev"
OURS = ("gateway", "cognitive", "planning", "execution", "response")
IDS = {"nats": "65532:65532", "postgres": "999:999"} | dict.fromkeys(OURS, "65532:65532")
"""Part of the compose file -> whom it runs as."""
READY = OUT / "docker"
"""What the build takes beside the sources: uv, and the authorities that this machine believes."""
FILE, SERVERS_FILE = "deploy/docker/Dockerfile", "deploy/docker/servers.Dockerfile"


def make_base(docker: Docker, name: str = BASE) -> None:
    """Makes a Debian base, once; `docker image rm` it for a newer one."""
    if docker.succeeds("image", "inspect", name):
        return
    if os.geteuid() != 0:
        raise EngineMissing(f"{name} is made by debootstrap, as root; name another with BASE=python:3.11-slim-bookworm")
    if shutil.which("debootstrap") is None:
        install("debootstrap")
    print(f"images: {name}", flush=True)
    docker.read(["deploy/docker/base-image.sh", BASES[name], str(OUT / "debian")], "import", "-", name)


def build(docker: Docker, base: str = BASE, tag: str = TAG, names: tuple[str, ...] = SERVICES) -> None:
    """The services' images, as <name>:<tag>."""
    if base in BASES:
        make_base(docker, base)
    _put_ready(docker)
    arguments = {"BASE": base, "VERSION": _version(), "REVISION": _revision()}
    for name in names:
        _build(docker, FILE, name, tag, arguments)


def build_servers(docker: Docker, tag: str = TAG) -> None:
    """NATS and Postgres of our own."""
    from dream.local.nats import binary

    for name in BASES:
        make_base(docker, name)
    (OUT / "servers").mkdir(parents=True, exist_ok=True)
    shutil.copy2(binary(), OUT / "servers/nats-server")
    for name in SERVERS:
        _build(docker, SERVERS_FILE, name, tag, {"BASE": BASE, "POSTGRES_BASE": POSTGRES_BASE})


def sizes(docker: Docker, tag: str = TAG) -> str:
    """A table: each image whole, and what it has above the base."""
    rows = [f"{'image':<20}{'MB':>7}{'own MB':>9}"]
    for name in (*SERVICES, *SERVERS):
        if docker.succeeds("image", "inspect", f"{name}:{tag}"):
            told = json.loads(docker.told("image", "inspect", f"{name}:{tag}"))[0]
            layers = [line.split("\t") for line in _history(docker, f"{name}:{tag}")]
            own = sum(int(size) for what, size in layers if "COPY" in what)
            rows.append(f"{name:<20}{told['Size'] / 1e6:>7.0f}{own / 1e6:>9.0f}")
    return "\n".join(rows)


def _history(docker: Docker, image: str) -> list[str]:
    form = "{{.CreatedBy}}\t{{.Size}}"
    return docker.told("history", "--no-trunc", "--human=false", "--format", form, image).splitlines()


def _build(docker: Docker, file: str, name: str, tag: str, arguments: dict[str, str]) -> None:
    print(f"images: {name}:{tag}", flush=True)
    told = [part for key, value in arguments.items() for part in ("--build-arg", f"{key}={value}")]
    # the builder's own network has no way out everywhere
    how = ["--load", "--quiet", "--network", "host", "--provenance=false"]
    docker.told("buildx", "build", *how, "--file", file, "--target", name, "--tag", f"{name}:{tag}", *told, ".")


def _put_ready(docker: Docker) -> None:
    READY.mkdir(parents=True, exist_ok=True)
    authorities = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    (READY / "authorities.pem").write_bytes(Path(authorities).read_bytes() if authorities else b"")
    version = subprocess.run(["uv", "--version"], executable=_beside("uv"), capture_output=True, text=True, check=True)
    wanted = f"uv=={version.stdout.split()[1]}"
    if (READY / "uv.version").exists() and (READY / "uv.version").read_text() == wanted:
        return
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        docker.told("version", "--format", "{{.Server.Arch}}"), platform.machine()
    )
    wheels = OUT / "uv"
    where = ["--platform", f"manylinux_2_17_{machine}", "--dest", str(wheels)]
    how = ["--quiet", "--no-deps", "--only-binary=:all:", *where]
    subprocess.run([sys.executable, "-m", "pip", "download", *how, wanted], check=True)
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        found = next(name for name in wheel.namelist() if name.endswith(".data/scripts/uv"))
        (READY / "uv").write_bytes(wheel.read(found))
    (READY / "uv").chmod(0o755)
    shutil.rmtree(wheels)
    (READY / "uv.version").write_text(wanted)


def _beside(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def _version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def _revision() -> str:
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"
