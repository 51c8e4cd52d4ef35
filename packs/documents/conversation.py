"""Which turn of this conversation a question is about, and whose words are wanted; pure. The words are in
conversation.yaml."""

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.documents.data import load


def read_conversation(clause: Clause) -> Sequence[JsonObject]:
    """{which | number, whose}: the last turn unless another one is named."""
    words = _words()
    said = f" {' '.join(unicodedata.normalize('NFKC', clause.text).casefold().split())} "
    slots: JsonObject = {"whose": _whose(said)}
    if _has(said, words["removed"]):
        return ({"which": "last", "whose": "answered", "deed": "removed"},)
    number = next((number for number, names in words["numbers"].items() if _has(said, names)), 0)
    if number:
        return ({**slots, "number": number},)
    slots["which"] = next((which for which in ("count", "all", "first") if _has(said, words[which])), "last")
    if _has(said, words["done"]):
        everything = slots["which"] in ("count", "all") or _has(said, words["today"])
        return ({"which": "all" if everything else "last", "whose": "answered"},)
    return (slots,)


def _whose(said: str) -> str:
    words = _words()
    if _has(said, words["answered"]):
        return "answered"
    # who only asks for it once more wants the answer: their own words they know
    return "answered" if _has(said, words["again"]) and not _has(said, words["own"]) else "asked"


def tells_of_removing(answer: str) -> bool:
    """Whether an answer says that something was taken out."""
    return _has(f" {answer.casefold()} ", _words()["gone"])


def _has(said: str, words: Sequence[str]) -> bool:
    return any(word in said for word in words)


@cache
def _words() -> dict[str, Any]:
    words: dict[str, Any] = load("conversation.yaml")
    return words
