"""Reads amounts that a sentence says by another one: the half of it that one's own share is, twice as much for the next
one, so much more than she gets."""

import re
from collections.abc import Sequence

from contracts.reading import Clause
from packs.transfer.known import known_names
from packs.transfer.masking import AMOUNT, OTHER, Amount, Masked, Spot
from packs.transfer.wording import Words

TWO = 2


def related(text: Masked, clause: Clause, language: Words) -> Masked:
    """The sentence with these amounts worked out. One that cannot be is left out: it is asked for, never taken for the
    one it was said by."""
    text = _counted(_without_what_stays(text, language), language)
    text = _more_than(text, clause, language)
    names = known_names(text.text, clause)
    return _as_much(text, names, language) or _shared(text, names, language) or text


def _without_what_stays(text: Masked, language: Words) -> Masked:
    """Without an amount that is only what is to be left ("all but 10,000")."""
    for match in language.stays.finditer(text.text):
        text = _without(text, match)
    return text


def _counted(text: Masked, language: Words) -> Masked:
    """So many notes of an amount: "two 50,000 won notes"."""
    for match in language.notes.finditer(text.text):
        said = match["count"].casefold()
        number = int(said) if said.isdecimal() else language.note_counts.get(said, 0)
        each = _at(match.start("each"), text)
        if language.denied_before.search(text.text[: match.start()]):
            text = _without(text, match)
        elif number and each:
            text = _with(text, Amount(match.start(), match.end(), number * each.value), instead=each)
    return text


def _at(start: int, text: Masked) -> Amount | None:
    """The amount that begins there; of one that was taken back only its place is left."""
    return next((one for one in text.amounts if one.start == start), None)


def _with(text: Masked, new: Amount, *, instead: Amount | None = None) -> Masked:
    """With an amount that was worked out, in the place of the one it was said by."""
    others = (one for one in text.amounts if one is not instead)
    said = _masked(text.text, (new.start, new.end), AMOUNT)
    return text._replace(text=said, amounts=tuple(sorted((*others, new))))


def _without(text: Masked, match: re.Match[str]) -> Masked:
    """Without the amounts in it."""
    left = tuple(one for one in text.amounts if not match.start() <= one.start < match.end())
    return text._replace(text=_masked(text.text, match.span(), OTHER), amounts=left)


def _more_than(text: Masked, clause: Clause, language: Words) -> Masked:
    """So much more, or less, than somebody else is to get."""
    while match := language.than.search(text.text):
        by = _at(match.start("by"), text)
        whole = _of_whom(match["whom"], by, text, clause) if by else 0
        amount = whole + (-by.value if match["less"] else by.value) if by and whole else 0
        if amount <= 0:
            return _without(text, match)
        text = _with(text, Amount(match.start(), match.end(), amount), instead=by)
    return text


def _of_whom(whom: str, by: Amount, text: Masked, clause: Clause) -> int:
    """What the one gets who is named, in the sentence or before it; whoever is not named got the last amount."""
    before = [one for one in text.amounts if one.start < by.start]
    for task in (clause.slots, clause.done):
        target, amount = str(task.get("target", "")).casefold(), task.get("amount")
        if not before and isinstance(amount, int) and target.startswith(whom.casefold()):
            return amount
    return before[-1].value if before else 0


def _as_much(text: Masked, names: Sequence[Spot], language: Words) -> Masked | None:
    """Twice what the payee before gets, or half of it."""
    for halves, pattern in ((2 * TWO, language.twice_as_much), (1, language.half_as_much)):
        for match in pattern.finditer(text.text):
            before = [one for one in text.amounts if one.end <= match.start()]
            if not before or not any(before[-1].end <= one.start for one in names) or len(names) < TWO:
                continue
            amount, left = divmod(before[-1].value * halves, TWO)
            if not left:
                return _with(text, Amount(match.start(), match.end(), amount))
    return None


def _shared(text: Masked, names: Sequence[Spot], language: Words) -> Masked | None:
    """One's own part of the only amount, or each part of it where each has its own day."""
    if len(text.amounts) != 1 or len({one.value.casefold() for one in names}) > 1:
        return None
    (whole,) = text.amounts
    for number, pattern in enumerate(language.part, TWO):
        found = [one for one in pattern.finditer(text.text) if one.start() >= whole.end]
        if not found:
            continue
        amounts: tuple[Amount, ...] = ()
        said = _masked(text.text, (whole.start, whole.end), OTHER)
        halves = number == len(found) == len(text.days) == TWO
        for match in found if halves else found[:1]:
            if whole.value % number == 0:
                amounts += (Amount(match.start(), match.end(), whole.value // number),)
        for match in found:
            said = _masked(said, match.span(), AMOUNT if amounts else OTHER)
        said = language.halves.sub(lambda one: OTHER * len(one[0]), said)
        return text._replace(text=said, amounts=amounts)
    return None


def _masked(text: str, span: tuple[int, int], mark: str) -> str:
    start, end = span
    return text[:start] + mark * (end - start) + text[end:]
