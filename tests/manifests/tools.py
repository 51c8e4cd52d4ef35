"""What programs of deploy/requirements.txt say of built objects: the schema checks, checkov."""

import json
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from deploy.manifests import Programs
from tests.manifests.objects import Object
from understanding.kit.data import read_data

HERE = Path(__file__).parent
ACCEPTED = HERE / "checkov.yaml"


def schemas(programs: Programs, cases: Sequence[Sequence[Object]]) -> list[list[str]]:
    """What schemas, CEL rules and KEDA's fields refuse, of each case. Raises ToolsMissing."""
    found: list[list[str]] = json.loads(programs.run("python", str(HERE / "schemas.py"), told=json.dumps(cases)))
    return found


def checkov(programs: Programs, folder: Path) -> list[str]:
    """What it complains of, but for what is accepted with a reason; and reasons for what it does not complain of.
    It knows no severities without its service. Raises ToolsMissing."""
    accepted: dict[str, dict[str, str]] = read_data(ACCEPTED)
    asked = f"--directory {folder} --framework kubernetes --output json --quiet --compact --skip-download --soft-fail"
    report: Any = json.loads(programs.run("checkov", *asked.split()))
    found, used = set(), set()
    for one in report["results"]["failed_checks"]:
        check, resource = one["check_id"], one["resource"]
        if check in accepted and fnmatch(resource, accepted[check].get("only", "*")):
            used.add(check)
        else:
            found.add(f"{check} {resource}: {one['check_name']}")
    unused = sorted(accepted.keys() - used)
    return sorted(found) + [f"{check} is accepted, and complains of nothing" for check in unused]
