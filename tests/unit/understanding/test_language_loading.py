"""What tells foreign languages apart is loaded when the first such sentence comes."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.processes
READS = """
import signal
from understanding.offline.language import detect_language
signal.setitimer(signal.ITIMER_PROF, 0.3)
print(detect_language("donde puedo encontrar un lugar tranquilo").foreign)
"""


def test_its_loading_does_not_count_as_time_of_the_reading() -> None:
    found = subprocess.run([sys.executable, "-c", READS], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.strip()) == (0, "es")
