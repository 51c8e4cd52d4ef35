"""Reads what a turn puts in the place of what is shown ("lunch → dinner", "100 instead of 50"), and a memo that it asks
to be written without the word for one."""

import re

from contracts.reading import CORRECTS, ERASED, Clause
from contracts.shape import JsonObject
from packs.transfer.known import known_names
from packs.transfer.masking import in_units_of
from packs.transfer.memos import QUOTES, memo_within
from packs.transfer.wording import Words, is_asked

LONGEST_MEMO, LONGEST_TURN = 40, 80
"""Letters of what is to be written, and of a turn that says so."""
MOST_WORDS = 6
SHORTEST = 2
"""Letters of a part of the memo that is shown by which it is meant."""
_EDGES = " \t,.、。!！~…:" + QUOTES


def instead_of_shown(clause: Clause, language: Words) -> JsonObject | None:
    """What stands in the place of the memo or the amount that is shown. None for any other turn."""
    text = clause.text.strip()
    if not clause.slots or clause.expecting or len(text) > LONGEST_TURN or is_asked(text, language):
        return None
    for pattern in language.replaces:
        for found in pattern.finditer(clause.text):
            memo = memo_within(found["new"], language)
            old = found.groupdict().get("not")
            if old is None and language.memo_word.search(found["new"]):
                continue  # it says by that word what is to be written
            if _is_memo(memo if old is None else old, clause, language, within=old is not None):
                return {"memo": memo, CORRECTS: True} if memo and not _is_value(memo, clause, language) else None
            amount = _amount_within(clause, *found.span("new"))
            if old is not None and amount and _amount_within(clause, *found.span("not")) == clause.slots.get("amount"):
                return {"amount": amount, CORRECTS: True}
    return None


def written(clause: Clause, language: Words) -> JsonObject | None:
    """The memo of a turn that wants something to be written and says no more. None for any other turn."""
    text = clause.text.strip()
    if not clause.slots or clause.expecting or len(text) > LONGEST_TURN or is_asked(text, language):
        return None
    if language.memo_elsewhere.search(text) or language.memo_word.search(text):
        return None
    patterns = (*language.written, *(language.quoted_alone if clause.lenient else ()))
    for pattern in patterns:
        if (found := pattern.search(text)) is None:
            continue
        memo = found["memo"].strip(_EDGES)
        if memo and len(memo) <= LONGEST_MEMO and not _is_value(memo, clause, language):
            return {"memo": memo, CORRECTS: True}
    return None


def unwritten(clause: Clause, language: Words) -> JsonObject | None:
    """That the memo goes, where a turn says so of the word for it or of what it says, and no more."""
    memo, text = clause.slots.get("memo"), clause.text
    if not isinstance(memo, str) or len(text) > LONGEST_MEMO or is_asked(text, language) or clause.entities:
        return None
    about = language.memo_word.search(text) or re.search(re.escape(memo), text, re.IGNORECASE)
    gone = language.unwritten.search(text)
    if about is None or gone is None or known_names(text, clause):
        return None
    rest = f"{text[: about.start()]} {text[about.end() :]}"
    rest = language.unwritten.sub(" ", re.sub(re.escape(memo), " ", rest, flags=re.IGNORECASE))
    strange = [word for word in re.findall(r"[^\W_]+", rest) if not language.means_nothing(word.casefold())]
    return {ERASED: ["memo"]} if not strange else None


def _is_memo(said: str, clause: Clause, language: Words, *, within: bool) -> bool:
    """Whether words mean the memo that is shown: all of it, a part of it (`within`), or it with more around it."""
    shown, said = str(clause.slots.get("memo", "")).casefold(), said.casefold()
    said = language.memo_word.sub("", said).strip(_EDGES)
    if not shown or len(said) < min(SHORTEST, len(shown)):
        return False
    return (said in shown or said.endswith(shown)) if within else (shown in said and said != shown)


def _is_value(said: str, clause: Clause, language: Words) -> bool:
    """Whether words are those of another value, or say nothing at all: no memo."""
    if any(str(one).casefold() == said.casefold() for one in clause.known.get("target", ())):
        return True
    if any(one.text in said if one.type == "money" else one.text.strip() == said for one in clause.entities):
        return True
    spots = known_names(said, clause)
    beside = any(language.targets_behind.match(said[one.end :]) for one in spots)
    return beside or len(said.split()) > MOST_WORDS or all(map(language.means_nothing, said.casefold().split()))


def _amount_within(clause: Clause, start: int, end: int) -> int | None:
    """The only figure of a stretch, as an amount."""
    found = [one for one in clause.entities if start <= one.start and one.end <= end]
    sums = [one for one in found if one.type in {"money", "number"} and isinstance(one.value, int)]
    return in_units_of(sums[0], clause) if len(sums) == len(found) == 1 else None
