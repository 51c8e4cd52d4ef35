"""`python -m deploy.manifests`: writes deploy/k8s/rendered from the overlays, and what is generated inside of them.

That is the alerts as a PrometheusRule, and the users of the bus with their rights, as the code works them out. Public
keys come beside those, by names, so that neither a key nor whoever has it stands in the repository."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from backbone import packs
from backbone.bus import rights

ROOT = Path(__file__).parents[1]
K8S = ROOT / "deploy/k8s"
RENDERED = K8S / "rendered"
OVERLAYS = ("dev", "prod")
ALERTS = K8S / "components/monitoring/rules.yaml"
USERS = K8S / "components/nats/authorization.conf"
SECONDS = 300
_USERS_HEAD = """\
# Written by make k8s-build: who may say and hear what on the bus. Keys are in the Secret dream-nats-users, users.conf.
include "../nats-users/users.conf"
"""


class ToolsMissing(Exception):
    """The environment of deploy/requirements.txt is not there, or one of its programs fails."""


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of deploy/requirements.txt, in an environment of their own."""

    folder: Path = ROOT / ".venv-deploy/bin"

    def run(self, program: str, *arguments: str, told: str | None = None) -> str:
        """What it prints. Raises ToolsMissing."""
        command = [str(self.folder / program), *arguments]
        # no cluster is asked, whatever configuration this machine has
        environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment |= {"KUBECONFIG": os.devnull, "HOME": str(self.folder), "LOG_LEVEL": "ERROR"}
        try:
            done = subprocess.run(  # noqa: S603  # our own programs
                command, input=told, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
            )
        except FileNotFoundError:
            raise ToolsMissing(f"{command[0]} is not there; run: make k8s-check") from None
        if done.returncode:
            raise ToolsMissing(f"{program} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout


def alerts() -> str:
    """The PrometheusRule with what deploy/prometheus has."""
    told = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "dream"},
        "spec": yaml.safe_load((ROOT / "deploy/prometheus/alerts.yaml").read_text("utf-8")),
    }
    head = "# Written by make k8s-build from deploy/prometheus/alerts.yaml.\n"
    return head + yaml.safe_dump(told, sort_keys=False, width=110, allow_unicode=True)


def variable(user: str) -> str:
    """The name of a user's public key in users.conf."""
    return f"NKEY_{user.replace('-', '_').upper()}"


def authorization() -> str:
    """authorization.conf: the users of the bus and their rights."""
    stations = rights.stations(packs.load(()).executors, split=True)
    given = {station.name: rights.rights_of(station) for station in stations}
    names = {user: f"@{variable(user)}@" for user in (*given, rights.ADMIN)}
    text = re.sub(r'"@(NKEY_[A-Z_]+)@"', r"$\1", rights.as_conf(given, names))
    return _USERS_HEAD + text


def build(programs: Programs, into: Path) -> None:
    """Writes the objects of every overlay into a folder. Raises ToolsMissing."""
    into.mkdir(parents=True, exist_ok=True)
    for name in OVERLAYS:
        head = f"# Written by make k8s-build: what `kubectl kustomize deploy/k8s/overlays/{name}` gives.\n"
        objects = programs.run("kubectl", "kustomize", str(K8S / "overlays" / name))
        (into / f"{name}.yaml").write_text(head + objects, "utf-8")


def main() -> int:
    """The command; 0 when all is written."""
    ALERTS.write_text(alerts(), "utf-8")
    USERS.write_text(authorization(), "utf-8")
    try:
        build(Programs(), RENDERED)
    except ToolsMissing as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
