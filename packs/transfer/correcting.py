"""Reads corrections of an open transfer: this one and not that one, the same amount as before, a name among several."""

from collections.abc import Sequence

from contracts.reading import DENIED, Clause
from contracts.shape import JsonObject
from packs.transfer.masking import Masked
from packs.transfer.names import AMONG
from packs.transfer.wording import Words

LONGEST_CHOICE = 30
"""Letters."""


def corrected(text: Masked, clause: Clause, language: Words) -> JsonObject | None:
    """The task of a sentence like "not Mom, Dad"; whom it takes back is under DENIED. None for any other sentence."""
    if not clause.slots:
        return None
    for pattern in language.correction:
        found = pattern.search(text.text)
        name = found["name"].strip() if found else ""
        if found is None or not is_name(name, language):
            continue
        task: JsonObject = {"target": name}
        if len(text.amounts) == 1:
            task["amount"] = text.amounts[0].value
        denied = found.groupdict().get("not") or ""
        if is_name(denied, language):
            task[DENIED] = {"target": denied}
        return task
    return None


def chosen(clause: Clause, language: Words) -> Sequence[JsonObject]:
    """The answer to "which one of them?" by a place: "the second one", "the first Minsu"."""
    said = clause.text.strip(" .,!~。、！")
    counted = any(ordinal.match(said.casefold()) for ordinal in language.ordinals)
    if "target" not in clause.refused or not counted or len(said) > LONGEST_CHOICE:
        return ()
    return ({"target": language.endings.sub("", said) or said},)


def completed(tasks: Sequence[JsonObject], clause: Clause, language: Words) -> Sequence[JsonObject]:
    """With the amount that the sentence refers to, and with the name of the several people that were asked about."""
    several = clause.refused.get("target")
    last = clause.slots.get("amount", clause.done.get("amount"))
    same = last is not None and bool(language.same_amount.search(clause.text))
    return tuple(
        _completed(task, several if "target" in clause.expecting else None, last if same else None) for task in tasks
    )


def _completed(task: JsonObject, several: object, amount: object) -> JsonObject:
    made = dict(task)
    if amount is not None and "amount" not in made and isinstance(amount, int):
        made["amount"] = amount
    if isinstance(several, str) and isinstance(made.get("target"), str):
        made["target"] = f"{made['target']}{AMONG}{several.partition(AMONG)[0]}"
    return made


def is_name(word: str, language: Words) -> bool:
    """Whether a word may be somebody's name."""
    return bool(word) and not language.filler.fullmatch(word) and not language.nobody.fullmatch(word)
