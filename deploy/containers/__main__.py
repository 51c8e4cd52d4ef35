"""`python -m deploy.containers COMMAND`: what the Makefile's targets about containers call."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from deploy.containers import compose_secrets, images
from deploy.containers.dockerd import Docker, EngineMissing, running

COMMANDS = ("base", "build", "servers", "sizes", "secrets", "up", "down")
OTLP, TRACE_PAGE = "http://otel-collector:4318/v1/traces", "http://localhost:3000/d/dream-run?var-trace_id={trace_id}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--base", default=images.BASE)
    parser.add_argument("--tag", default=images.TAG)
    parser.add_argument("--observe", action="store_true")
    told = parser.parse_args()
    if told.command == "secrets":
        compose_secrets.make()
        return 0
    try:
        if told.command in {"up", "down"}:
            _compose(Docker(), told.command, observe=told.observe)
            return 0
        with running() as docker:
            _do(docker, told)
    except EngineMissing as error:
        print(f"containers: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"containers: {error}\n{error.stderr or ''}", file=sys.stderr)
        return 1
    return 0


def _do(docker: Docker, told: argparse.Namespace) -> None:
    match told.command:
        case "base":
            images.make_base(docker)
        case "build":
            images.build(docker, told.base, told.tag)
        case "servers" if os.geteuid() == 0 and Path("/etc/debian_version").exists():
            images.build_servers(docker, told.tag)
        case "servers":
            print("images: NATS and Postgres are the official ones here; ours are made as root, on Debian")
        case "sizes":
            print(images.sizes(docker, told.tag))


def _compose(docker: Docker, command: str, *, observe: bool) -> None:
    """For people at a terminal: the engine is theirs, and stays."""
    if not docker.succeeds("compose", "version"):
        raise EngineMissing("docker compose does not run here: install its plugin")
    compose_secrets.make()
    profile = ["--profile", "observe"] if observe or command == "down" else []
    environment = {"DREAM_OTLP_ENDPOINT": OTLP, "DREAM_TRACE_URL": TRACE_PAGE} if observe else {}
    how = ["up", "--detach", "--wait"] if command == "up" else ["down"]
    docker.run("compose", "--file", "deploy/compose.yaml", *profile, *how, environment=environment | dict(os.environ))


if __name__ == "__main__":
    sys.exit(main())
