"""`make alerts-test`: promtool checks the rules and lets each alert fire and keep silent."""

import subprocess
import sys
from pathlib import Path

from tests.support.prometheus import program

FOLDER = Path(__file__).parents[2] / "deploy/prometheus"

if __name__ == "__main__":
    for command in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts.test.yaml"]):
        done = subprocess.run([program("promtool"), *command], cwd=FOLDER, check=False)
        if done.returncode:
            sys.exit(done.returncode)
