"""Reads who is to be sent how much, when and with which memo: one task per payee, in the order they are named.

Amounts and days were recognised before (Clause.entities) and stand masked in the text; what the patterns of
words/<language>.yaml leave over is a name, or something that is no transfer."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.transfer.correcting import (
    at_once,
    changes_by_so_much,
    chosen,
    completed,
    corrected,
    emptied,
    memo_of_one,
    moved,
    of_the_open_amount,
    settled_on,
    settled_on_day,
    with_bank,
    with_emptied,
)
from packs.transfer.instead import instead_of_shown, unwritten, written
from packs.transfer.known import is_denied, known_names, told_apart, with_known
from packs.transfer.masking import AMOUNT, MARKS, Amount, Masked, Spot, is_told_before, masked
from packs.transfer.memos import QUOTES, wanted
from packs.transfer.namesakes import both_asked_about, both_named
from packs.transfer.pairing import on_several_days, paired
from packs.transfer.recall import asks, not_offered
from packs.transfer.relative import related
from packs.transfer.told import WHOLE, asked_last, without_what_was_sent
from packs.transfer.wording import Words, words
from understanding.kit.bounds import is_bound

_QUOTED = re.compile("[\"'\u201c\u2018\u300c\u300e][^\"'\u201d\u2019\u300d\u300f]{1,60}[\"'\u201d\u2019\u300d\u300f]")
STRANGE = 2
"""So many words that mean nothing here, and the sentence is about something else."""


def read(clause: Clause) -> Sequence[JsonObject]:
    """See contracts.reading.Reader. Nothing for a question about the past, or for a sentence about something else."""
    language = words(clause.language)
    if asks(clause.text, clause.language) or not_offered(
        clause.text, [dict(clause.done)] if clause.done else [], clause.language
    ):
        return ()
    if _is_about_something_else(clause, language):
        return ()
    clause, sent = without_what_was_sent(clause, language)
    tasks = _said(clause, language)
    if sent is not None and len(tasks) == 1:
        return ({**tasks[0], "amount": sent},)
    if all(task.keys() >= WHOLE for task in tasks or ({},)):
        return tasks
    return asked_last(clause, language, read) or tasks


def _is_about_something_else(clause: Clause, language: Words) -> bool:
    """Whether what is sent is a mail, a file or the like; or a sum that is said is what others are compared with."""
    sums = [one for one in clause.entities if one.type == "money"]
    if not sums:
        return language.no_money.search(clause.text) is not None
    return all(is_bound(clause.text, one) for one in sums)


def _said(clause: Clause, language: Words) -> Sequence[JsonObject]:
    if tasks := _each_with_its_memo(clause, language):
        return tasks
    if memo := wanted(clause, language) or instead_of_shown(clause, language) or unwritten(clause, language):
        return (memo,)
    said, slots = emptied(clause, language)
    if not slots and language.no_memo.search(clause.text):
        return ()
    if memo := memo_of_one(clause, language) or written(clause, language):
        return with_emptied((memo,), slots)
    return with_emptied(_values(said, clause, language), slots)


def _values(said: str, clause: Clause, language: Words) -> Sequence[JsonObject]:
    """What is said of an open task by what it has, or else the tasks of the sentence."""
    text = related(masked(clause._replace(text=_unlinked(said, language)), language), clause, language)
    text = _without_the_open_amount(text, clause)
    if spread := _on_several_days(text, clause, language):
        return spread
    correction = of_the_open_amount(text, clause, language) or settled_on(text, clause, language)
    correction = correction or settled_on_day(text, clause, language) or corrected(text, clause, language)
    if correction := correction or moved(text, clause, language) or at_once(text, clause, language):
        return (correction,)
    if clause.slots and language.each.search(said) and changes_by_so_much(text, language):
        return ()  # what each of several is to have then is for the person to say
    found = both_asked_about(clause, language) or chosen(clause, language)
    found = found or with_bank(_tasks(text, clause, language), clause, language)
    found = both_named(found, text.text, clause, language)
    if when := _when(text, clause, language):
        found = tuple(task if "date" in task else {**task, "date": when} for task in found)
    return completed(_to_the_last(found, text, clause, language), clause, language)


def _when(text: Masked, clause: Clause, language: Words) -> str:
    """The words of an order for a day that nobody can tell ("on the weekend"), by which the day is asked for: it is
    never taken for today. Empty where they belong to something that is told."""
    if clause.lenient or not (said := language.vague_day.search(text.text)):
        return ""
    rest = text.text[said.end() :]
    names = [one.start for one in known_names(rest, clause)]
    sends = [one.start() for one in language.sends.finditer(rest)]
    ends = [at for at in (rest.find(AMOUNT), *names, *sends) if at >= 0]
    return "" if _unknown(rest[: min(ends, default=len(rest))], 0, language) else said[0].strip()


def _to_the_last(tasks: Sequence[JsonObject], text: Masked, clause: Clause, language: Words) -> Sequence[JsonObject]:
    """Who says "him", or that it is so much more, right behind what was sent means whom it was sent to."""
    last = None if clause.slots or clause.expecting or len(tasks) != 1 else clause.done.get("target")
    if last is None or not text.amounts or known_names(text.text, clause, denied=True, acting=True):
        return tasks  # who else is spoken of may be meant
    points = language.somebody.search(text.text) or ("target" not in tasks[0] and language.again.search(text.text))
    return ({**tasks[0], "target": last},) if points else tasks


def _on_several_days(text: Masked, clause: Clause, language: Words) -> Sequence[JsonObject]:
    """What one payee gets on each of several days, in a sentence that takes nothing back."""
    named = {one.value.casefold(): one.value for one in known_names(text.text, clause) or _marked(text, language)}
    name = next(iter(named.values()), str(clause.slots.get("target") or ""))
    begin = min([*(one.start for one in text.amounts), *(one.start for one in text.days)], default=0)
    if len(named) > 1 or not name or text.memo or language.instead.search(text.text, begin):
        return ()
    today = clause.now.date().isoformat()
    kept = "date" in clause.slots  # a day that is shown has to be said away
    return [
        {slot: value for slot, value in task.items() if kept or (slot, value) != ("date", today)}
        for task in on_several_days(_with_the_rest(text, clause, language), name)
    ]


def _with_the_rest(text: Masked, clause: Clause, language: Words) -> Masked:
    """With what is left of what is open, or was refused, in the place of the words for it ("and the rest tomorrow")."""
    whole, rest = clause.refused.get("amount", clause.slots.get("amount")), language.rest.search(text.text)
    if rest is None or len(text.amounts) != 1 or len(text.days) != STRANGE or not isinstance(whole, int):
        return text
    (first,), begin, day = text.amounts, rest.start(), text.days[1]
    if not first.end <= begin or not first.value < whole or not text.days[0].end <= max(begin, day.start):
        return text
    # each amount stands before its day, wherever that was said
    left = Amount(day.start - 1, day.start, whole - first.value)
    shown = first._replace(start=text.days[0].start - 1, end=text.days[0].start)
    return text._replace(amounts=(shown, left))


def _each_with_its_memo(clause: Clause, language: Words) -> Sequence[JsonObject]:
    """The tasks of a sentence that says a memo for each of several payees: each part of it by itself."""
    text = clause.text
    if len(list(language.memo_word.finditer(text))) < STRANGE:
        return ()
    tasks: list[JsonObject] = []
    whole = _QUOTED.sub(lambda found: "x" * len(found[0]), text)
    for one in clause.entities:
        whole = whole[: one.start] + "x" * (one.end - one.start) + whole[one.end :]
    parts = _with_their_memos(text, _parts(whole, language), language)
    if len(parts) < STRANGE:
        return ()
    for start, end in parts:
        own = tuple(
            one.model_copy(update={"start": one.start - start, "end": one.end - start})
            for one in clause.entities
            if start <= one.start and one.end <= end
        )
        tasks += read(clause._replace(text=text[start:end], entities=own))
    with_memo = sum("memo" in task for task in tasks)
    return tasks if with_memo >= STRANGE and all("target" in task for task in tasks) else ()


def _with_their_memos(text: str, parts: Sequence[tuple[int, int]], language: Words) -> list[tuple[int, int]]:
    """The parts of a sentence, one that begins with the word for a memo together with the one before it."""
    kept: list[tuple[int, int]] = []
    for start, end in parts:
        said = text[start:end].lstrip()
        if kept and language.memo_word.match(said):
            kept[-1] = (kept[-1][0], end)
        elif said:
            kept.append((start, end))
    return kept


def _without_the_open_amount(text: Masked, clause: Clause) -> Masked:
    """Who says the open amount and another one ("50,000 is little, 70,000") says the other one, if they ask nothing."""
    new = tuple(one for one in text.amounts if one.value != clause.slots.get("amount"))
    one_for_it = len(text.amounts) > len(new) == 1 and not clause.text.rstrip().endswith(("?", "？"))
    if len({one.value.casefold() for one in known_names(text.text, clause)}) > 1:
        return text  # what the open task has may be what another is to have
    return text._replace(amounts=new) if one_for_it else text


def _unlinked(text: str, language: Words) -> str:
    """Without the words that only tie a sentence to the one before it ("but", "and then"): they are nobody's name."""

    def blank(match: re.Match[str]) -> str:
        return match["edge"].replace("。", ",") + " " * (len(match[0]) - len(match["edge"]))

    return language.links.sub(blank, text)


def _tasks(text: Masked, clause: Clause, language: Words) -> Sequence[JsonObject]:
    targets = _targets(text, clause, language)
    foreign = text.foreign if targets or "amount" in clause.expecting else ""
    if not targets and not foreign and not _is_ours(text, clause, language):
        return ()
    if targets and _is_elsewhere(text, targets, clause, language):
        return ()
    if clause.lenient and len({one.value.casefold() for one in targets}) > 1:
        return ()  # who of them, nobody knows
    if clause.lenient and any(is_told_before(text.text, one.start, language) for one in text.amounts):
        return ()
    targets = _once(told_apart(_meant(text, targets, language), text.text, clause), text)
    tasks: Sequence[JsonObject] = tuple(paired(text, targets, language))
    if len(tasks) == len(text.amounts) == 1 and not clause.slots:
        tasks = _several_times(tasks[0], text, language)
    if foreign and not text.amounts:
        # never taken for won: said as it is, it is refused, and the person hears why
        return tuple({**task, "amount": foreign} for task in tasks or ({},))
    return tasks


def _several_times(task: JsonObject, text: Masked, language: Words) -> Sequence[JsonObject]:
    """A task as often as is said behind its amount; of one that is divided so each has its part, or is asked."""
    (amount,) = text.amounts
    often = next((n for n, one in enumerate(language.times, 2) if one.match(text.text, amount.end)), 1)
    if often > 1 and language.together.search(text.text):
        task = {**task, "amount": None if amount.value % often else amount.value // often}
    each: JsonObject = {slot: value for slot, value in task.items() if value is not None}
    return (each,) * often


def _targets(text: Masked, clause: Clause, language: Words) -> list[Spot]:
    """Those with a particle; in parts with an amount but without one, the word that is left over."""
    if clause.lenient:
        return known_names(text.text, clause)
    found = _marked(text, language)
    if clause.known and "target" in clause.slots and "target" not in clause.expecting:
        # in an open dialogue a word that is left over is a name only if it is a known one
        return sorted(with_known(found, text, clause, language), key=lambda one: one.start)
    for start, end in _parts(text.text, language):
        part = text.text[start:end]
        # an amount may be that of whoever is named in another part ("the other 50,000 tomorrow, to Mom")
        of_another = len(text.amounts) <= len(found)
        if AMOUNT in part and not of_another and not any(start <= one.start < end for one in found):
            found += _left_over(text, start, end, language)
    if not found and (text.amounts or "target" in clause.expecting):
        found = _left_over(text, 0, len(text.text), language) or _in_turn(text, language)
    return sorted(with_known(found, text, clause, language), key=lambda one: one.start)


def _meant(text: Masked, targets: Sequence[Spot], language: Words) -> list[Spot]:
    """Without those that the sentence itself takes back before it says the next one ("to Mom, no, to Dad")."""
    kept: list[Spot] = []
    for one, after in zip_longest(targets, targets[1:]):
        between = text.text[one.end : after.start] if after else ""
        if AMOUNT in between or not language.instead.search(between):
            kept.append(one)
    away = {name for name in {one.value for one in kept} if _is_taken_back(name, text, language)}
    return [one for one in kept if one.value not in away] or kept


def _is_taken_back(name: str, text: Masked, language: Words) -> bool:
    """Whether the sentence says of a name, wherever it stands again, that it is not the one ("Mom … to my sister, not
    Mom")."""
    again = (Spot(*match.span(), name) for match in re.finditer(re.escape(name), text.text))
    return any(is_denied(one, text.text, language) for one in again)


def _once(targets: Sequence[Spot], text: Masked) -> list[Spot]:
    """A name that is said twice for one amount, or none, is one payee."""
    alike = len(targets) > 1 and len({one.value.casefold() for one in targets}) == 1
    return list(targets[:1] if alike and len(text.amounts) < STRANGE else targets)


def _marked(text: Masked, language: Words) -> list[Spot]:
    found: list[Spot] = []
    for pattern in (language.joined, *language.targets):
        for match in pattern.finditer(text.text):
            spot = _beside(Spot(*match.span("name"), match["name"]), found, language)
            taken = any(spot.start < one.end and one.start < spot.end for one in found)
            if not taken and _may_be_name(spot.value, language) and not language.denied.search(text.text[spot.end :]):
                found.append(spot)
    return found


def _beside(spot: Spot, found: Sequence[Spot], language: Words) -> Spot:
    """Without a name that was found at its beginning, and the letters that tie the two."""
    start = next((one.end for one in found if one.start <= spot.start < one.end < spot.end), spot.start)
    rest = spot.value[start - spot.start :]
    name = language.lead.sub("", rest)
    return Spot(start + len(rest) - len(name), spot.end, name.strip())


def _may_be_name(word: str, language: Words) -> bool:
    strange = any(mark in word for mark in MARKS) or not any(map(str.isalpha, word))
    nobody = language.filler.fullmatch(word) or language.nobody.fullmatch(word) or language.who.search(word)
    return bool(word) and not strange and not nobody


def _left_over(text: Masked, start: int, end: int, language: Words) -> list[Spot]:
    """The one name in a part without particles; a bank before it belongs to it."""
    left = _unknown(text.text[start:end], start, language)
    banks = tuple(one.strip() for one in language.banks)
    if len(left) == STRANGE and (left[0].value.casefold().endswith(banks) or left[1].value[:1] in "(（"):
        left = [Spot(left[0].start, left[1].end, f"{left[0].value} {left[1].value}")]
    if len(left) != 1 or language.denied.search(text.text[left[0].end :]):
        return []
    name = language.endings.sub("", left[0].value) or left[0].value
    whole = language.sentence.search(name)
    return [left[0]._replace(value=name)] if _may_be_name(name, language) and not whole else []


def _in_turn(text: Masked, language: Words) -> list[Spot]:
    """Names and amounts by turns, without any particle: "Mom 10, Dad 20, Minsu 30"."""
    left = _unknown(text.text, 0, language)
    starts = [one.start for pair in zip(left, text.amounts, strict=False) for one in pair]
    if len(left) < STRANGE or len(left) != len(text.amounts) or starts != sorted(starts):
        return []
    return [one for one in left if _may_be_name(one.value, language)]


def _unknown(part: str, offset: int, language: Words) -> list[Spot]:
    """Words that are no part of saying what a transfer is."""
    found, at = [], 0
    for word in _split(part):
        at = part.index(word, at)
        if any(map(str.isalnum, word)) and not language.means_nothing(word):
            found.append(Spot(offset + at, offset + at + len(word), word))
        at += len(word)
    return found


def _split(part: str) -> list[str]:
    for mark in (*MARKS, *',.!?~…、。，！？;；:："“”‘’「」『』'):
        part = part.replace(mark, " ")
    return part.split()


def _parts(text: str, language: Words) -> list[tuple[int, int]]:
    edges = [0]
    for match in language.separator.finditer(text):
        edges += [match.start(), match.end()]
    edges.append(len(text))
    return list(zip(edges[::2], edges[1::2], strict=True))


def _is_ours(text: Masked, clause: Clause, language: Words) -> bool:
    """Without a target: an amount, a date or a memo with hardly anything else beside it."""
    if not (text.amounts or text.days or text.memo):
        return False
    if clause.lenient:
        return True
    if text.memo and clause.slots and clause.text[max(text.memo.start - 1, 0)] in QUOTES:
        return True  # what is quoted behind the word for a memo is one, however politely it is asked for
    strange = len(_unknown(text.text, 0, language))
    asked = bool(text.amounts and "amount" in clause.expecting) or not (clause.slots or clause.expecting)
    return strange == 0 or (asked and bool(text.amounts)) or (bool(text.amounts) and strange < STRANGE)


def _is_elsewhere(text: Masked, targets: Sequence[Spot], clause: Clause, language: Words) -> bool:
    """Somebody is named in a sentence about something else: a message to send, an appointment. In an open flow a name
    alone is not enough."""
    if text.amounts:
        return False
    if language.other.search(text.text):
        return True
    if clause.lenient or not (clause.slots or clause.expecting):
        return False
    rest = _unknown(text.text, 0, language)
    return any(not any(word.start < one.end and one.start < word.end for one in targets) for word in rest)
