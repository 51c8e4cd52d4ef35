"""A clause with what was recognised in it masked letter by letter, so that positions stay true."""

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import JsonValue
from packs.transfer.memos import QUOTES, find_memo
from packs.transfer.wording import Words, words
from understanding.kit.numbers import spoken_numbers

AMOUNT, DAY, OTHER = MARKS = "¤§¶"
_COMMAS = re.compile(r"\d{1,3}(?:,\d{3})+")
_KILO = re.compile(r"k\b", re.IGNORECASE)
LARGE = 1000
"""A number from here on is an amount of money rather than a count."""
LEAST_SPOKEN = 5
"""Numbers in words below it are no amounts, in whatever units."""
FAR = 8
"""Letters between a name and the figure that is beside it."""
LONGEST_LEAD = 20
"""Letters before a bare figure that takes the place of the open one ("actually 55")."""
_TIED_TO = re.compile(r"[^\W\d_]|[%:/.-]\d|%")
"""Behind a figure that counts something, or is part of something else."""
_BARE_DAY = re.compile(r"(?:the )?\d{1,2}(?:일|日|st|nd|rd|th)?(?:에|로|に)?", re.IGNORECASE)
_WHAT_FOR = re.compile(
    r"[가-힣]{1,6}(?:값|비|턱|몫)(?:이|은|는|임|요|야|으로|로|을|를)?[가-힣]{0,3}|[^\W\d]{1,8}代\w{0,3}"
)
"""A word for what money is for: "밥값이야", "ランチ代です"."""
_OWED = re.compile(r"\b(?:for|from|of|since)\s+(?:the\s+)?$", re.IGNORECASE)
_NAME_BEFORE = re.compile(r"(?:이?한테|에게|께|이?는|은|に|へ|は|'s)?\s{0,2}[:：]?\s{0,2}\Z")
_NAME_BEHIND = re.compile(r"\s{0,2}(?:(?:to|for)\s(?:my\s)?)?", re.IGNORECASE)
_WORDS, _SENTENCE = re.compile(r"[^\W_]+"), re.compile(r"[.!?\u3002]")
_MARK = re.compile(f"[{MARKS}]")
_QUOTED = re.compile(
    r"""(?:(?<![^\W_])['\u2018\u201c"]|[\u300c\u300e])(?P<memo>[^'"\u2018\u2019\u201c\u201d\u300c-\u300f]{1,40})"""
    r"""(?:['\u2019](?![A-Za-z])|[\u201d"\u300d\u300f])"""
)
"""What stands in quotation marks; an apostrophe begins and ends nothing."""


class Spot(NamedTuple):
    """A value and where it stands."""

    start: int
    end: int
    value: str


class Amount(NamedTuple):
    """Whole won and where they stand."""

    start: int
    end: int
    value: int


class Masked(NamedTuple):
    """`text` is as long as the clause. What was taken back ("not this but that") is in it, without its value.
    `foreign` is an amount in another currency, as it was said; `purposes` is what the money is for: no names either."""

    text: str
    amounts: tuple[Amount, ...]
    days: tuple[Spot, ...]
    memo: Spot | None
    memo_of_all: bool = False
    foreign: str = ""
    purposes: tuple[Spot, ...] = ()


def masked(clause: Clause, language: Words) -> Masked:
    text = _MARK.sub(" ", clause.text)
    entities = [one for one in clause.entities if one.start < one.end <= len(text)]
    text, memo, of_all = _memo(text, entities, language)
    if memo is not None:
        entities = [one for one in entities if text[one.start : one.end].strip()]
    for match in language.quoted.finditer(text):
        # what somebody else has said is no request
        text = _blanked(text, *match.span(), " ")
        entities = [one for one in entities if one.end <= match.start() or match.end() <= one.start]
    if memo is None and (memo := _left_in_quotes(text, entities, clause, language)) is not None:
        text = _blanked(text, memo.start - 1, memo.end + 1, " ")
        entities = [one for one in entities if one.end <= memo.start or memo.end <= one.start]
    others = list(language.foreign.finditer(text))
    for other in others:
        text = _blanked(text, *other.span(), OTHER)
        entities = [one for one in entities if one.end <= other.start() or other.end() <= one.start]
    amounts = _amounts(clause._replace(text=text), entities)
    days = [_in_its_month(one, clause) for one in entities if one.type == "date" and isinstance(one.value, str)]
    for found, mark in ((amounts, AMOUNT), (days, DAY)):
        for one in found:
            text = _blanked(text, one.start, one.end, mark)
    amounts, days = _meant(text, amounts, language), _meant(text, days, language)
    days = [one for one in days if not _is_told(one, text, clause, language)]
    for one in entities:
        if one.type == "span" and days:
            text = _blanked(text, one.start, one.end, OTHER)  # "a day earlier, the 23rd"
        seen = one.type == "number" and text[one.start : one.end].strip(AMOUNT)
        if seen and _is_denied(one, text, language):
            text = _blanked(text, one.start, one.end, OTHER)  # "not 65": nobody's name, and no amount
    text, purposes = _purposes(text, clause, language)
    return Masked(
        text,
        tuple(Amount(one.start, one.end, _whole(one.value)) for one in amounts),
        tuple(Spot(one.start, one.end, str(one.value)) for one in days),
        memo,
        of_all,
        others[-1][0].strip() if others else "",  # of "not 50 pounds but 40" the one that is meant
        purposes,
    )


def _in_its_month(day: Entity, clause: Clause) -> Entity:
    """A day of the month that is said while a day is open ("a day earlier, the 23rd") is of that month, if it lies
    ahead; which is shown."""
    shown = clause.slots.get("date")
    if not isinstance(shown, str) or not _BARE_DAY.fullmatch(day.text.strip()):
        return day
    moved = f"{shown[:8]}{str(day.value)[8:]}"
    try:
        ahead = date.fromisoformat(moved) >= clause.now.date()
    except ValueError:
        return day
    return day.model_copy(update={"value": moved}) if ahead else day


def _is_told(day: Entity, text: str, clause: Clause, language: Words) -> bool:
    """Whether a day that has passed only belongs to what is told beside the order ("for the lunch yesterday"): one that
    is written in figures, is asked about, or stands before nothing but the order is meant, and refused."""
    if str(day.value) >= clause.now.date().isoformat() or "date" in (*clause.expecting, *clause.slots):
        return False
    names = tuple(name.casefold() for name in clause.known.get("target", ()))
    rest = _WORDS.findall(_SENTENCE.split(text[day.end :])[0].strip(MARKS))
    beside = [one for one in rest if not (one.casefold().startswith(names) or any(map(str.isdigit, one)))]
    owed = any(one.search(text[day.end :]) for one in language.purpose) or any(map(_WHAT_FOR.fullmatch, beside))
    owed = owed or _OWED.search(text[: day.start]) is not None
    return owed or not (any(map(str.isdigit, day.text)) or all(map(language.means_nothing, beside)))


def _purposes(text: str, clause: Clause, language: Words) -> tuple[str, tuple[Spot, ...]]:
    """The masked text without the words of what the money is for, and those words."""
    found: list[Spot] = []
    for pattern in language.purpose:
        for match in list(pattern.finditer(text)):
            start, end = match.span("memo")
            said = text[start:end].strip().casefold()
            if not said or any(said.removeprefix("the ") == name.casefold() for name in clause.known.get("target", ())):
                continue  # money for somebody is for nothing yet
            found.append(Spot(start, end, text[start:end].strip()))
            text = _blanked(text, start, match.end(), " ")
    return text, tuple(sorted(found))


def _memo(text: str, entities: Sequence[Entity], language: Words) -> tuple[str, Spot | None, bool]:
    """The text without the words of the memo, the memo if there is one, and whether all payees have it."""
    seen = text
    for one in entities:
        if one.type in {"money", "date"}:
            seen = _blanked(seen, one.start, one.end, AMOUNT if one.type == "money" else DAY)
    if (found := find_memo(seen, language)) is None:
        return text, None, False
    quoted = text[max(0, found.start - 1)] in QUOTES  # what is quoted says itself, to the letter
    of_all = language.memo_all.search(text, found.end if quoted else found.start, found.whole[1])
    end = min(found.end, of_all.start()) if of_all else found.end
    memo = Spot(found.start, end, text[found.start : end].strip())
    return _blanked(text, *found.whole, " "), memo, of_all is not None


def _left_in_quotes(text: str, entities: Sequence[Entity], clause: Clause, language: Words) -> Spot | None:
    """What an order puts in quotation marks, whatever word it has for a memo: nothing else is written with a transfer.
    None for a name, a sum or a day, and where there are two."""
    found = list(_QUOTED.finditer(text))
    if len(found) != 1 or not any(one.type == "money" for one in entities):
        return None
    start, end = found[0].span("memo")
    said = found[0]["memo"].strip()
    names = {name.casefold() for name in clause.known.get("target", ())}
    within = [one for one in entities if one.start < end and start < one.end]
    if not said or any(one.type == "money" or one.text.strip() == said for one in within):
        return None
    if said.casefold() in names or language.targets_behind.match(text, end + 1) is not None:
        return None
    alone = f'"{said}"'
    told = language.quoted.match(alone + text[end + 1 :]) and not language.quoted.match(alone)
    return None if told else Spot(start, end, said)  # what somebody has said is told beside the order


def _amounts(clause: Clause, entities: Sequence[Entity]) -> list[Entity]:
    """Money; a bare number if an amount was asked for and nothing else was said that could be one. In an open dialogue
    also one number that is large or in thousands, and everywhere one that is written with its commas."""
    found = [one for one in entities if one.type == "money" and isinstance(one.value, int)]
    spoken = [
        Entity(type="money", value=said.value, text=said.text, start=said.start, end=said.end, confidence=1.0)
        for said in spoken_numbers(clause.text)
        if not any(said.start < one.end and one.start < said.end for one in found)
    ]
    found += spoken
    numbers = [
        _in_thousands(one, clause.text) for one in entities if one.type == "number" and isinstance(one.value, int)
    ]
    written = [one for one in numbers if _COMMAS.fullmatch(one.text.strip()) or _KILO.search(one.text)]
    if "amount" in clause.expecting and not found:
        if isinstance(clause.refused.get("amount"), str):  # it was in another currency, and so may this be
            numbers = [one for one in numbers if _whole(one.value) >= LARGE]
        return numbers if len(numbers) == 1 else written
    numbers = [one for one in numbers if not _is_denied(one, clause.text, words(clause.language))]
    open_or_known = clause.slots or any(
        name.casefold() in clause.text.casefold() for name in clause.known.get("target", ())
    )
    large = [one for one in numbers if _whole(one.value) >= LARGE]
    if not found and open_or_known and large == numbers and 0 < len(large) <= max(1, _payees(clause)):
        return numbers
    if not found and (scaled := _as_before(numbers, clause)):
        return scaled
    beside = [one for one in large if found and one not in written and _is_beside_a_name(one, clause)]
    return sorted((*found, *written, *beside), key=lambda one: one.start)


def _is_beside_a_name(number: Entity, clause: Clause) -> bool:
    """Whether a figure without a unit stands right before or behind somebody's name, as the amounts of others do ("send
    Mom 20,000 won and Dad 30000")."""
    text = clause.text
    before, behind = (
        _NAME_BEFORE.search(text, max(0, number.start - FAR), number.start),
        _NAME_BEHIND.match(text, number.end),
    )
    names = [name.casefold() for name in clause.known.get("target", ())]
    return any(
        (before is not None and text[: before.start()].casefold().endswith(name))
        or (behind is not None and text[behind.end() :].casefold().startswith(name))
        for name in names
    )


def _payees(clause: Clause) -> int:
    """How many payees the text names."""
    said = clause.text.casefold()
    return sum(name.casefold() in said for name in set(clause.known.get("target", ())))


def _as_before(numbers: Sequence[Entity], clause: Clause) -> list[Entity]:
    """30 instead of 20만원, which is 30만원: a figure in units of the open amount. Where unknown words may stand beside
    it ("35, it went up"), one that no letter is tied to; else one with words behind it that make it the amount. It is
    shown."""
    if not isinstance(clause.slots.get("amount"), int):
        return []
    if not numbers and clause.lenient:
        numbers = [
            Entity(type="number", value=said.value, text=said.text, start=said.start, end=said.end, confidence=1.0)
            for said in spoken_numbers(clause.text, LEAST_SPOKEN)
        ]
    if len(numbers) != 1:
        return []
    (one,) = numbers
    language, behind = words(clause.language), clause.text[one.end :]
    before = clause.text[: one.start]
    alone = language.instead.search(before) and not behind.strip(" .,!~") and len(before) <= LONGEST_LEAD
    said = (language.as_before.search(behind) or alone) and _is_of_a_transfer(clause, language)
    if not (said or (clause.lenient and not _TIED_TO.match(behind))):
        return []
    value = in_units_of(one, clause, by=changes_it(_blanked(clause.text, one.start, one.end, AMOUNT), language))
    return [one.model_copy(update={"value": value, "type": "money"})] if value else []


def _is_of_a_transfer(clause: Clause, language: Words) -> bool:
    """Whether a turn has hardly a word that is no part of what a transfer is."""
    names = tuple(word for name in clause.known.get("target", ()) for word in name.casefold().split())
    said = [one for one in _WORDS.findall(clause.text.casefold()) if not one[0].isdigit()]
    return sum(not (language.means_nothing(one) or one.startswith(names)) for one in said) <= 1


def in_units_of(figure: Entity, clause: Clause, *, by: bool = False) -> int | None:
    """A figure as an amount: as it is where it is large, else in thousands or ten thousands, as people count in the
    language, where that makes it nearly as much as the open amount; with `by`, which it is changed by, perhaps less."""
    amount, value, money = clause.slots.get("amount"), _whole(figure.value), words(clause.language).money
    if figure.type == "money" or value >= LARGE or not isinstance(amount, int):
        return value
    unit = money.units[-1][0] if money.units else LARGE
    if money.units and amount % unit and not by:
        return None
    if amount // (100 if by else 10) < value * unit < amount * 10:
        return value * unit
    return value if by else None


def is_told_before(text: str, start: int, language: Words) -> bool:
    """Whether an amount that begins at `start` of a masked text is told, since another sentence behind it only orders
    that it be sent."""
    *told, order = _SENTENCE.split(text.rstrip(" .!~…。！"))
    words_ = [word.casefold() for word in _WORDS.findall(order)]
    orders = bool(language.sends.search(order)) and AMOUNT not in order and all(map(language.means_nothing, words_))
    return bool(told) and orders and start < len(text) - len(order)


def changes_it(text: str, language: Words) -> bool:
    """Whether a masked text says by how much an amount changes."""
    return bool(language.tops_up.search(text) or language.takes_off.search(text))


def _in_thousands(number: Entity, text: str) -> Entity:
    """45 of "45k" is 45,000."""
    if not _KILO.match(text[number.end :]):
        return number
    end = number.end + 1
    return number.model_copy(
        update={"value": _whole(number.value) * 1000, "end": end, "text": text[number.start : end]}
    )


def _meant(text: str, found: Sequence[Entity], language: Words) -> list[Entity]:
    return [one for one in found if not _is_denied(one, text, language)]


def _is_denied(one: Entity, text: str, language: Words) -> bool:
    behind, before = language.denied.search(text[one.end :]), language.denied_before.search(text[: one.start])
    return bool(behind or before)


def _whole(value: JsonValue) -> int:
    assert isinstance(value, int)
    return value


def _blanked(text: str, start: int, end: int, mark: str) -> str:
    return text[:start] + mark * (end - start) + text[end:]
