"""Which of the booked transfers is to be called off: the vocabulary of the flow has them all, so that the reader gives
whole tasks, and asks where several may be meant."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from contracts.reading import Checking, Clause, NothingToDo, SlotRefused
from contracts.shape import JsonObject, JsonValue
from contracts.tables import PackDatabase
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.bank.port import Bank
from packs.transfer.names import label, names_of
from packs.transfer.recall import UNDO
from packs.transfer.wording import LANGUAGES, amount_in_words, day_in_words, words

BOOKING = "booking"
NONE, WHICH, NO_SUCH = "?none", "?which:", "?no_such:"
"""In the place of a payee: nothing is booked; several may be meant, or none of them, in the language behind it."""
LONGEST = 80
"""Characters of a turn that begins it: whoever says more says something else, too."""


class Booking(NamedTuple):
    """A transfer that waits for its day. `labels` and `names` are the payee's, in every language."""

    labels: Mapping[str, str]
    names: Sequence[str]
    amount: int
    date: str

    def task(self, language: str) -> JsonObject:
        return {"target": self.labels[language], "amount": self.amount, "date": self.date}

    def said(self, language: str) -> str:
        day = day_in_words(date.fromisoformat(self.date), language)
        return f"{day} {self.labels[language]} {amount_in_words(self.amount, language)}"


async def vocabulary(user: str, database: PackDatabase) -> Mapping[str, Sequence[str]]:
    """What is booked, each as JSON, and what the payees are called. What their day it is the reader knows."""
    bank, since = EmbeddedBank(database), datetime.now(UTC).date() - timedelta(days=1)
    booked = [json.dumps(one._asdict(), ensure_ascii=False) for one in await bookings(bank, user, since)]
    return {BOOKING: booked, "target": names_of(await bank.payees(user))}


async def resolve(
    tasks: Sequence[JsonObject], user: str, database: PackDatabase, *, today: date, config: Mapping[str, str]
) -> JsonObject:
    """{"bookings": [{"labels", "names", "amount", "date"}]}, the next one first."""
    del tasks, config
    found = await bookings(EmbeddedBank(database), user, today)
    return {"bookings": [json.loads(json.dumps(one._asdict())) for one in found]}


async def bookings(bank: Bank, user: str, today: date) -> list[Booking]:
    payees = await bank.payees(user)
    known = {
        payee.payee_id: ({name: label(payee, payees, name) for name in LANGUAGES}, names_of([payee]))
        for payee in payees
    }
    return [
        Booking(*known[one.payee_id], one.amount, one.value_on.isoformat()) for one in await bank.booked(user, today)
    ]


def read(clause: Clause) -> Sequence[JsonObject]:
    """{target, amount, date} of what is to be called off; see contracts.reading.Reader. Of a turn that is no answer to
    a question of its own only what asks for that; `done` is what was sent last, `before` what waits for a word."""
    booked = booked_in(clause)
    last = [one for one in booked if one.task(clause.language).items() <= dict(clause.done).items()]
    is_open = bool(clause.expecting or clause.slots)
    if not (is_open or _asks(clause, booked, last)):
        return ()
    if not booked:
        return ({"target": NONE},)
    language = words(clause.language)
    said = language.calling_off
    found, named = meant_by(clause, booked)
    points = said.points.search(clause.text) or not language.booked.search(clause.text)
    every = bool(said.every.search(_part(clause)))
    if not (named or is_open or every) and last and points:
        found = last[:1]
    elif is_open and not (answers(clause, booked) and (named or every)):
        return ()
    elif named and not found and clause.before:
        return ()  # who is not among them may be who waits for a word
    shown = dict(clause.slots)
    return [task for task in tasks_of(found, clause, every=every) if not every or task != shown]


def booked_in(clause: Clause) -> list[Booking]:
    """What the vocabulary has that has not gone out by the person's day."""
    known = [Booking(**json.loads(one)) for one in clause.known.get(BOOKING, ())]
    return [one for one in known if one.date > clause.now.date().isoformat()]


def target(value: JsonValue, checking: Checking) -> JsonValue:
    """Whoever something is booked for. Raises NothingToDo, SlotRefused."""
    return checked(value, checking, "flow.unbook")


def checked(value: JsonValue, checking: Checking, texts: str) -> JsonValue:
    """Whom the reader means; its marks are told by `texts`.none, .which, .no_such. Raises NothingToDo, SlotRefused."""
    if value == NONE:
        raise NothingToDo(f"{texts}.none")
    looked_up = checking.facts.get("bookings")
    booked = [Booking(**one) for one in looked_up] if isinstance(looked_up, list) else []  # type: ignore[arg-type]  # as `resolve` gave them
    mark, _, language = str(value).partition(":")
    shown = ", ".join(f"{number}. {one.said(language)}" for number, one in enumerate(booked, 1) if language)
    if f"{mark}:" == WHICH:
        raise SlotRefused(f"{texts}.which", count=len(booked), choices=shown)
    if f"{mark}:" == NO_SUCH:  # no question: a turn that names another is heard by itself
        raise NothingToDo(f"{texts}.no_such", choices=shown)
    return value


def _asks(clause: Clause, booked: Sequence[Booking], last: Sequence[Booking]) -> bool:
    """Whether the turn wants something booked called off: in so many words, or what was just done, which is booked."""
    language = words(clause.language)
    said = language.calling_off
    text = _part(clause)
    if not said.verb.search(text) or len(clause.text) > LONGEST or said.otherwise.search(text):
        return False
    if last and language.not_offered[UNDO].search(text) and (not clause.before or language.totals.sent.search(text)):
        return True
    # with a task that waits for a word, what is only pointed at is that one
    every = said.every.search(text)
    only = not re.search(r"[^\W_]", said.around.sub(" ", said.every.sub(" ", text)))
    if last and not clause.before and (only or said.points.search(text)):
        return True
    if not booked and "date" in clause.before:
        return False  # what waits for a word is the only one that may be called a booking
    sums = {one.value for one in clause.entities if one.type == "money" and one.text in text}
    named = any(_stands_in(text, name) for one in booked for name in one.names)
    if not language.booked.search(text):
        plain = said.deed.search(text) and (every or named)
        meant = plain or sums & {one.amount for one in booked} or _is_only_of_a_transfer(text, clause, booked)
        return bool(booked and meant) and not clause.before
    named = named or bool(said.money.search(text) or sums)
    return named or (only and bool(last or clause.before or (every and booked)))


def _part(clause: Clause) -> str:
    """That part of the turn which wants something called off; all of it, where none says so."""
    said = words(clause.language).calling_off
    return next((part for part in said.then.split(clause.text) if said.verb.search(part)), clause.text)


def answers(clause: Clause, booked: Sequence[Booking]) -> bool:
    """Whether a turn may be for the question which one is to be called off, and is no other request."""
    said = words(clause.language).calling_off
    left = _without_what_is_booked(clause.text, clause, booked)[0]
    return bool(_place(clause) or said.verb.search(clause.text)) or not re.search(
        r"[^\W_]", said.around.sub(" ", said.deed.sub(" ", said.every.sub(" ", left)))
    )


def _is_only_of_a_transfer(text: str, clause: Clause, booked: Sequence[Booking]) -> bool:
    """Whether the turn has a word for a transfer, or who one is booked for, and beside it nothing but such a payee, a
    sum, a day."""
    said = words(clause.language).calling_off
    left, named = _without_what_is_booked(text, clause, booked)
    if not (named or said.deed.search(left)):
        return False
    return not re.search(r"[^\W_]", said.around.sub(" ", said.deed.sub(" ", left)))


def _without_what_is_booked(text: str, clause: Clause, booked: Sequence[Booking]) -> tuple[str, bool]:
    """The text without sums, days, and what those are called for whom something is booked; and whether it named any."""
    named = False
    for one in clause.entities:
        text = text.replace(one.text, " ")
    for name in sorted((name for one in booked for name in one.names), key=len, reverse=True):
        text, times = re.subn(rf"(?<![a-z]){re.escape(name)}(?![a-z])", " ", text, flags=re.IGNORECASE)
        named = named or times > 0
    return text, named


def meant_by(clause: Clause, booked: Sequence[Booking]) -> tuple[list[Booking], bool]:
    """Those that the turn may mean, and whether it names any by payee, sum, day or place. What it wants beside that has
    days and sums of its own."""
    text = _part(clause)
    sums = {one.value for one in clause.entities if one.type == "money" and one.text in text}
    days = {one.value for one in clause.entities if one.type == "date" and one.text in text}
    place = _place(clause)
    if place and not (sums or days):
        return list(booked[place - 1 : place]), True
    people = [name for name in clause.known.get("target", ()) if _stands_in(text, name)]
    found = [
        one
        for one in booked
        if (not people or set(people) & set(one.names))
        and (not sums or one.amount in sums)
        and (not days or one.date in days)
    ]
    return found, bool(people or sums or days)


def _place(clause: Clause) -> int:
    """The number of one of those that were shown; 0 for none."""
    text = clause.text.strip(" .!~\u3002")
    if not clause.expecting:
        return 0
    if text.isdecimal():
        return int(text)
    ordinals = words(clause.language).ordinals
    return next((number for number, one in enumerate(ordinals, 1) if one.match(text.casefold())), 0)


def tasks_of(found: Sequence[Booking], clause: Clause, *, every: bool) -> Sequence[JsonObject]:
    """One task, or a mark in the place of its payee; all of them, if `every` is."""
    tasks = [one.task(clause.language) for one in found]
    if every and tasks:
        return tasks
    if not tasks:
        return ({"target": f"{NO_SUCH}{clause.language}"},)
    alike = all(task == tasks[0] for task in tasks)
    return tasks[:1] if alike else ({"target": f"{WHICH}{clause.language}"},)


def _stands_in(text: str, name: str) -> bool:
    return re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text, re.IGNORECASE) is not None
