"""Finds the memo that a sentence says, wherever the word for it stands, without the words around it."""

import re
from typing import NamedTuple

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.transfer.wording import Words

LONGEST = 60
"""Letters behind the word for a memo that are still what it says."""
QUOTES = "\"'\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f"
TO_BE_SAID = "?"
"""In the place of a memo that is wanted, and not said yet."""
_ENDS = ".!?~。！？"
_CLOSING = {"'": "'", '"': '"', "\u2018": "\u2019", "\u201c": "\u201d", "\u300c": "\u300d", "\u300e": "\u300f"}
"""Quotation marks, and what ends them."""
_AGAIN = re.compile(
    rf"(?P<between>[^{QUOTES}]{{1,30}}?)(?:(?<=\W)['‘]|[\"“「『])(?P<memo>[^”\"’」』]{{1,60}})[”\"’'」』]"
)
_VALUE_BEHIND = re.compile(r"(?<=\S)\s*[,\uff0c\u3001]\s*[\u00a4\u00a7]")
"""Where behind a memo the sentence goes on with an amount or a day."""
_BEFORE, _AROUND = " \t\n:：,、.-–?？", " \t\n,、。.!~?？"


class Memo(NamedTuple):
    """What is said (`start:end` of the text), and the stretch that says it, with the word for it."""

    start: int
    end: int
    whole: tuple[int, int]


def find_memo(seen: str, language: Words) -> Memo | None:
    """The memo in a text with money and days masked; None where there is none, or where it is taken away."""
    word = language.memo_word.search(seen)
    behind = word.end() if word else 0
    if language.memo_asked.search(seen) and _behind_a_question(seen, behind, language) == behind:
        return None  # what it says, or whether it is there, is asked
    for pattern in language.memo:
        if found := pattern.search(seen):
            start, end = found.span("memo")
            if language.takes_back.search(seen[start:end].strip()):
                return None  # "no memo": that it is taken away is not what it says
            quoted = start > 0 and seen[start - 1] in _CLOSING
            said = (start - 1, end) if quoted else _meant(seen, *_trimmed(seen, start, end, language), language)
            start, end = _in_quotes(seen, *said)
            if start < end:
                value = None if quoted or end < said[1] else _VALUE_BEHIND.search(seen, start, end)
                end = value.start() if value else end
                whole = (found.start(), end if value else found.end())
                return _put_right(seen, Memo(start, end, whole), language)
    return _behind_its_word(seen, language)


def memo_within(said: str, language: Words) -> str:
    """What a memo is to say, without the words around it; empty where nothing is left."""
    start, end = _in_quotes(said, *_trimmed(said, 0, len(said), language))
    return said[start:end].strip(QUOTES)


def wanted(clause: Clause, language: Words) -> JsonObject | None:
    """The task of a turn that wants a memo ("can I add a note?"), and of the next one, which is what it says. None for
    any other turn."""
    said = clause.text.strip()
    if clause.slots and not clause.expecting and language.memo_wanted.fullmatch(said):
        return {"memo": TO_BE_SAID}
    asked = clause.refused.get("memo") == TO_BE_SAID and tuple(clause.expecting) == ("memo",)
    plain = len(said) <= LONGEST and not said.endswith(("?", "？")) and "\n" not in said
    plain &= not any(one.type == "money" for one in clause.entities)
    other = language.memo_word.search(said) or language.memo_given_up.search(said)
    return {"memo": said.strip(QUOTES)} if asked and plain and not other else None


def _behind_its_word(seen: str, language: Words) -> Memo | None:
    """Whatever follows the word for a memo up to the end of the sentence, or up to what was recognised."""
    found = language.memo_word.search(seen)
    if found is None:
        return None
    begin = _behind_a_question(seen, found.end(), language)
    stops = (at for at in range(begin, len(seen)) if seen[at] in "¤§¶" or seen[at] in _ENDS)
    stop = next(stops, len(seen))
    start, end = _in_quotes(seen, *_meant(seen, *_trimmed(seen, begin, stop, language), language))
    if begin == found.end() and seen[stop : stop + 1] in ("?", "？") and end == stop:
        return None  # whether it is there, is asked
    said = seen[start:end]
    if (
        not said
        or len(said) > LONGEST
        or language.takes_back.search(said)
        or language.no_memo.search(seen[found.start() :])
    ):
        return None
    asked = max((seen.rfind(mark, 0, found.start()) + 1 for mark in _ENDS), default=0)
    return Memo(start, end, (found.start() if begin == found.end() else asked, stop))


def _put_right(seen: str, memo: Memo, language: Words) -> Memo:
    """What a sentence puts in the place of a memo in quotation marks at once ("“scarf”, no, “gloves”")."""
    closing = _CLOSING.get(seen[memo.start - 1 : memo.start], "") if memo.start else ""
    again = _AGAIN.match(seen, memo.end + 1) if closing and seen[memo.end : memo.end + 1] == closing else None
    if again is None or not language.instead.search(again["between"]):
        return memo
    return Memo(*again.span("memo"), (memo.whole[0], max(memo.whole[1], again.end())))


def _behind_a_question(seen: str, start: int, language: Words) -> int:
    """Where a memo begins behind a question whether there may be one ("could you add a memo? birthday cake")."""
    end = next((at for at in range(start, len(seen)) if seen[at] in _ENDS), len(seen)) + 1
    if seen[end - 1 : end] not in ("?", "？") or not language.memo_offered.search(seen[:end]):
        return start
    rest = seen[end:]
    words = re.findall(r"[^\W_]+", rest)
    orders = all(map(language.means_nothing, words)) and (not words or language.memo_behind.search(rest))
    return start if orders or any(mark in rest for mark in "¤§¶?？") else end


def _meant(seen: str, start: int, end: int, language: Words) -> tuple[int, int]:
    """What the memo is to say instead of another one."""
    said = language.memo_instead.search(seen, start, end)
    return (said.end(), end) if said else (start, end)


def _in_quotes(seen: str, start: int, end: int) -> tuple[int, int]:
    """What stands in quotation marks, where a memo begins with one: what is said behind them is no part of it."""
    closing = _CLOSING.get(seen[start : start + 1], "")
    places = (at for at in range(start + 2, len(seen)) if closing and seen[at] == closing)
    at = next((at for at in places if not (seen[at + 1 : at + 2].isascii() and seen[at + 1 : at + 2].isalpha())), 0)
    return (start + 1, at) if at else (start, end)


def _trimmed(seen: str, start: int, end: int, language: Words) -> tuple[int, int]:
    """Without the words before and behind a memo that are no part of it ("saying …", "… please")."""
    before = -1, -1
    while before != (start, end):
        before = start, end
        while start < end and seen[start] in _BEFORE:
            start += 1
        while start < end and seen[end - 1] in _AROUND:
            end -= 1
        if led := language.memo_lead.match(seen, start, end):
            start = min(end, led.end())
        tails = (at for at in range(start + 1, end) if language.memo_tail.fullmatch(seen, at, end))
        end = next(tails, end)
    return start, end
