"""Which amount, day and memo belong to which payee."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from contracts.shape import JsonObject
from packs.transfer.masking import AMOUNT, Amount, Masked, Spot
from packs.transfer.names import AMONG
from packs.transfer.wording import Words

_BESIDE = re.compile(r"[\s,，、(（]*(?:の|a\s|the\s)?", re.IGNORECASE)
P = TypeVar("P", Amount, Spot)
_SENTENCE_ENDS = re.compile(r"[.!?~…](?=\s)|[。！？]")
_SHARE = re.compile(r"(?:割り?勘|더치(?:페이)?|[엔nN]빵|뿜빠이)(?:の|分|で|한\s?거|비)?\s?\Z")
"""Right before an amount: it is what one of those who share has to pay."""
_FAR = 10**6
"""Behind the end of any sentence."""


def paired(text: Masked, targets: Sequence[Spot], language: Words) -> list[JsonObject]:
    """A task per payee; one without a payee when none is named."""
    text = _in_its_sentence(text, targets)
    places = _places(text, targets, language)
    tasks: list[JsonObject] = []
    each = _day_of_each(text, targets)
    shared = _share(text, targets, language)
    of_all = shared is not None or _memo_is_for_all(text, language)
    for number, (start, end) in enumerate(places):
        task: JsonObject = {"target": targets[number].value} if targets else {}
        amount = (
            shared if shared is not None else _amount(text, _within(text.amounts, start, end), len(places), language)
        )
        if amount is not None:
            task["amount"] = amount
        days = each[number : number + 1] or _within(text.days, start, end) or _for_all(text, targets)
        if days:
            task["date"] = _day(text, days)
        memo = [text.memo] if text.memo else []  # what money is for is no memo: a payee reads what was said to be one
        if said := _within(memo, start, end) or (memo[:1] if of_all else ()):
            task["memo"] = said[-1].value
        tasks.append(task)
    _give_each(text, places, tasks, targets, language)
    return [task for task in tasks if task]


def on_several_days(text: Masked, name: str) -> list[JsonObject]:
    """The tasks of one payee who gets an amount on each of several days ("4 today and 2 tomorrow"): each amount has its
    own day, all of them before it or all behind it. None for any other sentence."""
    amounts, days = text.amounts, text.days
    if not len(amounts) == len(days) == len({one.value for one in days}) > 1:
        return []
    places = sorted([*((one.start, False) for one in amounts), *((one.start, True) for one in days)])
    order = [is_day for _, is_day in places]
    if order not in ([True, False] * len(days), [False, True] * len(days)):
        return []
    return [{"target": name, "amount": one.value, "date": day.value} for one, day in zip(amounts, days, strict=True)]


def _give_each(
    text: Masked,
    places: Sequence[tuple[int, int]],
    tasks: list[JsonObject],
    targets: Sequence[Spot],
    language: Words,
) -> None:
    """Who has no amount beside payees that have one gets what each of these is to have, said before or behind them; or
    the same, or half of it, where that is said."""
    for there, step in ((range(1, len(tasks)), -1), (range(len(tasks) - 2, -1, -1), 1)):
        for number in there:
            beside = tasks[number + step]
            said = text.text[slice(*places[number + step])]
            start, end = places[number]
            own = text.text[text.text.rfind(AMOUNT, 0, start) + 1 : end]  # "and the same to her"
            if "amount" in tasks[number] or not isinstance(amount := beside.get("amount"), int):
                continue
            too = bool(targets) and language.too.match(text.text, targets[number].end)
            if too or language.each.search(said) or language.same_amount.search(own):
                tasks[number]["amount"] = amount
            elif language.halves.search(own) and amount % 2 == 0:
                tasks[number]["amount"] = amount // 2


def _in_its_sentence(text: Masked, targets: Sequence[Spot]) -> Masked:
    """Of one payee who is named in the last sentence that has an amount, and in it alone, what that sentence says:
    those before it tell what the money is for ("dinner was 90,000 for three. Send Jiyoung 30,000")."""
    ends = [one.end() for one in _SENTENCE_ENDS.finditer(text.text)]
    start = max((end for end in ends if _within(text.amounts, end, _FAR)), default=0)
    inside = _within(text.amounts, start, _FAR)
    if len(targets) != 1 or targets[0].start < start or len(inside) == len(text.amounts):
        return text
    return text._replace(text=" " * start + text.text[start:], amounts=tuple(inside))


def _memo_is_for_all(text: Masked, language: Words) -> bool:
    """Whether right before the memo, or behind it, it says that all of them have it ("both with the memo …")."""
    before = text.memo is not None and language.memo_for_all.search(text.text[: text.memo.start]) is not None
    return before or text.memo_of_all


def _amount(text: Masked, amounts: Sequence[Amount], payees: int, language: Words) -> int | None:
    """That of one payee. A part of an amount, nobody knows which, has to be asked for; what is added up is its sum."""
    shared = language.halves.search(text.text) and not (amounts and _SHARE.search(text.text[: amounts[0].start]))
    if payees == 1 and shared:
        return None
    if len(amounts) > 1 and payees == 1 and language.sums_up.search(text.text[amounts[0].end :]):
        return sum(one.value for one in amounts)
    return _one(text, amounts, language)


def _day_of_each(text: Masked, targets: Sequence[Spot]) -> Sequence[Spot]:
    """The day that stands before each of several payees, or behind each; none in any other sentence."""
    places = sorted([*((one.start, False) for one in targets), *((one.start, True) for one in text.days)])
    are_days = [is_day for _, is_day in places]
    in_turn = are_days in ([True, False] * len(targets), [False, True] * len(targets))
    return text.days if len(targets) > 1 and in_turn else ()


def _day(text: Masked, days: Sequence[Spot]) -> str:
    """The last of the days; both, of which the person is asked which one, where it stands right beside one that it does
    not take back ("Monday the 6th" of a month whose 6th is a Sunday)."""
    before, last = days[-2:] if len(days) > 1 else (days[-1], days[-1])
    beside = before.value != last.value and _BESIDE.fullmatch(text.text, before.end, last.start)
    return f"{before.value}{AMONG}{last.value}" if beside else last.value


def _share(text: Masked, targets: Sequence[Spot], language: Words) -> int | None:
    """What each payee gets of one amount for all of them: all of it, as whoever lists people means, or its part. None
    where it does not divide."""
    if len(text.amounts) != 1:
        return None
    amount, payees = text.amounts[0].value, len(targets)
    if payees > 1 and language.together.search(text.text):
        return amount // payees if amount % payees == 0 else None
    between = [text.text[one.end : other.start].strip(" ,、，") for one, other in pairwise(targets)]
    are_listed = payees > 1 and all(not one or language.tied.fullmatch(one) for one in between)
    return amount if are_listed or language.each.search(text.text) else None


def _places(text: Masked, targets: Sequence[Spot], language: Words) -> list[tuple[int, int]]:
    """The stretch of the sentence that is about each payee: the part with its name where each part has one and an
    amount; else from its name on, or up to it where amounts come first."""
    size = len(text.text) + 1
    if len(targets) < 2:
        return [(0, size)]
    edges = [0, *(one.start() for one in language.separator.finditer(text.text)), size]
    parts = list(pairwise(edges))
    if all(len(_within(targets, *part)) == len(_within(text.amounts, *part)) == 1 for part in parts):
        return parts
    if text.amounts and text.amounts[0].start < targets[0].start:
        ends = [one.end for one in targets[:-1]]
        return list(zip([0, *ends], [*ends, size], strict=True))
    starts = [one.start for one in targets[1:]]
    return list(zip([0, *starts], [*starts, size], strict=True))


def _one(text: Masked, amounts: Sequence[Amount], language: Words) -> int | None:
    """The amount; of several the last, if the sentence takes the ones before it back. Otherwise it has to be asked."""
    values = {one.value for one in amounts}
    if len(values) > 1 and not language.instead.search(text.text[: amounts[-1].start]):
        return None
    return amounts[-1].value if amounts else None


def _for_all(text: Masked, targets: Sequence[Spot]) -> Sequence[Spot]:
    """A day before the first payee is that of all."""
    return [one for one in text.days if not targets or one.start < targets[0].start]


def _within(found: Sequence[P], start: int, end: int) -> list[P]:
    return [one for one in found if start <= one.start < end]
