"""The three ways in which handling a message can fail. Anything else is a bug."""

from contracts.errors import Code


class HandlingError(Exception):
    """Carries the error code and one sentence with the values that matter."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Retryable(HandlingError):
    """It may work later: the message comes back after `delay` seconds."""

    def __init__(self, code: Code, message: str, delay: float = 1.0) -> None:
        super().__init__(code, message)
        self.delay = delay


class Rejected(HandlingError):
    """A command that is refused; nothing was wrong with its delivery."""


class Poison(HandlingError):
    """It can never work: the message goes to the dead letters."""
