"""ToolContext of an I/O tool: it runs on the event loop of its executor."""

import asyncio
import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from contracts.artifacts import Attachment
from contracts.live import LINE_LIMIT
from contracts.shape import JsonValue
from contracts.tools import ToolInput
from services.execution.outputs import Outputs, bounded, plain, sweep
from services.execution.toolpool import Listener

log = logging.getLogger(__name__)


@dataclass(slots=True)
class InlineContext:
    """See contracts.tools.ToolContext."""

    language: str
    now: datetime
    idempotency_key: str
    texts: Mapping[str, str]
    files: Sequence[ToolInput]
    listener: Listener
    outputs: Outputs = field(init=False)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _folder: Path | None = None
    _word: "asyncio.Future[None] | None" = None
    _wrote: bool = False

    def __post_init__(self) -> None:
        self.outputs = Outputs(lambda: self.workdir)

    @property
    def workdir(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="dream-tool-"))
        return self._folder

    def inputs(self, type_: str) -> Sequence[ToolInput]:
        return [one for one in self.files if one.attachment.type == type_]

    def save(self, data: bytes | Path, *, name: str, media_type: str, type_: str, **meta: JsonValue) -> Attachment:
        return self.outputs.save(data, name, media_type, type_, meta)

    def progress(self, fraction: float, message: str = "") -> None:
        done = bounded(fraction)
        if self._word is None or self._word.done():  # one at a time: a tool may speak after every row
            self._word = asyncio.ensure_future(self.listener.progress(done, plain(message)))

    def log(self, line: str) -> None:
        self._wrote = True
        # a tool may write from a thread of its own
        self._loop.call_soon_threadsafe(self.listener.log, plain(line, LINE_LIMIT))

    def text(self, key: str, **values: object) -> str:
        template = self.texts.get(key)
        if template is None:
            raise KeyError(f"the pack has no text {key!r} in {self.language!r}")
        return template.format(**values)

    async def close(self) -> None:
        """Waits for the last word of progress, so that nothing is recorded after the result, and for the last line."""
        if self._wrote:
            await asyncio.sleep(0)  # lines are handed on in this turn of the loop
        if self._word is not None:
            await asyncio.wait([self._word])
            if not self._word.cancelled() and (error := self._word.exception()):
                log.warning("progress is not recorded: %r", error)
        if self._folder is not None:
            await asyncio.to_thread(sweep, self._folder)
