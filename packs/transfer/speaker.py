"""How a transfer's slots are said in the flow's texts."""

from collections.abc import Mapping
from datetime import date

from contracts.shape import JsonValue
from packs.transfer.wording import amount_in_words, day_in_words, words


def speak(slots: Mapping[str, JsonValue], language: str) -> Mapping[str, str]:
    """`target`, `amount`, `date`, and `details`: memo and date, so that the person confirms all of it; may be empty."""
    amount, day = slots.get("amount"), slots.get("date")
    return {
        "target": str(slots.get("target") or ""),
        "amount": amount_in_words(amount, language) if isinstance(amount, int) else "",
        "date": day_in_words(date.fromisoformat(str(day)), language) if day else "",
        "details": _details(slots, language),
    }


def _details(slots: Mapping[str, JsonValue], language: str) -> str:
    said = words(language).details
    parts = []
    if memo := slots.get("memo"):
        parts.append(said.memo.format(memo=memo))
    if day := slots.get("date"):
        parts.append(said.date.format(date=day_in_words(date.fromisoformat(str(day)), language)))
    return said.around.format(details=said.between.join(parts)) if parts else ""
