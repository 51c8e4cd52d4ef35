"""A typed sentence and the questions that are open: which one it answers, and which ones it leaves behind."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from contracts.artifacts import Attachment
from contracts.cognitive import Entity
from contracts.decisions import DecisionKind
from contracts.planning import TAKES_WORDS
from contracts.shape import JsonObject, JsonValue
from services.gateway.domain.session import AskedDecision, Session

SEEN_AFTER = timedelta(seconds=1)
"""Nobody has read a question sooner: what comes before was typed ahead, and approves nothing."""
MOST_WORDS = 4
"""Words of yes or no, one behind another, of which a turn may be made."""
A_NAME = 24
"""Characters of a few words that may be what a thing is called, or where it is: whoever says more begins anew."""


def _no_quantities(text: str, now: datetime) -> Sequence[Entity]:
    """Where nobody reads days and times, no sentence is one."""
    del text, now
    return ()


class Words(NamedTuple):
    """Words that say yes or no to a plan, what may stand behind a name, and what changes nothing `beside` a yes or a
    no; `sorry` beside a no only, and `alone` are yeses that stand beside nothing. All as `turn` leaves them. `changes`:
    what a wish about a plan has in it; `own`: what a request of its own has. `approval` and `refusal` are those words
    of yes and no that are said of nothing but what waits for an approval; `around`: what stands around a day or a time
    that was asked for, and `quantities` reads them; `hands`: what is said with a file that was asked for."""

    yes: frozenset[str]
    no: frozenset[str]
    behind: frozenset[str]
    beside: frozenset[str]
    sorry: frozenset[str]
    alone: frozenset[str]
    changes: re.Pattern[str]
    own: re.Pattern[str]
    approval: frozenset[str]
    refusal: frozenset[str]
    around: frozenset[str] = frozenset()
    quantities: Callable[[str, datetime], Sequence[Entity]] = _no_quantities
    hands: frozenset[str] = frozenset()


class Turn(NamedTuple):
    """A turn as it is compared: `plain`, and after how many of its characters a word may end. `text` is what was said;
    all is empty for one that is too long to be an answer."""

    plain: str
    ends: frozenset[int] = frozenset()
    text: str = ""


class Answering(NamedTuple):
    """The open question that a sentence answers, and the answer."""

    asked: AskedDecision
    answer: JsonObject


def answering(session: Session, said: Turn, words: Words, now: datetime) -> Answering | None:
    """The question that was put last, if the sentence as a whole is one of its answers. One that was put before the
    person was told other things is not it, and neither is one of several plans that were shown in one go. The only
    plan that waits is meant by a word that is said of nothing else, whatever was told meanwhile."""
    return (
        _to_the_last(session, said, words, now)
        or _typed_ahead(session, said, words)
        or _to_the_only_plan(session, said, words, now)
    )


def answered_by_files(
    session: Session, said: Turn, words: Words, files: Sequence[Attachment], now: datetime
) -> Answering | None:
    """The question that was put last, if it takes files for an answer and the message that they came with says no more
    than that they are there ("here it is", or their names). What it says beside that is for whoever understands it."""
    asked = _put_last(session, now)
    if asked is None or asked.request.kind is not DecisionKind.CLARIFY or not _takes_files(asked):
        return None
    rest = said.text
    for file in files:
        rest = rest.replace(file.name, " ")
    there = turn(" ".join(rest.split()))
    if not said.text or (there.plain and not is_made_of(there, words.hands | words.yes, words.beside | words.around)):
        return None
    attachments: list[JsonValue] = [file.model_dump(mode="json") for file in files]
    return Answering(asked, {"attachments": attachments})


def _takes_files(asked: AskedDecision) -> bool:
    """Whether files alone are an answer."""
    enough = asked.request.answer_schema.get("anyOf")
    return isinstance(enough, list) and {"required": ["attachments"]} in enough


def _to_the_last(session: Session, said: Turn, words: Words, now: datetime) -> Answering | None:
    asked = _put_last(session, now)
    if asked is None:
        return None
    if asked.request.kind is DecisionKind.PLAN:
        answer = _to_a_plan(asked, said, words)
        return Answering(asked, answer) if answer else None
    if asked.request.kind is DecisionKind.CLARIFY and _fills(asked, said, words, now):
        return Answering(asked, {"text": said.text})
    value = _option(asked, plain(said.text), words)
    calls = [one for one in session.open.values() if one.request.kind is DecisionKind.TOOL]
    if not value and asked in calls and len(calls) == 1:  # of several calls nobody knows which is meant
        value = _yes_or_no(asked, said, words)
    name = _named(asked.request.answer_schema, value) if value else ""
    return Answering(asked, {name: value}) if name else None


def _typed_ahead(session: Session, said: Turn, words: Words) -> Answering | None:
    """A wish about the plan that was put last, however soon: it approves nothing, the plan is shown anew."""
    asked = _last(session)
    if asked is None or asked.request.kind is not DecisionKind.PLAN or not words.changes.search(said.text.casefold()):
        return None
    answer = _to_a_plan(asked, said, words)
    return Answering(asked, answer) if answer and answer.get("reason") else None


def _to_the_only_plan(session: Session, said: Turn, words: Words, now: datetime) -> Answering | None:
    """A question of another kind, or one of a dialogue that was put later, may take the word itself."""
    waiting = [one for one in session.open.values() if one.request.kind in _TAKES_A_YES]
    if len(waiting) != 1 or waiting[0].request.kind is not DecisionKind.PLAN:
        return None
    (asked,) = waiting
    if now - asked.at < SEEN_AFTER or session.asks > asked.version:
        return None
    if is_made_of(said, words.approval, words.beside | words.yes):
        return Answering(asked, {"action": "approve"})
    if is_made_of(said, words.refusal, words.beside | words.sorry):
        return Answering(asked, {"action": "reject"})
    return None


def _fills(asked: AskedDecision, said: Turn, words: Words, now: datetime) -> bool:
    """Whether a sentence is nothing but what a task was said to lack: a day or a time where one was asked for; else a
    few words that neither ask for something of their own nor say yes or no. The run that had asked judges what it is
    worth, and does what was meant by it if that is something else."""
    slot = asked.request.subject.get("slot")
    if not slot or asked.request.options or not said.plain:
        return False
    around = words.around | words.beside | words.yes
    if slot in ("date", "time"):
        rest = _without_moments(said.text, words.quantities(said.text, now), bare=slot == "time")
        return rest is not None and (not rest.plain or is_made_of(rest, around, ()))
    asks = words.own.search(said.text.casefold()) is not None
    return not asks and len(said.text) <= A_NAME and not is_made_of(said, words.no | words.yes, words.sorry | around)


def _without_moments(text: str, read: Sequence[Entity], *, bare: bool) -> Turn | None:
    """What is said beside days and times; None where none is. `bare`: a figure may be the hour."""
    types = _SAYS_WHEN | ({"number"} if bare else set())
    found = [one for one in read if one.type in types]
    rest = text
    for one in sorted(found, key=lambda each: -each.start):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    return turn(rest) if found else None


_SAYS_WHEN = frozenset({"date", "time", "date_range", "recurrence", "span"})
_TAKES_A_YES = frozenset({DecisionKind.PLAN, DecisionKind.TOOL})


def left_behind(session: Session, said: Turn, words: Words, now: datetime) -> list[AskedDecision]:
    """The menus that a newer sentence closes, and the plan that it says no to before it asks for something else. Other
    plans and questions of tools wait on."""
    closed = [one for one in session.open.values() if one.request.kind is DecisionKind.CLARIFY and one.run_id]
    asked = _put_last(session, now)
    if asked is not None and asked.run_id and asked.request.kind is DecisionKind.PLAN:
        rest = turn(_behind_a_no(said, words))
        closed += [asked] if rest.plain and not is_made_of(rest, words.yes, words.beside) else []
    return closed


def _put_last(session: Session, now: datetime) -> AskedDecision | None:
    """The question that was put last and could be read, if nothing was told since; of plans that were shown in one go
    none."""
    asked = _last(session)
    return None if asked is None or now - asked.at < SEEN_AFTER else asked


def _last(session: Session) -> AskedDecision | None:
    """The same, whether or not it could be read by now."""
    asked = next(reversed(session.open.values()), None)
    if asked is None or session.told > asked.version:
        return None
    return None if asked.request.kind is DecisionKind.PLAN and len(_shown_together(session)) > 1 else asked


def plain(text: str) -> str:
    """Lower case, without spaces, commas and the marks behind a sentence. `text` is NFKC."""
    return re.sub(r"[\s,\u3001]", "", text.casefold()).rstrip(".!~\u3002").replace("\u2019", "'")


def turn(text: str) -> Turn:
    """A turn of NFKC. Its words end where a space or a mark stands; those of Japanese anywhere."""
    words = [word for word in re.split(r"[\s,\u3001.!~\u3002]+", text.casefold().replace("\u2019", "'")) if word]
    joined, ends = "".join(words), set[int]()
    for word in words:
        start = max(ends, default=0)
        ends |= {start + at for at in range(1, len(word)) if _UNSPACED.match(word[at - 1]) or _UNSPACED.match(word[at])}
        ends.add(start + len(word))
    return Turn(joined, frozenset(ends), text)


_UNSPACED = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
"""Letters of a script that sets no spaces."""


def _shown_together(session: Session) -> list[AskedDecision]:
    """The open plans that were shown since the person spoke last."""
    plans = [one for one in session.open.values() if one.request.kind is DecisionKind.PLAN]
    return [one for one in plans if one.version > session.said] or plans


def _to_a_plan(asked: AskedDecision, said: Turn, words: Words) -> JsonObject | None:
    """Yes, no, or what is to be otherwise in it: the plan is then shown anew and nothing of it runs. A word of no that
    other words follow says the latter, unless these ask for something of their own."""
    named = _option(asked, plain(said.text), words)
    if named == "approve" or said.plain in words.alone or is_made_of(said, words.yes, words.beside):
        return {"action": "approve"}
    if named == "reject" or _is_no(said, words):
        return {"action": "reject"}
    if not said.text or not asked.request.subject.get(TAKES_WORDS) or words.own.search(said.text.casefold()):
        return None
    rest = _behind_a_no(said, words)
    if rest and not is_made_of(turn(rest), words.yes, words.beside):
        return {"action": "reject", "reason": rest}
    return {"action": "reject", "reason": said.text} if words.changes.search(said.text.casefold()) else None


def _yes_or_no(asked: AskedDecision, said: Turn, words: Words) -> str:
    """The option for a yes or a no to a call that the person has just been asked about, with exactly its arguments."""
    offered = {one.value for one in asked.request.options}
    agrees = said.plain in words.alone or is_made_of(said, words.yes, words.beside)
    value = "approve" if agrees else "reject" if _is_no(said, words) else ""
    return value if value in offered else ""


def _is_no(said: Turn, words: Words) -> bool:
    """Words of no, or some behind words of yes ("ok, cancel it"): to leave it costs nothing."""
    around = words.beside | words.sorry
    return is_made_of(said, words.no, around) or any(
        is_made_of(Turn(said.plain[:end], said.ends), words.yes, words.beside)
        and is_made_of(Turn(said.plain[end:], frozenset(one - end for one in said.ends)), words.no, around)
        for end in said.ends
    )


def is_made_of(said: Turn, meaning: Collection[str], beside: Collection[str]) -> bool:
    """Whether a turn is nothing but words of that meaning, and what changes nothing beside them."""
    reached: dict[int, tuple[int, bool]] = {0: (0, False)}
    for end in sorted(one for one in said.ends if 0 < one <= len(said.plain)):
        for start, (count, sure) in sorted(reached.items()):
            part = said.plain[start:end]
            if start < end and count < MOST_WORDS and (part in meaning or part in beside):
                best = reached.get(end, (MOST_WORDS + 1, False))
                reached[end] = (min(count + 1, best[0]), sure or part in meaning or best[1])
    return reached.get(len(said.plain), (0, False))[1]


def _behind_a_no(said: Turn, words: Words) -> str:
    """What stands behind the word of no with which a turn begins, after a sign or, where the word is none that stands
    before a noun ("no keywords"), a space."""
    for found in re.finditer(r"\s*[,.!\u3001\u3002]\s*|\s+", said.text):
        if plain(said.text[: found.start()]) not in words.no:
            continue
        if found[0].strip() or not said.text[: found.start()].isascii():
            return said.text[found.end() :].strip()
    return ""


def _option(asked: AskedDecision, said: str, words: Words) -> str:
    """An option by its number, its value or its label."""
    options = asked.request.options
    clarifies = asked.request.kind is DecisionKind.CLARIFY
    if clarifies and said.isascii() and said.isdigit() and 1 <= int(said) <= len(options):
        return options[int(said) - 1].value
    exactly = next((one.value for one in options if said in (plain(one.value), plain(one.label))), "")
    if exactly or asked.request.kind is not DecisionKind.ERROR:
        return exactly
    named = [
        one.value
        for one in options
        if any(_is_named(said, plain(name), words.behind) for name in _NAMED.findall(one.label))
    ]
    return named[0] if len(named) == 1 else ""


_NAMED = re.compile(r"[\u2018\u300c\u201c](.+?)[\u2019\u300d\u201d]")
"""What an option is about, in the quotation marks of its label."""


def _is_named(said: str, name: str, behind: frozenset[str]) -> bool:
    """Whether nothing but the name is said, and perhaps a word that belongs behind it."""
    bare = said.removeprefix("the")
    return bare.startswith(name) and bare.removeprefix(name) in {"", *behind}


def _named(schema: Mapping[str, object], value: str) -> str:
    """The property of the answer that takes the option; empty when the schema wants more than that."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return ""
    found = [name for name, one in properties.items() if isinstance(one, dict) and value in (one.get("enum") or ())]
    required = schema.get("required") or []
    return found[0] if len(found) == 1 and isinstance(required, list) and set(required) <= set(found) else ""
