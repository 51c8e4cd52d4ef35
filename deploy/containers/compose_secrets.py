"""`make compose-secrets`: certificates, passwords and nkeys for deploy/compose.yaml, in a folder for its owner alone.

What is there stays, what is missing is made: delete a file to have another. Files may be read by whoever gets into the
folder: on this machine its owner, in a container the user that one is mounted for, whatever its number."""

import os
import secrets
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme

from backbone.ledger.logins import role_of_service
from backbone.ledger.rights import LOGINS
from deploy.containers.dockerd import ROOT

FOLDER = ROOT / "deploy/compose/secrets"
SERVERS = ("nats", "postgres")
OWNER = "dream"
DAYS = 825
IN_CONTAINER = "/run/secrets"


def make(folder: Path = FOLDER) -> None:
    """Makes what is missing, and the users' rights anew: those follow from the code."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    _certificates(folder)
    _databases(folder)
    _once(folder / "grafana_password", secrets.token_urlsafe(24))
    _users(folder)


def _once(file: Path, text: str) -> str:
    if not file.exists():
        _write(file, text.encode())
    return file.read_text("ascii")


def _write(file: Path, data: bytes, mode: int = 0o444) -> None:
    unfinished = file.with_name(file.name + ".new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(data)
    unfinished.chmod(mode)
    unfinished.replace(file)


def _databases(folder: Path) -> None:
    ending = f"@postgres:5432/dream?sslmode=verify-full&sslrootcert={IN_CONTAINER}/ca.crt"
    owner = _once(folder / "owner_password", secrets.token_urlsafe(24))
    _write(folder / "owner_url", f"postgresql://{OWNER}:{owner}{ending}".encode())
    for service in LOGINS:
        url = f"postgresql://{role_of_service(service)}:{secrets.token_hex(32)}{ending}"
        _once(folder / f"database_{service}", url)
    _once(folder / "packs_secret", secrets.token_hex(32))


def _users(folder: Path) -> None:
    """A key for each user of the bus, and what each may say and hear there."""
    keys = folder / "nkeys"
    keys.mkdir(mode=0o700, exist_ok=True)
    dream = str(Path(sys.executable).parent / "dream")
    command = [dream, "admin", "bus", "rights", "--format", "conf", "--keys", str(keys)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DREAM_")}
    told = subprocess.run(command, capture_output=True, env=environment, cwd=folder, check=False)
    if told.returncode:
        sys.exit(f"the rights on the bus cannot be told: {told.stderr.decode().strip()}")
    _write(folder / "authorization.conf", told.stdout)
    for seed in keys.glob("*.seed"):
        seed.chmod(0o444)


def _certificates(folder: Path) -> None:
    """A new authority signs all servers anew; one that is there those that are missing."""
    missing = [name for name in SERVERS if not (folder / f"{name}.crt").exists()]
    key_file, file = folder / "ca.key", folder / "ca.crt"
    if key_file.exists() and file.exists():
        authority = trustme.CA.from_pem(file.read_bytes(), key_file.read_bytes())
    else:
        authority, missing = trustme.CA(organization_name="Dream Agent, this installation"), list(SERVERS)
        _write(key_file, authority.private_key_pem.bytes(), 0o400)
        _write(file, authority.cert_pem.bytes())
    for server in missing:
        made = authority.issue_cert(server, "localhost", not_after=datetime.now(UTC) + timedelta(days=DAYS))
        _write(folder / f"{server}.key", made.private_key_pem.bytes())
        _write(folder / f"{server}.crt", b"".join(one.bytes() for one in made.cert_chain_pems))
