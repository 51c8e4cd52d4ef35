"""The configuration of NATS in the manifests is one that a nats-server takes, with the users of every Deployment."""

import base64
import os
import re
import shutil
import subprocess
from binascii import crc_hqx
from pathlib import Path

import pytest

from deploy.credentials import users
from deploy.manifests import variable
from dream.local.nats import binary
from tests.manifests.facts import ROOT

NATS = ROOT / "deploy/k8s/components"


def public_key() -> str:
    """An nkey of a user: kind, 32 bytes, their checksum."""
    raw = bytes([20 << 3]) + os.urandom(32)
    return base64.b32encode(raw + crc_hqx(raw, 0).to_bytes(2, "little")).decode().rstrip("=")


def laid_out(folder: Path, component: str, known: list[str]) -> Path:
    """The files as a pod has them; certificates are cert-manager's, and not there."""
    (folder / "nats").mkdir()
    (folder / "nats-users").mkdir()
    text = (NATS / component / "nats.conf").read_text("utf-8")
    without_tls = re.sub(r"^ *tls \{[^}]*\}\n", "", text, flags=re.MULTILINE)
    (folder / "nats/nats.conf").write_text(without_tls.replace('"/data', f'"{folder}/data'))
    shutil.copy(NATS / "nats/authorization.conf", folder / "nats/authorization.conf")
    (folder / "nats-users/users.conf").write_text("".join(f"{variable(user)}: {public_key()}\n" for user in known))
    return folder / "nats/nats.conf"


def outcome_of(conf: Path) -> subprocess.CompletedProcess[str]:
    environment = {"POD_NAME": "dream-nats-0"}
    command = [binary(), "--config", str(conf), "-t"]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=50, check=False)


@pytest.mark.parametrize("component", ["nats", "nats-cluster"])
def test_a_server_takes_it(tmp_path, component) -> None:
    done = outcome_of(laid_out(tmp_path, component, users()))
    assert done.returncode == 0, done.stderr


def test_a_user_without_a_key_is_refused_by_name(tmp_path) -> None:
    done = outcome_of(laid_out(tmp_path, "nats", [user for user in users() if user != "gateway"]))
    assert done.returncode != 0
    assert "NKEY_GATEWAY" in done.stderr
