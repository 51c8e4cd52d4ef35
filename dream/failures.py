"""How a command ends: exit codes, and the errors that carry one sentence for the person."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of `dream`, promised to scripts."""

    DONE = 0
    BROKEN = 1  # dream doctor found something
    USAGE = 2
    FAILED = 3
    REFUSED = 4  # rejected or expired
    INTERRUPTED = 130


class CommandFailed(Exception):
    """Ends the command with one sentence on standard error, already in the user's language."""

    def __init__(self, message: str, exit_code: Exit = Exit.FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


class EmbeddedServerFailed(Exception):
    """A server did not come up; the message names its log."""


class DataDirUnusable(Exception):
    """Nothing can be written in the data directory; the message says why."""


class DataDirInUse(Exception):
    """Another `dream` works in the data directory; `url` is where it answers, None while it starts."""

    def __init__(self, folder: object, url: str | None) -> None:
        super().__init__(f"{folder} is in use" + (f" by {url}" if url else ""))
        self.url = url
