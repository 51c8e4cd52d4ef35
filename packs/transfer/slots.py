"""The validators of a transfer: what a target, an amount, a date and a memo have to be. Code, whatever a model says."""

import re
from datetime import date, timedelta

from contracts.reading import Checking, SlotRefused
from contracts.shape import JsonValue
from packs.transfer.bank.port import MOST_AT_ONCE
from packs.transfer.memos import TO_BE_SAID
from packs.transfer.names import AMONG

LONGEST_NAME = 60
LONGEST_MEMO = 50
FARTHEST_DAYS = 365
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def target(value: JsonValue, checking: Checking) -> JsonValue:
    """Somebody in the address book, told apart from others of the name. A name that nobody looked up in this turn was
    looked up before, and the payment does it again."""
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME:
        raise SlotRefused("flow.transfer.target_unreadable")
    said = value.partition(AMONG)[0].strip()
    looked_up = checking.facts.get("payees")
    labels = looked_up.get(value) if isinstance(looked_up, dict) else None
    if not isinstance(labels, list):
        return said
    if not labels:
        raise SlotRefused("flow.transfer.target_unknown", name=said)
    if len(labels) > 1:
        choices = ", ".join(str(one) for one in labels)
        raise SlotRefused("flow.transfer.target_ambiguous", name=said, count=len(labels), choices=choices)
    return labels[0]


def amount(value: JsonValue, checking: Checking) -> JsonValue:
    """Whole won, from 1 up to what can be sent at once."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise SlotRefused("flow.transfer.amount_unreadable")
    if value < 1:
        raise SlotRefused("flow.transfer.amount_low")
    if value > MOST_AT_ONCE:
        raise SlotRefused("flow.transfer.amount_high")  # the text names MOST_AT_ONCE
    check_limits(value, str(known_of(checking, "date") or ""), checking)
    return value


def known_of(checking: Checking, slot: str) -> JsonValue:
    """The value of another slot: as it was said with this one, or as it is known."""
    return checking.given.get(slot, checking.slots.get(slot))


def check_limits(value: int, on: str, checking: Checking) -> None:
    """What can go out on a day is told before the person's word; the bank says it again when it pays."""
    limits = checking.facts.get("limits")
    if not isinstance(limits, dict):
        return
    today = checking.today.isoformat()
    on, day, balance = on or today, int(str(limits["day"])), int(str(limits["balance"]))
    since = that_day = 0
    for task in checking.done:
        if isinstance(sent := task.get("amount"), int):
            since += sent
            that_day += sent if task.get("date", today) == on else 0
    booked = limits.get("on")
    left = max(day - that_day - (int(str(booked.get(on, 0))) if isinstance(booked, dict) else 0), 0)
    if value > left:
        key = "flow.transfer.amount_over_day" if on == today else "flow.transfer.amount_over_that_day"
        raise SlotRefused(key, limit=f"{day:,}", left=f"{left:,}", date=on)
    if value > balance - since:
        raise SlotRefused("flow.transfer.amount_over_balance", balance=f"{max(balance - since, 0):,}")


def day(value: JsonValue, checking: Checking) -> JsonValue:
    """YYYY-MM-DD, from today up to a year ahead, on which the amount that is known can go out."""
    chosen = _day(value)
    if chosen is None:
        raise SlotRefused("flow.transfer.date_unreadable")
    if chosen < checking.today:
        raise SlotRefused("flow.transfer.date_past", date=chosen.isoformat())
    if chosen > checking.today + timedelta(days=FARTHEST_DAYS):
        raise SlotRefused("flow.transfer.date_far", days=FARTHEST_DAYS)
    amount_kept = checking.slots.get("amount")
    if "amount" not in checking.given and isinstance(amount_kept, int):
        check_limits(amount_kept, chosen.isoformat(), checking)
    return chosen.isoformat()


def memo(value: JsonValue, checking: Checking) -> JsonValue:
    """One line that the payee reads."""
    if value == TO_BE_SAID:
        raise SlotRefused("flow.transfer.ask_memo")
    if not isinstance(value, str) or not (line := " ".join(value.split())):
        raise SlotRefused("flow.transfer.memo_unreadable")
    if len(line) > LONGEST_MEMO:
        raise SlotRefused("flow.transfer.memo_long", limit=LONGEST_MEMO)
    return line


def _day(value: JsonValue) -> date | None:
    if not isinstance(value, str) or not _ISO_DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
