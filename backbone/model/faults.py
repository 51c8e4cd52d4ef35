"""How asking a model can fail, with the record of what was tried: its tokens are spent all the same."""

from backbone.errors import Rejected, Retryable
from contracts.errors import Code
from contracts.model import ModelCalled


class ModelUnavailable(Retryable):
    """It cannot be reached, is overloaded, or broke off: later it may answer."""

    def __init__(self, code: Code, message: str, called: ModelCalled, delay: float = 1.0) -> None:
        super().__init__(code, message, delay)
        self.called = called


class ModelDeclined(Rejected):
    """It refuses, or has nothing that can be used: asking the same again would not help."""

    def __init__(self, code: Code, message: str, called: ModelCalled) -> None:
        super().__init__(code, message)
        self.called = called


class ModelMisconfigured(ValueError):
    """A model that was set cannot be used here. Says which, and what to do about it."""


class PromptInvalid(ValueError):
    """A prompt's file is wrong, or does not fit what it is filled with. Names the file or id."""
