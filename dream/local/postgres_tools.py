"""pg_dump and pg_restore: those of the wheel, else those on the PATH. A password goes by the environment, never by a
command line or into a message."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from dream.failures import CommandFailed, EmbeddedServerFailed, Exit
from dream.local.postgres import binaries
from dream.texts import Texts


def without_password(url: str) -> tuple[str, str]:
    """A URL without its password, and the password; empty where it has none."""
    parts = urlsplit(url)
    others = parse_qsl(parts.query, keep_blank_values=True)
    password = unquote(parts.password or "") or dict(others).get("password", "")
    login, _, place = parts.netloc.rpartition("@")
    user = login.partition(":")[0]
    query = urlencode([(name, value) for name, value in others if name != "password"], quote_via=quote)
    return parts._replace(netloc=f"{user}@{place}" if login else place, query=query).geturl(), password


async def run(tool: str, url: str, options: Sequence[str], texts: Texts) -> None:
    """Runs a tool on a database; raises CommandFailed with what it said."""
    place, password = without_password(url)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}
    if password:
        environment["PGPASSWORD"] = password
    process = await asyncio.create_subprocess_exec(
        _path(tool, texts), "--dbname", place, "--no-password", *options,
        env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        reason = said.decode(errors="replace").strip()[-2000:]
        raise CommandFailed(
            texts("admin.tool_failed", tool=tool, why=reason.replace(password, "…") if password else reason)
        )


def _path(tool: str, texts: Texts) -> str:
    try:
        found = binaries() / tool
        if found.exists():
            return str(found)
    except EmbeddedServerFailed:
        pass
    if there := shutil.which(tool):
        return there
    raise CommandFailed(texts("admin.no_tool", tool=tool), Exit.USAGE)
