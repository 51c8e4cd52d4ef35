"""Compiled modules for workers, which cannot write them: without, each that starts compiles its libraries anew, which
takes seconds. A worker tells what it has loaded uncompiled; we compile it, which executes none of it."""

import asyncio
import logging
import os
import sys
import sysconfig
from collections.abc import Iterable

log = logging.getLogger(__name__)

_LIBRARIES = tuple({os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("purelib", "platlib", "stdlib")})


async def compiled(files: Iterable[object], pack: str) -> None:
    """Compiles those of the files that lie with the interpreter's libraries or in the pack's folder, in a process that
    may fail: then it is as slow as before."""
    wanted = await asyncio.to_thread(_wanted, files, pack)
    if not wanted:
        return
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "compileall", "-q", "-i", "-",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        log.debug("nothing is compiled: %s", error)
        return
    try:
        await process.communicate("\n".join(wanted).encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _wanted(files: Iterable[object], pack: str) -> list[str]:
    roots = (*_LIBRARIES, os.path.realpath(pack) + os.sep)
    real = [os.path.realpath(file) for file in files if isinstance(file, str) and file.endswith(".py")]
    return [file for file in real if file.startswith(roots) and "\n" not in file]
