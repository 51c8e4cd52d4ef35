"""Answers what was sent, from the transfers that were carried out, not from what a model remembers."""

import re
from collections.abc import Iterable, Mapping, Sequence

from contracts.shape import JsonObject
from packs.transfer.wording import amount_in_words, words

UNDO = "undo"
_NOT_ASKED: tuple[str, Mapping[str, str]] = ("", {})


def asks(text: str, language: str) -> bool:
    """Whether the sentence asks about money that was sent."""
    said = words(language)
    return not said.other.search(text) and any(pattern.search(text) for pattern in (said.books, *said.recall))


def asks_the_bank(text: str, language: str) -> bool:
    """Whether it asks for more than this conversation knows: for a list, or about a period."""
    said = words(language)
    return bool(said.books.search(text) or said.period.search(text))


def asks_for_all(text: str, language: str) -> bool:
    """Whether the sentence is nothing but a question about the sum of what was sent here."""
    said, rest = words(language).totals, text.casefold()
    if not said.sums.search(rest) or not (said.sent.search(rest) or said.asking.search(rest)):
        return False
    for known in (said.so_far, said.sums, said.sent, said.asking):
        rest = known.sub(" ", rest)
    return all(words(language).filler.fullmatch(word) for word in re.findall(r"[^\W_]+", rest))


def not_offered(text: str, executed: Sequence[JsonObject], language: str) -> str:
    """What the sentence wants of this bank that it does not have, as the texts call it; empty for anything else. Only
    who has sent something here can want it back."""
    said = words(language)
    if said.other.search(text):
        return ""
    found = (name for name, pattern in said.not_offered.items() if pattern.search(text))
    return next((name for name in found if name != UNDO or executed), "")


def recall(
    text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject] = ()
) -> tuple[str, Mapping[str, str]]:
    """A text key and its values; an empty key when it is no such question. Sums per payee, in order; what has a date
    was booked for a later day."""
    missing = not_offered(text, executed, language)
    if missing == UNDO and _is_of_what_waits(text, executed, waiting):
        return _NOT_ASKED
    said = words(language)
    if executed and not waiting and said.unsent.search(text) and not said.other.search(text):
        missing = UNDO  # "wait, don't send it", when it has gone
    if missing:
        return f"flow.transfer.not_offered_{missing}", {}
    of_all, of_sent = asks_for_all(text, language), bool(words(language).totals.sent.search(text))
    if of_all and len(waiting) > 1 and not (executed and of_sent):
        return "flow.transfer.recall_waiting", _total(_sums(waiting), language)
    whole = of_all and (bool(executed) or of_sent)
    if not whole and (not asks(text, language) or asks_the_bank(text, language)):
        return _NOT_ASKED
    return _told(executed, "" if whole else payee_in(text, _sums(executed), language), language)


def _is_of_what_waits(text: str, executed: Sequence[JsonObject], waiting: Sequence[JsonObject]) -> bool:
    """Whether the payee that is named has not been paid, but is asked about: "cancel the one I sent to Dad"."""
    paid, asked = (
        {str(one.get("target", "")).partition(" (")[0] for one in some} - {""} for some in (executed, waiting)
    )
    said = text.casefold()
    return any(name.casefold() in said for name in asked) and not any(name.casefold() in said for name in paid)


def _told(executed: Sequence[JsonObject], asked: str, language: str) -> tuple[str, Mapping[str, str]]:
    """Of all that was carried out, or of what went to the payee that is asked about."""
    if asked:
        executed = _of_one(asked, executed)
    booked = _total(_sums(task for task in executed if "date" in task), language)
    sent = _sums(task for task in executed if "date" not in task)
    later = {"booked": booked["total"], "later": booked["each"]}
    if booked["each"]:
        key = "flow.transfer.recall_sent_and_booked" if sent else "flow.transfer.recall_booked"
        return key, {**_total(sent, language), **later}
    if asked and not sent:
        return "flow.transfer.recall_target_none", {"target": asked}
    if asked:
        # of two that have the name, whom it was
        return "flow.transfer.recall_target", {"target": ", ".join(sent), "total": _total(sent, language)["total"]}
    if not sent:
        return "flow.transfer.recall_none", {}
    return "flow.transfer.recall_total", _total(sent, language)


def _sums(tasks: Iterable[JsonObject]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for slots in tasks:
        amount = slots.get("amount")
        if isinstance(amount, int):
            name = str(slots.get("target", ""))
            sums[name] = sums.get(name, 0) + amount
    return sums


def _total(sums: Mapping[str, int], language: str) -> Mapping[str, str]:
    said = words(language).sum
    each = [said.one.format(target=name, amount=amount_in_words(amount, language)) for name, amount in sums.items()]
    total = amount_in_words(sum(sums.values()), language)
    return {"total": total, "each": said.between.join(each)}


def payee_in(text: str, named: Iterable[str], language: str) -> str:
    """The payee the question is about, one of those named or another; empty when it is about all of them."""
    known = [name for name in named if name.partition(" (")[0].casefold() in text.casefold()]
    if known:
        return max(known, key=len)
    found = (match["name"] for match in words(language).recall_target.finditer(text))
    said = words(language)
    return next((name for name in found if not said.nobody.fullmatch(name) and not said.who.search(name)), "")


def _of_one(name: str, tasks: Sequence[JsonObject]) -> list[JsonObject]:
    called = name.partition(" (")[0]
    mine = ((task, str(task.get("target", ""))) for task in tasks)
    return [task for task, target in mine if target == called or target.startswith(f"{called} (")]
