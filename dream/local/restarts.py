"""What `dream up` had to start again: told on the terminal, and kept in the data directory for `dream doctor`."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dream.local.data_dir import write_private
from dream.texts import Texts

HOWS = {
    "signal": "restart.signal", "code": "restart.code", "refuses": "restart.refuses", "loop": "restart.loop",
    "failed": "restart.failed",
}  # fmt: skip
KEPT = 500
"""Lines of the journal that the next `dream up` keeps."""


@dataclass(frozen=True, slots=True)
class End:
    """How something ended. `how` is `signal` (`detail` its name), `code` (the exit code), `refuses` (a server that runs
    and does not do its work), `loop` (a service, whose loop it was) or `failed` (it did not start, and why)."""

    how: str
    detail: str = ""

    @classmethod
    def of(cls, code: int) -> "End":
        """That of a process, by its exit code; negative is a signal."""
        if code >= 0:
            return cls("code", str(code))
        with suppress(ValueError):
            return cls("signal", signal.Signals(-code).name)
        return cls("signal", str(-code))


@dataclass(frozen=True, slots=True)
class Restart:
    """What ended, how, and after how many seconds it is started again."""

    name: str
    end: End
    delay: float

    def __str__(self) -> str:
        return f"{self.name} ended: {self.end.how} {self.end.detail}".rstrip()

    def told(self, texts: Texts) -> str:
        """One sentence for the terminal."""
        return texts("restart.now", name=self.name, why=why(self.end, texts), seconds=f"{self.delay:.1f}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal; `time` in seconds since the epoch."""

    time: float
    name: str
    end: End


def why(end: End, texts: Texts) -> str:
    """How something ended, as part of a sentence."""
    return texts(HOWS[end.how], detail=end.detail)


class Journal:
    """The file with a line of JSON for each restart."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "restarts.jsonl"

    def begin(self) -> None:
        """Forgets what is long ago."""
        with suppress(OSError):
            lines = self._file.read_text(encoding="utf-8").splitlines()
            if len(lines) > KEPT:
                write_private(self._file, "".join(f"{line}\n" for line in lines[-KEPT:]))

    def keep(self, restart: Restart) -> None:
        """Notes a restart; where that cannot be written it is not worth failing for."""
        line = {"time": time.time(), "name": restart.name, "how": restart.end.how, "detail": restart.end.detail}
        with (
            suppress(OSError),
            os.fdopen(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as file,
        ):
            file.write(json.dumps(line) + "\n")

    def entries(self) -> Iterator[Entry]:
        """From the oldest; what cannot be read is left out."""
        with suppress(OSError):
            for line in self._file.read_text(encoding="utf-8", errors="replace").splitlines():
                with suppress(ValueError, KeyError, TypeError):
                    told = json.loads(line)
                    entry = Entry(float(told["time"]), str(told["name"]), End(str(told["how"]), str(told["detail"])))
                    if entry.end.how in HOWS:
                        yield entry
