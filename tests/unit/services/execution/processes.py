"""Looking at processes from outside."""

import asyncio
from pathlib import Path


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # gone, or going while we read
        return False
    return status != "Z"


async def gone(pid: int) -> bool:
    for _ in range(100):
        if not is_alive(pid):
            return True
        await asyncio.sleep(0.02)
    return False


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


async def told(path: Path) -> int:
    while not read(path):
        await asyncio.sleep(0.01)
    return int(read(path))
