"""`python -m tests.manifests` (make k8s-check): builds every overlay anew and checks it with schemas, checkov, our own
rules and the planted mistakes. `make test` has our own rules over what lies in the repository."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deploy import manifests as builder
from deploy.manifests import OVERLAYS, RENDERED, ROOT, USERS, Programs, ToolsMissing
from tests.manifests import RULES, findings, planted
from tests.manifests.facts import facts
from tests.manifests.objects import Manifests
from tests.manifests.tools import checkov, schemas


def read(folder: Path = RENDERED) -> list[Manifests]:
    """The built objects, as they lie in the repository if no other folder is named."""
    return [Manifests.read(folder / f"{name}.yaml") for name in OVERLAYS]


def check(manifests: Sequence[Manifests]) -> list[str]:
    """What our own rules find, and whether the bus's users are those of the code."""
    stale = []
    if builder.authorization() != USERS.read_text("utf-8"):
        stale = [f"{USERS.relative_to(ROOT)} is not what the code says; run: make k8s-build"]
    return stale + [str(finding) for one in manifests for finding in findings(one, facts())]


def everything(programs: Programs) -> list[str]:
    """All checks over a fresh build; what was found, one sentence each."""
    with tempfile.TemporaryDirectory() as folder:
        builder.build(programs, Path(folder))
        fresh = read(Path(folder))
        stale = [
            f"{name}: deploy/k8s/rendered/{name}.yaml is not what its overlay gives; run: make k8s-build"
            for name in OVERLAYS
            if (Path(folder) / f"{name}.yaml").read_text("utf-8") != (RENDERED / f"{name}.yaml").read_text("utf-8")
        ]
        found = stale + check(fresh) + _by_schemas(fresh, programs)
        found += [f"checkov: {told}" for told in checkov(programs, Path(folder))]
        found += planted.missed({one.name: one for one in fresh})
    objects = sum(len(one.objects) for one in fresh)
    print(f"k8s-check: {objects} objects, {len(RULES)} rules, {len(planted.MISTAKES)} planted mistakes")
    return found


def _by_schemas(fresh: Sequence[Manifests], programs: Programs) -> list[str]:
    """What schemas say of the overlays, and which planted mistakes they do not see: in one process, as reading them is
    most of the work."""
    built = {one.name: one for one in fresh}
    mistakes = planted.of_schemas()
    cases = [one.objects for one in fresh] + [planted.plant(built[one.overlay], one).objects for one in mistakes]
    said = schemas(programs, cases)
    found = [f"{one.name}: schemas: {told}" for one, sentences in zip(fresh, said, strict=False) for told in sentences]
    seen = zip(mistakes, said[len(fresh) :], strict=True)
    return found + [f"schemas do not find: {mistake}" for mistake, sentences in seen if not sentences]


def main() -> int:
    """The command; 0 when all is well."""
    try:
        found = everything(Programs())
    except ToolsMissing as error:
        found = [str(error)]
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
