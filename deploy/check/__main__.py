"""`python -m deploy.check build | check | all`: makes the built objects, checks them, or does all that needs the tools.

build   deploy/k8s/rendered/*.yaml from the overlays, and what is generated inside of them
check   our own rules over the built objects; needs no tool
all     the same for fresh builds, with schemas, checkov and the planted mistakes (make k8s-check)"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from deploy.check import RULES, findings, planted, users
from deploy.check.facts import ROOT, facts
from deploy.check.objects import Manifests
from deploy.check.tools import Tools, ToolsMissing

K8S = ROOT / "deploy/k8s"
RENDERED = K8S / "rendered"
OVERLAYS = ("dev", "prod")
ALERTS = K8S / "components/monitoring/rules.yaml"
USERS = K8S / "components/nats/authorization.conf"


def alerts() -> str:
    """The PrometheusRule with what deploy/prometheus has."""
    told = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "dream"},
        "spec": facts().alerts,
    }
    head = "# Written by make k8s-build from deploy/prometheus/alerts.yaml.\n"
    return head + yaml.safe_dump(told, sort_keys=False, width=110, allow_unicode=True)


def read() -> list[Manifests]:
    """The built objects as they lie in the repository."""
    return [Manifests.read(RENDERED / f"{name}.yaml") for name in OVERLAYS]


def build(tools: Tools, into: Path) -> list[Manifests]:
    """Builds every overlay into a folder."""
    into.mkdir(parents=True, exist_ok=True)
    for name in OVERLAYS:
        head = f"# Written by make k8s-build: what `kubectl kustomize deploy/k8s/overlays/{name}` gives.\n"
        (into / f"{name}.yaml").write_text(head + tools.kustomize(K8S / "overlays" / name), "utf-8")
    return [Manifests.read(into / f"{name}.yaml") for name in OVERLAYS]


def check(manifests: Sequence[Manifests]) -> list[str]:
    """What our own rules find, and whether the bus's users are those of the code."""
    stale = []
    if users.authorization() != USERS.read_text("utf-8"):
        stale = [f"{USERS.relative_to(ROOT)} is not what the code says; run: make k8s-build"]
    return stale + [str(finding) for one in manifests for finding in findings(one, facts())]


def everything(tools: Tools) -> list[str]:
    """All checks over a fresh build; what was found, one sentence each."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = build(tools, Path(folder))
        stale = [
            f"{name}: deploy/k8s/rendered/{name}.yaml is not what its overlay gives; run: make k8s-build"
            for name in OVERLAYS
            if (Path(folder) / f"{name}.yaml").read_text("utf-8") != (RENDERED / f"{name}.yaml").read_text("utf-8")
        ]
        found = stale + check(fresh) + _by_schemas(fresh, tools)
        found += [f"checkov: {told}" for told in tools.checkov(Path(folder))]
        found += planted.missed({one.name: one for one in fresh})
    objects = sum(len(one.objects) for one in fresh)
    print(f"k8s-check: {objects} objects, {len(RULES)} rules, {len(planted.MISTAKES)} planted mistakes")
    return found


def _by_schemas(fresh: Sequence[Manifests], tools: Tools) -> list[str]:
    """What schemas say of the overlays, and which planted mistakes they do not see: in one process, as reading them is
    most of the work."""
    built = {one.name: one for one in fresh}
    mistakes = planted.of_schemas()
    cases = [one.objects for one in fresh] + [planted.plant(built[one.overlay], one).objects for one in mistakes]
    said = tools.schemas(cases)
    found = [f"{one.name}: schemas: {told}" for one, sentences in zip(fresh, said, strict=False) for told in sentences]
    seen = zip(mistakes, said[len(fresh) :], strict=True)
    return found + [f"schemas do not find: {mistake}" for mistake, sentences in seen if not sentences]


def main(arguments: Sequence[str]) -> int:
    """The command; 0 when all is well."""
    tools = Tools(ROOT / ".venv-deploy/bin")
    try:
        match arguments:
            case ["build"]:
                ALERTS.write_text(alerts(), "utf-8")
                USERS.write_text(users.authorization(), "utf-8")
                build(tools, RENDERED)
                found = []
            case ["check"]:
                found = check(read())
            case ["all"]:
                found = everything(tools)
            case _:
                print("usage: python -m deploy.check build | check | all", file=sys.stderr)
                return 2
    except ToolsMissing as error:
        found = [str(error)]
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
