"""What others see of a process that has sealed itself."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")

SEALED = """
import ctypes, os, subprocess, sys
from backbone.sealing import seal
seal()
seal()
child = subprocess.run(["env"], capture_output=True, check=True).stdout
assert b"sk-of-a-model" not in child and b"HARMLESS=plain" in child, child
assert os.environ["SOME_API_KEY"] == "sk-of-a-model" and os.environ["DREAM_PACK_BANK_PIN"] == "4711"
from backbone.settings import Settings
assert Settings().database_url.get_secret_value() == "postgresql://me:pw-of-mine@db/dream"
assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0, "it is dumpable"
print("ready", flush=True)
sys.stdin.read()
"""


def test_keys_and_passwords_are_gone_from_proc_and_from_children_and_still_there_for_the_process() -> None:
    secrets = {
        "SOME_API_KEY": "sk-of-a-model",
        "DREAM_DATABASE_URL": "postgresql://me:pw-of-mine@db/dream",
        "DREAM_PACK_BANK_PIN": "4711",
        "REPORTS": "https://somebody:told-nobody@example.org/x",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", SEALED], env={"PATH": "/usr/bin:/bin", "HARMLESS": "plain", **secrets}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        with open(f"/proc/{process.pid}/environ", "rb") as file:  # noqa: PTH123  # as others look at it
            seen = file.read()
        process.communicate("")
    assert process.returncode == 0
    assert not [value for value in secrets.values() if value.encode() in seen]
    assert b"HARMLESS=plain" in seen
