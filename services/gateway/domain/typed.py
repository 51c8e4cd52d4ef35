"""A typed sentence and the questions that are open: which one it answers, and which ones it leaves behind."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from contracts.decisions import DecisionKind
from contracts.shape import JsonObject
from services.gateway.domain.session import AskedDecision, Session

SEEN_AFTER = timedelta(seconds=1)
"""Nobody has read a question sooner: what comes before was typed ahead, and approves nothing."""


class Words(NamedTuple):
    """Whole turns that say yes or no to a plan, and what may stand behind a name; as `plain` leaves them."""

    yes: frozenset[str]
    no: frozenset[str]
    behind: frozenset[str]


class Answering(NamedTuple):
    """The open question that a sentence answers, and the answer."""

    asked: AskedDecision
    answer: JsonObject


def answering(session: Session, said: str, words: Words, now: datetime) -> Answering | None:
    """The question that was put last, if the sentence as a whole is one of its answers. `said` is plain. One that was
    put before the person was told other things is not it, and neither is one of several plans."""
    asked = next(reversed(session.open.values()), None)
    if asked is None or session.told > asked.version or now - asked.at < SEEN_AFTER:
        return None
    if asked.request.kind is DecisionKind.PLAN:
        plans = [one for one in session.open.values() if one.request.kind is DecisionKind.PLAN]
        action = "approve" if said in words.yes else "reject" if _is_no(said, words) else _option(asked, said, words)
        return Answering(asked, {"action": action}) if action in ("approve", "reject") and len(plans) == 1 else None
    value = _option(asked, said, words)
    name = _named(asked.request.answer_schema, value) if value else ""
    return Answering(asked, {name: value}) if name else None


def left_behind(session: Session) -> list[AskedDecision]:
    """The menus that a newer sentence closes. Plans and questions of tools wait on."""
    return [one for one in session.open.values() if one.request.kind is DecisionKind.CLARIFY and one.run_id]


def plain(text: str) -> str:
    """Lower case, without spaces, commas and the marks behind a sentence. `text` is NFKC."""
    return re.sub(r"[\s,\u3001]", "", text.casefold()).rstrip(".!~\u3002").replace("\u2019", "'")


def _is_no(said: str, words: Words) -> bool:
    """A word of no, or one behind another ("아니 취소해줘"): to leave it costs nothing."""
    return said in words.no or any(said.startswith(one) and said.removeprefix(one) in words.no for one in words.no)


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
