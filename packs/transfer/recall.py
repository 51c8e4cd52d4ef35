"""Answers what was sent, from the transfers that were carried out, not from what a model remembers."""

from collections.abc import Mapping, Sequence

from contracts.shape import JsonObject
from packs.transfer.wording import amount_in_words, words

_NOT_ASKED: tuple[str, Mapping[str, str]] = ("", {})


def asks(text: str, language: str) -> bool:
    """Whether the sentence asks about money that was sent."""
    said = words(language)
    return not said.other.search(text) and any(pattern.search(text) for pattern in said.recall)


def recall(text: str, executed: Sequence[JsonObject], language: str) -> tuple[str, Mapping[str, str]]:
    """A text key and its values; an empty key when it is no such question. Sums per payee, in order."""
    if not asks(text, language):
        return _NOT_ASKED
    sums: dict[str, int] = {}
    for slots in executed:
        amount = slots.get("amount")
        if isinstance(amount, int):
            name = str(slots.get("target", ""))
            sums[name] = sums.get(name, 0) + amount
    asked = _asked(text, sums, language)
    if asked:
        return _of_one(asked, sums, language)
    if not sums:
        return "flow.transfer.recall_none", {}
    said = words(language).sum
    each = [said.one.format(target=name, amount=amount_in_words(amount, language)) for name, amount in sums.items()]
    total = amount_in_words(sum(sums.values()), language)
    return "flow.transfer.recall_total", {"total": total, "each": said.between.join(each)}


def _asked(text: str, sums: Mapping[str, int], language: str) -> str:
    """The payee the question is about; empty when it is about all of them."""
    known = [name for name in sums if name.casefold() in text.casefold()]
    if known:
        return max(known, key=len)
    found = words(language).recall_target.search(text)
    name = found["name"] if found else ""
    return "" if words(language).nobody.fullmatch(name) else name


def _of_one(name: str, sums: Mapping[str, int], language: str) -> tuple[str, Mapping[str, str]]:
    mine = {one: amount for one, amount in sums.items() if one == name or one.startswith(f"{name} (")}
    if not mine:
        return "flow.transfer.recall_target_none", {"target": name}
    return "flow.transfer.recall_target", {"target": name, "total": amount_in_words(sum(mine.values()), language)}
