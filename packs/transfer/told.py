"""What is told before a request and is no part of it ("the cake was 90,000 and we share it, so send her 45,000"), and
what was sent before, where a request is said by it ("as much as I sent Dad")."""

import re
from collections.abc import Callable, Sequence

from contracts.reading import Clause
from contracts.shape import JsonObject, JsonValue
from packs.transfer.known import known_names
from packs.transfer.masking import LARGE
from packs.transfer.wording import Words

WHOLE = {"target", "amount"}
_SOMEBODYS = re.compile(r"['\u2019]s\b|\s?(?:의|네|の)")
"""Behind a name that only says whose something is."""


def asked_last(clause: Clause, language: Words, read: Callable[[Clause], Sequence[JsonObject]]) -> Sequence[JsonObject]:
    """The one task that the last part of a sentence is by itself, where the parts before it ask for nothing. Whom a
    "her" in it means is the only one who was named before."""
    if clause.slots or clause.expecting or clause.lenient:
        return ()
    for cut in reversed(list(language.told.finditer(clause.text))):
        before = clause.text[: cut.end()]
        own = tuple(
            one.model_copy(update={"start": one.start - cut.end(), "end": one.end - cut.end()})
            for one in clause.entities
            if one.start >= cut.end()
        )
        sums = {one.value for one in own if one.type == "money" or (one.type == "number" and _is_large(one.value))}
        if len(sums) > 1 or language.memo_word.search(before):
            return ()
        if not sums or language.sends.search(before):
            continue
        last = clause._replace(text=clause.text[cut.end() :], entities=own)
        tasks = read(last)
        if len(tasks) == 1 and tasks[0].keys() >= WHOLE:
            return tasks
        names = _told_of(before, clause)
        if language.somebody.search(last.text) and len(names) == 1 and not known_names(last.text, clause):
            return ({**(tasks[0] if len(tasks) == 1 else {}), "target": names.pop(), "amount": sums.pop()},)
    return ()


def _told_of(text: str, clause: Clause) -> set[str]:
    """The known names of those who are told of, whatever they do; not of those who only own something."""
    names = sorted(clause.known.get("target", ()), key=len, reverse=True)
    spots = [
        one for name in names for one in re.finditer(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text, re.IGNORECASE)
    ]
    own = [
        one
        for one in spots
        if not any(one is not two and two.start() <= one.start() and one.end() <= two.end() for two in spots)
    ]
    return {one[0].casefold() for one in own if not _SOMEBODYS.match(text[one.end() :])}


def _is_large(value: object) -> bool:
    return isinstance(value, int) and value >= LARGE


def without_what_was_sent(clause: Clause, language: Words) -> tuple[Clause, JsonValue]:
    """The clause without the words by which it points at what somebody was sent, and that amount, where it is the last
    one that was sent to them; None where it points at none, or nobody knows how much it was."""
    found = None if clause.slots or clause.expecting else language.as_sent.search(clause.text)
    if found is None:
        return clause, None
    text = clause.text[: found.start()] + " " * len(found[0]) + clause.text[found.end() :]
    is_last = found["name"].casefold() in str(clause.done.get("target", "")).casefold()
    return clause._replace(text=text, done={}), clause.done.get("amount") if is_last else None
