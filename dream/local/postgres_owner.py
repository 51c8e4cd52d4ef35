"""Who owns the embedded database: a role that may make roles and is no superuser, as on a managed Postgres."""

import subprocess
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from dream.failures import EmbeddedServerFailed
from dream.local.postgres_logins import SUPERUSER, Logins

OWNER = "dream"
SECONDS = 60


def set_up(binaries: Path, sockets: Path, environment: Mapping[str, str], logins: Logins) -> None:
    """Makes the owner, once, and gives it what the superuser of an earlier version has made. Blocks; raises
    EmbeddedServerFailed."""
    command = [str(binaries / "psql"), "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "-v", "ON_ERROR_STOP=1"]
    command += ["-h", str(sockets), "-U", SUPERUSER, "-d", "postgres", "-f", "-"]
    sql = (files("dream.local") / "postgres_owner.sql").read_text(encoding="utf-8")
    # each time: the secret they follow from may be a new one
    sql += f"\nalter role {OWNER} password '{logins.verifier(OWNER)}';\n"
    environment = {**environment, "PGPASSWORD": logins.password(SUPERUSER)}
    try:
        subprocess.run(command, input=sql, env=environment, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or error
        raise EmbeddedServerFailed(f"Postgres cannot be set up: {said}") from error
