"""What a person wants of a step, in words and as its arguments: shown and changed before it runs."""

from collections.abc import Callable
from typing import Protocol

from pydantic import Field

from contracts.shape import Contract, JsonObject

Say = Callable[..., str]
"""A text of the tool's pack in the person's language: key and values."""


class WishAsked(Contract):
    """A step's arguments, what the person says to change them (nothing, when they are only to be told), and what was
    found in the files that the step takes when they arrived, beside their `names`. `periods` are the days that `said`
    names: {said, start, end}, ends that are open are null. `before`: the arguments that the same tool had in the last
    plan of the session; `request` is what the person said for this one, and `goes_on` that they named nothing there of
    what is made: it is made once more."""

    params: JsonObject = Field(default_factory=dict)
    said: str = ""
    files: tuple[JsonObject, ...] = ()
    names: tuple[str, ...] = ()
    periods: tuple[JsonObject, ...] = ()
    before: JsonObject = Field(default_factory=dict)
    request: str = ""
    goes_on: bool = False


class Wish(Contract):
    """`params`: the arguments from now on. `lines`: what they mean, a few words each ("Price ≤ 20"). `cannot`:
    sentences about what was said and cannot be done. `rest`: of what was said, what it had no use for."""

    params: JsonObject
    lines: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()
    rest: str = ""


class WishReader(Protocol):
    """Pure, in milliseconds: it is asked while somebody waits for a plan."""

    def __call__(self, asked: WishAsked, say: Say) -> Wish: ...
