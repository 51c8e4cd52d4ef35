"""Reads corrections of an open transfer: this one and not that one, the same amount as before, a name among several."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from contracts.reading import CORRECTS, DENIED, ERASED, Clause
from contracts.shape import JsonObject
from packs.transfer.known import is_denied, known_bank, known_names, trimmed
from packs.transfer.masking import Masked, changes_it, is_told_before, masked
from packs.transfer.memos import QUOTES, find_memo
from packs.transfer.names import AMONG, BUT
from packs.transfer.wording import Words, is_asked

LONGEST_CHOICE, LONGEST_OTHER = 30, 60
"""Letters: of an answer to which one is meant, and of a turn that wants the other one instead, which says why, too."""
A_DAY = 24 * 60
"""Minutes."""
NAME = "@"
"""In the place of each letter of a name that is looked around."""
SUM = 2
"""Amounts of who says how much more, and what that makes."""


def corrected(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """The task of a sentence like "not Mom, Dad"; whom it takes back is under DENIED. None for any other sentence."""
    if not clause.slots:
        return None
    if known := _instead_of_a_known_one(text, clause, language):
        return known
    for pattern in language.correction:
        found = pattern.search(text.text)
        name = trimmed(found["name"].strip(), clause, language) if found else ""
        if found is None or not _may_be_called(name, found, clause, language):
            continue
        task: JsonObject = {"target": name, CORRECTS: True}
        if len(text.amounts) == 1:
            task["amount"] = text.amounts[0].value
        said = found.groupdict().get("not") or ""
        if said.strip() and said.strip() == clause.slots.get("memo"):
            return {"memo": found["name"].strip(), CORRECTS: True}
        denied = trimmed(said, clause, language)
        if is_name(denied, language):
            task[DENIED] = {"target": denied}
        return task
    return None


def _may_be_called(name: str, found: re.Match[str], clause: Clause, language: Words) -> bool:
    """Whether somebody may be called so: in a script without spaces a known name, one with a title, or one that stands
    instead of another."""
    if not is_name(name, language) or not clause.known.get("target") or language.before_name.search(name) is None:
        return is_name(name, language)
    known = name.casefold() in {one.casefold() for one in clause.known["target"]}
    return known or name.endswith(language.honorifics) or bool(found.groupdict().get("not"))


def _instead_of_a_known_one(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """Of the payees that a turn names, the one that is left when those are gone that it takes back; whatever else it
    says."""
    named = known_names(text.text, clause, denied=True, acting=True)
    gone = [one for one in named if is_denied(one, text.text, language)]
    left = {one.value.casefold(): one.value for one in named if one not in gone}
    if not gone or len(left) != 1 or gone[0].value.casefold() in left:
        return None  # of two of one name it is the bank that tells
    (name,) = left.values()
    bank = known_bank(clause, language).meant
    task: JsonObject = {"target": f"{bank}{AMONG}{name}" if bank else name, DENIED: {"target": gone[0].value}}
    if len(text.amounts) == 1:
        task["amount"] = text.amounts[0].value
    return task


def memo_of_one(clause: Clause, language: Words) -> JsonObject | None:
    """The memo for the task that a turn names ("put rent as the memo on the landlord's"): the name is no part of what
    the memo says. None for any other turn."""
    if not clause.slots or any(one.type == "money" for one in clause.entities):
        return None
    said = clause.text.replace(NAME, " ")
    for name in sorted(clause.known.get("target", ()), key=len, reverse=True):
        for spot in re.finditer(re.escape(name), said, re.IGNORECASE):
            text = said[: spot.start()] + NAME * len(spot[0]) + said[spot.end() :]
            if (whose := language.memo_whose.search(text)) is None:
                continue
            rest = f"{text[: whose.start()]} {text[whose.end() :]}".strip()
            memo = find_memo(rest, language)
            if memo is not None and NAME not in rest[memo.start : memo.end]:
                return {"target": spot[0], "memo": rest[memo.start : memo.end].strip(QUOTES)}
    return None


def of_the_open_amount(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """An amount that is said by the open one: half, twice, so much more or less. None for any other sentence."""
    amount, said = clause.slots.get("amount"), clause.text.strip()
    shown = str(clause.slots.get("target", "")).casefold()
    named = [one.value for one in known_names(text.text, clause)]
    others = [name for name in named if not (shown and name.casefold().startswith(shown))]
    if not isinstance(amount, int) or others or language.each.search(said) or is_asked(said, language):
        return None
    if any(is_told_before(text.text, one.start, language) for one in text.amounts):
        return None
    if len(text.amounts) == 1 and not language.as_before.search(text.text[text.amounts[0].end :]):
        new = _changed_by(amount, text, language)
        return {"amount": new, CORRECTS: True} if new else None
    if len(text.amounts) == SUM and text.amounts[1].value in (
        amount + text.amounts[0].value,
        amount - text.amounts[0].value,
    ):
        return {"amount": text.amounts[1].value, CORRECTS: True}  # so much more, which makes so much
    new = _times(amount, said, language)
    shares = text.amounts or text.days or text.memo or language.together.search(said)
    if shares or not new or len(said) > (LONGEST_OTHER if _says_only(said, language) else LONGEST_CHOICE):
        return None
    return {"amount": new, CORRECTS: True}


def settled_on(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """The amount that a turn settles on behind whatever it tells ("the pills were 8,000, so make it 51,000"), or takes
    the open one back for ("actually she said 38,000"). None for any other sentence, or one that names somebody else."""
    said = clause.text.strip()
    if not (clause.slots and text.amounts) or is_asked(said, language):
        return None
    before, behind = text.text[: text.amounts[0].start], text.text[text.amounts[-1].end :]
    takes_back = language.instead.search(before) and not language.instead.search(behind)
    takes_back = takes_back and len(text.amounts) == 1 and len(said) <= LONGEST_CHOICE
    settles = language.settles.search(text.text)
    if not (takes_back or settles):
        return None
    others = {one.value.casefold() for one in known_names(text.text, clause)}
    if (
        others - {str(clause.slots.get("target", "")).casefold()}
        or language.each.search(said)
        or text.days
        or text.memo
    ):
        return None
    at = settles.start() if settles else text.amounts[-1].start
    meant = next((one for one in text.amounts if one.end > at), text.amounts[-1])
    amount: JsonObject = {"amount": meant.value}
    return amount | {CORRECTS: True} if len(text.amounts) > 1 else amount


def settled_on_day(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """The day that a turn settles on, whatever day or reason it tells beside it ("make it the 3rd, I get paid on the
    2nd"). None for any other sentence, or one that says more of a transfer."""
    said = clause.text.strip()
    settles = language.settles_day.search(text.text)
    if not (clause.slots and settles) or text.amounts or text.memo or is_asked(said, language):
        return None
    shown = str(clause.slots.get("target", "")).casefold()
    if {one.value.casefold() for one in known_names(text.text, clause)} - {shown}:
        return None
    day = next((one.value for one in text.days if settles.start() <= one.start < settles.end()), None)
    moves = language.later.search(said) or language.earlier.search(said)
    beside = len(text.days) > 1 or (moves and not language.memo_elsewhere.search(said))
    return {"date": day, CORRECTS: True} if day and beside else None


def changes_by_so_much(text: Masked, language: Words) -> bool:
    """Whether an amount in the sentence is one that is put to another, or taken off it."""
    return bool(text.amounts) and changes_it(text.text, language)


def _changed_by(amount: int, text: Masked, language: Words) -> int:
    """The open amount with the one that is said put to it, or taken off; or what is said to be half; 0 where it is
    neither."""
    by = text.amounts[0].value
    if language.tops_up.search(text.text):
        return amount + by
    if language.takes_off.search(text.text):
        return max(0, amount - by)
    return by if language.halves.search(text.text) else 0


def _times(amount: int, said: str, language: Words) -> int:
    """Twice an amount, or half of one that can be halved, where the sentence says so; else 0."""
    if language.doubles.search(said):
        return 2 * amount
    return amount // 2 if language.halves.search(said) and not amount % 2 else 0


def _says_only(said: str, language: Words) -> bool:
    """Whether a turn has no word beside those for twice and half."""
    rest = language.doubles.sub(" ", language.halves.sub(" ", said.casefold()))
    return all(map(language.means_nothing, re.findall(r"[^\W_]+", rest)))


def moved(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """The day that is shown, so many days later or earlier ("push it back a day", "the day after"). None for any other
    sentence."""
    spans = [one.value for one in clause.entities if one.type == "span" and isinstance(one.value, int)]
    shown = clause.slots.get("date")
    beside = [by for by, one in ((1, language.next_day), (-1, language.day_before)) if one.search(clause.text)]
    more = text.amounts or text.memo or len(clause.text) > LONGEST_CHOICE
    if isinstance(shown, str) and len(beside) == 1 and not more:
        return {"date": (date.fromisoformat(shown) + timedelta(days=beside[0])).isoformat(), CORRECTS: True}
    if not isinstance(shown, str) or len(spans) != 1 or spans[0] % A_DAY or text.days or text.amounts or text.memo:
        return None
    back, on = language.earlier.search(clause.text), language.later.search(clause.text)
    if bool(back) == bool(on):
        return None
    days = timedelta(minutes=abs(spans[0]))
    return {"date": (date.fromisoformat(shown) + (-days if back else days)).isoformat(), CORRECTS: True}


def at_once(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """Who says "send it now" while a later day is shown means today. None for any other sentence."""
    today = clause.now.date().isoformat()
    later = str(clause.slots.get("date", today)) > today
    if not later or {day.value for day in text.days} - {today, clause.slots.get("date")} or text.amounts or text.memo:
        return None
    if not language.at_once.search(masked(clause, language).text):  # in `text` a "now" that ties sentences is gone
        return None
    return {"date": today, CORRECTS: True}


def chosen(clause: Clause, language: Words) -> Sequence[JsonObject]:
    """The answer to "which one of them?" by a place ("the second one", "the first Minsu") or by a bank alone."""
    if "target" not in clause.refused:
        return _other_of_the_name(clause, language)
    said = clause.text.strip(" .,!~。、！")
    memo = masked(clause, language).memo
    beside: JsonObject = {**clause.slots, "memo": memo.value} if memo else {}
    among = str(clause.refused["target"]).partition(AMONG)[0].casefold()
    others = [one for one in known_names(clause.text, clause) if one.value.casefold() not in among]
    bank = known_bank(clause, language)
    if bank.meant and not others:
        return ({**beside, "target": bank.meant},)
    if bank.denied and not others:
        return ({"target": f"{among}{AMONG}{BUT}{bank.denied} {among}"},)
    counted = any(ordinal.match(said.casefold()) for ordinal in language.ordinals)
    if not counted or len(said) > LONGEST_CHOICE:
        return ()
    return ({"target": language.endings.sub("", said) or said},)


def _other_of_the_name(clause: Clause, language: Words) -> Sequence[JsonObject]:
    """The other one of two that have one name: "no, the Minsu at Hanbit Bank"."""
    payee, bank = str(clause.slots.get("target", "")), known_bank(clause, language).meant
    name = payee.partition(" (")[0]
    others = [one for one in known_names(clause.text, clause) if one.value.casefold() != name.casefold()]
    if "(" not in payee or others:
        return ()
    if not bank and language.other_one.search(clause.text) and len(clause.text) <= LONGEST_OTHER:
        return ({"target": f"{name}{AMONG}{BUT}{payee}", CORRECTS: True},)
    other = bank and bank.casefold() not in payee.casefold()
    return ({"target": f"{bank} {name}", CORRECTS: True},) if other else ()


def with_bank(tasks: Sequence[JsonObject], clause: Clause, language: Words) -> Sequence[JsonObject]:
    """One payee, with the bank that stands elsewhere in the sentence ("the Minsu who is with Hanbit"): it chooses among
    several of the name, and nobody else."""
    bank = known_bank(clause, language).meant
    if len(tasks) != 1 or not bank or not isinstance(said := tasks[0].get("target"), str):
        return tasks
    if AMONG in said or bank in said.casefold():
        return tasks
    return ({**tasks[0], "target": f"{bank}{AMONG}{said}"},)


def completed(tasks: Sequence[JsonObject], clause: Clause, language: Words) -> Sequence[JsonObject]:
    """With the amount that the sentence refers to ("the same to Dad", "Dad too", "twice that to Dad"), and with the
    name of the several people that were asked about."""
    # who names two answers no question which one of a name is meant
    several = clause.refused.get("target") if len(tasks) == 1 else None
    last, said = clause.slots.get("amount", clause.done.get("amount")), clause.text
    amount = None
    if isinstance(last, int):
        too = len(tasks) == 1 and not (clause.expecting or clause.refused) and language.also.search(said)
        same = too or language.same_amount.search(said)
        shared = len(tasks) > 1 or language.together.search(said)
        amount = (0 if shared else _times(last, said, language)) or (last if same else None)
    return tuple(_completed(task, several if "target" in clause.expecting else None, amount) for task in tasks)


def _completed(task: JsonObject, several: object, amount: object) -> JsonObject:
    made = dict(task)
    if amount is not None and "amount" not in made and isinstance(amount, int):
        made["amount"] = amount
    if isinstance(several, str) and isinstance(made.get("target"), str) and AMONG not in str(made["target"]):
        made["target"] = f"{made['target']}{AMONG}{several.partition(AMONG)[0]}"
    return made


def is_name(word: str, language: Words) -> bool:
    """Whether a word may be somebody's name."""
    return bool(word) and not language.filler.fullmatch(word) and not language.nobody.fullmatch(word)


def emptied(clause: Clause, language: Words) -> tuple[str, tuple[str, ...]]:
    """The text of a turn in an open dialogue without the words that empty slots ("drop the memo"), and those slots."""
    text, found = clause.text, []
    if clause.slots:
        for slot, pattern in language.erases.items():
            if match := pattern.search(text):
                found.append(slot)
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text, tuple(found)


def with_emptied(tasks: Sequence[JsonObject], slots: Sequence[str]) -> Sequence[JsonObject]:
    """The tasks, the first of which says what is emptied."""
    if not slots:
        return tasks
    first, *rest = tasks or ({},)
    return ({**first, ERASED: list(slots)}, *rest)
