"""Which booked transfer is to be otherwise, and how: another sum, another day, or both."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from contracts.cognitive import Entity
from contracts.reading import Checking, Clause, SlotRefused
from contracts.shape import JsonObject, JsonValue
from contracts.tables import PackDatabase
from packs.transfer import resolver, slots
from packs.transfer.bank.embedded import EmbeddedBank
from packs.transfer.calling_off import LONGEST, Booking, answers, booked_in, bookings, checked, meant_by, tasks_of
from packs.transfer.speaker import speak as as_booked
from packs.transfer.wording import amount_in_words, day_in_words, words

TO_AMOUNT, TO_DATE = "to_amount", "to_date"
SHORT = 40
"""Characters of a turn that says otherwise what is shown."""
SMALLEST = 1_000
"""A number from which on it may be a sum."""
_SLOTS = {"money": TO_AMOUNT, "date": TO_DATE}


async def resolve(
    tasks: Sequence[JsonObject], user: str, database: PackDatabase, *, today: date, config: Mapping[str, str]
) -> JsonObject:
    """{"bookings": see calling_off.resolve, "limits": see resolver.resolve}."""
    found = await bookings(EmbeddedBank(database), user, today)
    known = await resolver.resolve(tasks, user, database, today=today, config=config)
    booked: list[JsonValue] = [
        {"labels": dict(one.labels), "names": list(one.names), "amount": one.amount, "date": one.date} for one in found
    ]
    return {"bookings": booked, "limits": known["limits"]}


def read(clause: Clause) -> Sequence[JsonObject]:
    """{target, amount, date} of what is booked, {to_amount, to_date} of what is to be; see contracts.reading.Reader. Of
    a turn that is no answer to a question of its own only what asks for that."""
    booked = booked_in(clause)
    if not booked:
        return ()
    if clause.expecting or clause.slots:
        return _more(clause, booked)
    said = words(clause.language)
    text = clause.text
    if not said.changing.verb.search(text) or said.changing.otherwise.search(text) or len(text) > LONGEST:
        return ()
    if clause.before and not said.booked.search(text):
        return ()  # what waits for a word is what is to be changed
    new, left = _new(clause, booked)
    found, named = meant_by(left, booked)
    about = named or said.booked.search(text) or said.calling_off.deed.search(text)
    last = [one for one in booked if one.task(clause.language).items() <= dict(clause.done).items()]
    points = TO_AMOUNT in new or said.calling_off.points.search(text)
    if not about and last and points and not clause.before:
        found = last[:1]  # "make it 50,000", "move that to Friday"
    elif not about or not found:
        return ()
    return [{**task, **new} for task in tasks_of(found, clause, every=False)] if new else ()


def target(value: JsonValue, checking: Checking) -> JsonValue:
    """Whoever something is booked for. Raises NothingToDo, SlotRefused."""
    return checked(value, checking, "flow.rebook")


def to_amount(value: JsonValue, checking: Checking) -> JsonValue:
    """What can be sent in the place of what is booked. Raises SlotRefused."""
    kept = slots.amount(value, checking._replace(facts={}))
    day = slots.known_of(checking, TO_DATE) or slots.known_of(checking, "date")
    _check(int(str(kept)), str(day or ""), checking)
    return kept


def to_date(value: JsonValue, checking: Checking) -> JsonValue:
    """A day on which it can go out instead. Raises SlotRefused."""
    kept = slots.day(value, checking._replace(slots={}, facts={}))
    amount = slots.known_of(checking, TO_AMOUNT) or slots.known_of(checking, "amount")
    if isinstance(amount, int):
        _check(amount, str(kept), checking)
    return kept


def speak(said: Mapping[str, JsonValue], language: str) -> Mapping[str, str]:
    """What the speaker of transfers says of it, and `to`: how it is to be."""
    parts, how = [], words(language).changing
    if isinstance(amount := said.get(TO_AMOUNT), int):
        parts.append(how.amount.format(amount=amount_in_words(amount, language)))
    if day := said.get(TO_DATE):
        parts.append(how.date.format(date=day_in_words(date.fromisoformat(str(day)), language)))
    return {**as_booked(said, language), "to": how.between.join(parts)}


def _more(clause: Clause, booked: Sequence[Booking]) -> Sequence[JsonObject]:
    """What a turn says to the open question: which one, or how it is to be."""
    if "target" in clause.expecting:
        new, left = _new(clause, booked)
        found, named = meant_by(left, booked)
        plain = named and answers(clause, booked)
        return [{**task, **new} for task in tasks_of(found, clause, every=False)] if plain else ()
    marked = {_SLOTS[one.type]: one.value for one in _marked(clause)}
    plain = len(clause.text) <= SHORT and not words(clause.language).changing.otherwise.search(clause.text)
    return (marked,) if marked and plain else ()


def _new(clause: Clause, booked: Sequence[Booking]) -> tuple[JsonObject, Clause]:
    """Sums and days that are to be: so marked, or else the one of each kind that nothing is booked for; and the turn
    without them."""
    new = _marked(clause)
    if not new:
        known = {value for one in booked for value in (one.amount, one.date)}
        others = [one for one in clause.entities if one.type in _SLOTS and one.value not in known]
        new = [one for one in others if sum(other.type == one.type for other in clause.entities) == 1]
    left = clause._replace(entities=tuple(one for one in clause.entities if (one.start, one.end) not in _spans(new)))
    return {_SLOTS[one.type]: one.value for one in new}, left


def _marked(clause: Clause) -> list[Entity]:
    """Sums and days of which the turn says that it is to be so; a large number there is a sum."""
    how = words(clause.language).changing
    return [
        one.model_copy(update={"type": "money"}) if one.type == "number" else one
        for one in clause.entities
        if (how.behind.search(clause.text[one.end :]) or how.before.search(clause.text[: one.start]))
        and (one.type in _SLOTS or (one.type == "number" and isinstance(one.value, int) and one.value >= SMALLEST))
    ]


def _spans(entities: Iterable[Entity]) -> set[tuple[int, int]]:
    return {(one.start, one.end) for one in entities}


def _check(amount: int, day: str, checking: Checking) -> None:
    """Whether it can go out: what is booked is given back first."""
    limits, old, on = checking.facts.get("limits"), checking.slots.get("amount"), str(checking.slots.get("date") or "")
    if not isinstance(limits, dict) or not isinstance(old, int):
        return
    if (amount, day) == (old, on):
        raise SlotRefused("flow.rebook.same")
    that_day = dict(limits["on"]) if isinstance(limits.get("on"), dict) else {}  # type: ignore[arg-type]  # as `resolve` gave it
    that_day[on] = int(str(that_day.get(on, old))) - old
    free = {**limits, "balance": int(str(limits["balance"])) + old, "on": that_day}
    slots.check_limits(amount, day, checking._replace(facts={"limits": free}, done=()))
