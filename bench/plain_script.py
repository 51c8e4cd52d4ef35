"""Calls tools of the packs one after another, as a script without any orchestration would:
`python -m bench.plain_script FILE`, JSON with the calls as the ledger has them. Says seconds and processor time of
`calls`; those `before` load modules and models, with another table, as an earlier run does for the tools' processes."""

import io
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from contracts.tools import ToolInput
from services.execution.tools.entries import load
from services.execution.tools.outputs import Outputs
from services.execution.tools.toolhost import HostContext


class ScriptContext(HostContext):
    """Nobody listens, and nobody makes vectors: a tool that asks for them goes on without."""

    def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        del texts
        return []


def play(calls: Sequence[dict[str, Any]]) -> list[Any]:
    """The tools' results."""
    return [load(call["entry"])(call["params"], _context(call)) for call in calls]


def _context(call: dict[str, Any]) -> ScriptContext:
    return ScriptContext(
        language=call["language"],
        now=datetime.fromisoformat(call["now"]),
        workdir=Path(tempfile.mkdtemp()),
        idempotency_key=call["key"],
        user=call["user"],
        timezone=call["timezone"],
        config={},
        upstream=[],
        texts=call["texts"],
        files=[ToolInput.model_validate(one) for one in call["inputs"]],
        outputs=Outputs(),
        requests=io.BytesIO(),
        answers=io.BytesIO(),
    )


def main() -> None:
    told = json.loads(Path(sys.argv[1]).read_bytes())
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        tempfile.tempdir = folder
        play(told["before"])
        begun, processor = time.perf_counter(), time.process_time()
        results = play(told["calls"])
        taken = {"seconds": time.perf_counter() - begun, "processor": time.process_time() - processor}
    sys.stdout.write(json.dumps({**taken, "results": results}) + "\n")


if __name__ == "__main__":
    main()
