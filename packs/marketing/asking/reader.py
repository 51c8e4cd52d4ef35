"""What of a sentence goes to marketing.ask: the question, its days, what was asked before it."""

from collections.abc import Mapping, Sequence

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import JsonObject, JsonValue
from packs.marketing.asking.phrasing import compiled, words

LONGEST, PERIODS = 2000, 10
BEFORE = 6
"""Questions that a later one may go on from."""


def read_question(clause: Clause) -> Sequence[JsonObject]:
    """{question, periods?, before?}; the table is read where the tool runs."""
    question = clause.text.strip()[:LONGEST]
    if not question:
        return ()
    slots = _asked(question, clause.periods)
    before = _before(clause.last)
    if before := before[: _asked_at(question, before)]:
        slots["before"] = before
    return (slots,)


def _asked_at(question: str, before: Sequence[JsonValue]) -> int:
    """How many questions it may go on from: said once more it means what it meant then, and nothing is worked out
    again, unless it points at what has been said since."""
    pointing = (words()[one] for one in ("before_that", "that_one", "leans", "beside"))
    asked = [one["question"] for one in before if isinstance(one, dict)]
    if question not in asked or any(compiled(one).search(question) for one in pointing):
        return len(before)
    return asked.index(question)


def _asked(question: str, periods: Sequence[Entity]) -> JsonObject:
    values = [(one.text, one.value) for one in periods[:PERIODS]]
    named: list[JsonValue] = [{"said": said, **days} for said, days in values if isinstance(days, dict)]
    return {"question": question, **({"periods": named} if named else {})}


def _before(last: Mapping[str, JsonValue]) -> list[JsonValue]:
    """What the last question went on from, and itself; nothing where no question was asked last."""
    if not last.get("question"):
        return []
    earlier = last.get("before")
    asked: JsonObject = {name: last[name] for name in ("question", "periods") if name in last}
    return [*(earlier if isinstance(earlier, list) else []), asked][-BEFORE:]
