"""The programs of deploy/requirements.txt, in an environment of their own: kubectl, the schema checks, checkov."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from deploy.check.objects import Object

HERE = Path(__file__).parent
ACCEPTED = HERE / "checkov.yaml"
SECONDS = 300


class ToolsMissing(Exception):
    """The environment is not there, or one of its programs fails."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs in a folder."""

    folder: Path

    def kustomize(self, overlay: Path) -> str:
        """The objects of an overlay as YAML. Raises ToolsMissing."""
        return self._run("kubectl", "kustomize", str(overlay))

    def schemas(self, cases: Sequence[Sequence[Object]]) -> list[list[str]]:
        """What schemas, CEL rules and KEDA's fields refuse, of each case. Raises ToolsMissing."""
        found: list[list[str]] = json.loads(self._run("python", str(HERE / "schemas.py"), told=json.dumps(cases)))
        return found

    def checkov(self, folder: Path) -> list[str]:
        """What it complains of, but for what is accepted with a reason; and reasons for what it does not complain of.
        It knows no severities without its service. Raises ToolsMissing."""
        accepted: dict[str, dict[str, str]] = yaml.safe_load(ACCEPTED.read_text("utf-8"))
        asked = (
            f"--directory {folder} --framework kubernetes --output json --quiet --compact --skip-download --soft-fail"
        )
        report: Any = json.loads(self._run("checkov", *asked.split()))
        found, used = set(), set()
        for one in report["results"]["failed_checks"]:
            check, resource = one["check_id"], one["resource"]
            if check in accepted and fnmatch(resource, accepted[check].get("only", "*")):
                used.add(check)
            else:
                found.add(f"{check} {resource}: {one['check_name']}")
        unused = sorted(accepted.keys() - used)
        return sorted(found) + [f"{check} is accepted, and complains of nothing" for check in unused]

    def _run(self, program: str, *arguments: str, told: str | None = None) -> str:
        command = [str(self.folder / program), *arguments]
        # no cluster is asked, whatever configuration this machine has
        environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment |= {"KUBECONFIG": os.devnull, "HOME": str(self.folder), "LOG_LEVEL": "ERROR"}
        try:
            done = subprocess.run(  # noqa: S603  # our own programs
                command, input=told, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
            )
        except FileNotFoundError:
            raise ToolsMissing(f"{command[0]} is not there; run: make k8s-tools") from None
        if done.returncode:
            raise ToolsMissing(f"{program} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout
