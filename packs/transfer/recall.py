"""Answers what was sent, from the transfers that were carried out, not from what a model remembers."""

from collections.abc import Iterable, Mapping, Sequence

from contracts.shape import JsonObject
from packs.transfer.wording import amount_in_words, words

_NOT_ASKED: tuple[str, Mapping[str, str]] = ("", {})


def asks(text: str, language: str) -> bool:
    """Whether the sentence asks about money that was sent."""
    said = words(language)
    return not said.other.search(text) and any(pattern.search(text) for pattern in (said.books, *said.recall))


def asks_the_bank(text: str, language: str) -> bool:
    """Whether it asks for more than this conversation knows: for a list, or about a period."""
    said = words(language)
    return bool(said.books.search(text) or said.period.search(text))


def recall(text: str, executed: Sequence[JsonObject], language: str) -> tuple[str, Mapping[str, str]]:
    """A text key and its values; an empty key when it is no such question. Sums per payee, in order."""
    if not asks(text, language) or asks_the_bank(text, language):
        return _NOT_ASKED
    sums: dict[str, int] = {}
    for slots in executed:
        amount = slots.get("amount")
        if isinstance(amount, int):
            name = str(slots.get("target", ""))
            sums[name] = sums.get(name, 0) + amount
    asked = payee_in(text, sums, language)
    if asked:
        return _of_one(asked, sums, language)
    if not sums:
        return "flow.transfer.recall_none", {}
    said = words(language).sum
    each = [said.one.format(target=name, amount=amount_in_words(amount, language)) for name, amount in sums.items()]
    total = amount_in_words(sum(sums.values()), language)
    return "flow.transfer.recall_total", {"total": total, "each": said.between.join(each)}


def payee_in(text: str, named: Iterable[str], language: str) -> str:
    """The payee the question is about, one of those named or another; empty when it is about all of them."""
    known = [name for name in named if name.casefold() in text.casefold()]
    if known:
        return max(known, key=len)
    found = (match["name"] for match in words(language).recall_target.finditer(text))
    return next((name for name in found if not words(language).nobody.fullmatch(name)), "")


def _of_one(name: str, sums: Mapping[str, int], language: str) -> tuple[str, Mapping[str, str]]:
    mine = {one: amount for one, amount in sums.items() if one == name or one.startswith(f"{name} (")}
    if not mine:
        return "flow.transfer.recall_target_none", {"target": name}
    return "flow.transfer.recall_target", {"target": name, "total": amount_in_words(sum(mine.values()), language)}
