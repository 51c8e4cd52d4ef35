"""Takes its time in a worker process, then has an effect and leaves a file. The file WAKE ends every nap early."""

import tempfile
import time
from pathlib import Path

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from tests.packs.effects.outbox import deliver

WAKE = "wake"


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    end = time.monotonic() + float(str(params.get("seconds", 1.0)))
    wake = Path(tempfile.gettempdir()) / WAKE
    while time.monotonic() < end and not wake.exists():
        time.sleep(0.05)
        ctx.progress(0.5)
    deliver(ctx.idempotency_key)
    ctx.save(ctx.idempotency_key.encode(), name="dream.txt", media_type="text/plain", type_="document.dream")
    return {}
