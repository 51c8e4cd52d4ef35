"""Who may log in to the embedded server, and how: by passwords alone, which follow from one secret in a file beside it.

A connection over the socket proves a user of the machine and no more, and every tool's process is such a user."""

import hmac
import os
import secrets
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from backbone.ledger.logins import iterations_for, verifier
from dream.failures import EmbeddedServerFailed

SUPERUSER = "postgres"
PACKS = "packs"
"""Not a role: what is worked out for it is the secret that passwords of packs follow from."""
RULES = """# Written by dream at each start.
local all all scram-sha-256
local replication postgres scram-sha-256
"""
"""The second is for base backups, which the superuser alone may take."""
SECONDS = 60


class Logins:
    """The passwords of one data directory. The secret is ours to read alone; a service knows its own password, which
    says nothing about the others."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = folder.with_name(folder.name + ".secret")

    def password(self, role: str) -> str:
        """Of a role; raises EmbeddedServerFailed where no server was ever started."""
        try:
            secret = self.file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            raise EmbeddedServerFailed(f"{self.file} is missing: start the server once") from None
        return hmac.new(secret.encode(), f"dream:postgres:1:{role}".encode(), "sha256").hexdigest()

    def verifier(self, role: str) -> str:
        """What the server keeps of it."""
        password = self.password(role)
        return verifier(password, iterations_for(password))

    def prepare(self, binaries: Path, environment: Mapping[str, str], user: str | None) -> None:
        """Makes the secret where there is none, and closes a server that let in whoever came, before it starts."""
        rules = self._folder / "pg_hba.conf"
        if not self.file.exists():
            rules.unlink(missing_ok=True)  # last of all it is written again: a start that is cut begins anew
            self._make()
        if rules.exists() and rules.read_text() == RULES:
            return
        # no server is needed for it, and so nobody can come in before it is done
        sql = f"alter role {SUPERUSER} password '{self.verifier(SUPERUSER)}'"
        _run([str(binaries / "postgres"), "--single", "-D", str(self._folder), "postgres"], sql, environment, user)
        unfinished = rules.with_suffix(".new")
        unfinished.write_text(RULES)
        if user:
            shutil.chown(unfinished, user, user)
        unfinished.chmod(0o600)
        unfinished.replace(rules)

    def _make(self) -> None:
        unfinished = self.file.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        unfinished.replace(self.file)


def _run(command: Sequence[str], sql: str, environment: Mapping[str, str], user: str | None) -> None:
    try:
        subprocess.run(
            command, input=sql, env=dict(environment), capture_output=True, text=True, timeout=SECONDS, check=True,
            user=user, group=user, extra_groups=None if user is None else [],
        )  # fmt: skip
    except subprocess.CalledProcessError as error:
        raise EmbeddedServerFailed(f"Postgres ended with {error.returncode}: {error.stderr.strip()}") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise EmbeddedServerFailed(f"the logins of Postgres cannot be set up: {error}") from error
