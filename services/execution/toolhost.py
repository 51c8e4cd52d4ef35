"""The worker process for CPU tools: `python -m services.execution.toolhost REQUESTS ANSWERS` (file descriptors).

It reads one JSON request a line and answers with JSON lines: progress, log, done or failed. The parent can kill it at
any time; a tool that prints, leaks or hangs harms only this process."""

import importlib
import json
import os
import resource
import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from contracts.artifacts import Attachment
from contracts.errors import Code
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolError, ToolInput

LOG_LINE_LIMIT = 2000


@dataclass(slots=True)
class HostContext:
    """See contracts.tools.ToolContext."""

    language: str
    now: datetime
    workdir: Path
    idempotency_key: str
    texts: dict[str, str]
    files: Sequence[ToolInput]
    answers: IO[str]
    saved: list[dict[str, Any]] = field(default_factory=list)

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        return [one for one in self.files if one.attachment.type == type_]

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: JsonValue) -> Attachment:
        import hashlib

        content = data if isinstance(data, bytes) else data.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        path = self.workdir / f"out-{len(self.saved)}"
        path.write_bytes(content)
        attachment = Attachment(
            artifact_id=digest, name=name, media_type=media_type, size=len(content), type=type_, meta=meta
        )
        self.saved.append({"attachment": attachment.model_dump(mode="json"), "path": str(path)})
        return attachment

    def progress(self, fraction: float, message: str = "") -> None:
        self._say({"progress": max(0.0, min(1.0, fraction)), "message": message[:500]})

    def log(self, line: str) -> None:
        self._say({"log": line[:LOG_LINE_LIMIT]})

    def text(self, key: str, **values: object) -> str:
        template = self.texts.get(key)
        if template is None:
            raise KeyError(f"the pack has no text {key!r} in {self.language!r}")
        return template.format(**values)

    def _say(self, line: dict[str, Any]) -> None:
        self.answers.write(json.dumps(line, ensure_ascii=False) + "\n")
        self.answers.flush()


def serve(requests: IO[str], answers: IO[str]) -> None:
    """Answers requests until the parent closes its end."""
    for line in requests:
        request = json.loads(line)
        workdir = Path(tempfile.mkdtemp(prefix="dream-tool-", dir=request["scratch"]))
        context = HostContext(
            language=request["language"],
            now=datetime.fromisoformat(request["now"]),
            workdir=workdir,
            idempotency_key=request["idempotency_key"],
            texts=request["texts"],
            files=[ToolInput.model_validate(one) for one in request["inputs"]],
            answers=answers,
        )
        answers.write(json.dumps(_call(request, context), ensure_ascii=False) + "\n")
        answers.flush()


def _call(request: JsonObject, context: HostContext) -> dict[str, Any]:
    try:
        module, name = str(request["entry"]).split(":")
        result = getattr(importlib.import_module(module), name)(request["params"], context)
        json.dumps(result, allow_nan=False)
    except ToolError as error:
        return {"failed": {"code": int(error.code), "message": error.message, "retryable": error.retryable, "detail": error.detail}}
    except MemoryError:
        return {"failed": {"code": int(Code.TOOL_CRASHED), "message": "out of memory", "retryable": False, "detail": {}}}
    except Exception as error:  # noqa: BLE001  # a tool is somebody else's code: whatever it raises becomes its failure
        context.log(traceback.format_exc())
        return {"failed": {"code": int(Code.TOOL_FAILED), "message": f"{type(error).__name__}: {error}"[:500], "retryable": False, "detail": {}}}
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"done": result, "saved": context.saved, "workdir": str(context.workdir), "rss": usage}


def main() -> None:
    """Moves standard output away from the answers: a tool that prints must not be able to speak for us."""
    requests = os.fdopen(int(sys.argv[1]), "r", encoding="utf-8")
    answers = os.fdopen(int(sys.argv[2]), "w", encoding="utf-8")
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, 0)
    os.dup2(devnull, 1)
    serve(requests, answers)


def sweep(workdir: str) -> None:
    """Removes the private folder of a call."""
    shutil.rmtree(workdir, ignore_errors=True)


if __name__ == "__main__":
    main()
