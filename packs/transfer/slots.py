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
    _check_limits(value, checking)
    return value


def _check_limits(value: int, checking: Checking) -> None:
    """What can be sent today is told before the person's word; the bank says it again when it pays."""
    limits = checking.facts.get("limits")
    if not isinstance(limits, dict):
        return
    since = sum(sent for task in checking.done if isinstance(sent := task.get("amount"), int))
    day, left, balance = (int(str(limits[name])) for name in ("day", "left", "balance"))
    if value > max(left - since, 0):
        raise SlotRefused("flow.transfer.amount_over_day", limit=f"{day:,}", left=f"{max(left - since, 0):,}")
    if value > balance - since:
        raise SlotRefused("flow.transfer.amount_over_balance", balance=f"{max(balance - since, 0):,}")


def day(value: JsonValue, checking: Checking) -> JsonValue:
    """YYYY-MM-DD, from today up to a year ahead."""
    chosen = _day(value)
    if chosen is None:
        raise SlotRefused("flow.transfer.date_unreadable")
    if chosen < checking.today:
        raise SlotRefused("flow.transfer.date_past", date=chosen.isoformat())
    if chosen > checking.today + timedelta(days=FARTHEST_DAYS):
        raise SlotRefused("flow.transfer.date_far", days=FARTHEST_DAYS)
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
