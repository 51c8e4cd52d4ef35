"""documents.conversation: what was said earlier in this conversation."""

from collections.abc import Sequence

from contracts.memory import MemoryItem
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext

MOST = 500
"""Turns that are looked at; a conversation of more is told from its newest ones, which is said."""
LISTED = 20
QUOTED = 160
"""Characters of a turn in a list."""


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Quotes the turns that are meant. What was asked is a turn's first line, what was answered the rest of it."""
    turns = list(enumerate(await context.memories.said_here(MOST), 1))
    which, whose = str(params.get("which", "last")), str(params.get("whose", "asked"))
    number = params.get("number")
    if not turns:
        return _told([], 0, [context.text("conversation.none")])
    if isinstance(number, int):
        if number > len(turns):
            return _told([], len(turns), [context.text("conversation.fewer", count=len(turns), number=number)])
        return _told([turns[number - 1]], len(turns), _quoted(context, turns[number - 1], "nth", whose))
    if which == "count":
        return _told([], len(turns), [context.text("conversation.count", count=len(turns))])
    if which == "all":
        shown = turns[-LISTED:]
        lines = [context.text("conversation.line", number=at, text=_cut(_asked(turn))) for at, turn in shown]
        key = "conversation.all" if len(shown) == len(turns) else "conversation.newest"
        return _told(shown, len(turns), [context.text(key, count=len(turns), shown=len(shown)), *lines])
    at = turns[0] if which == "first" else turns[-1]
    return _told([at], len(turns), _quoted(context, at, "nth" if len(turns) == MOST else which, whose))


def _quoted(context: ToolContext, turn: tuple[int, MemoryItem], which: str, whose: str) -> list[str]:
    number, item = turn
    answered = _answered(item)
    if whose == "answered" and not answered:
        return [context.text("conversation.unanswered", text=_asked(item))]
    at = item.recorded_at.astimezone(context.now.tzinfo)
    told = {"number": number, "hour": at.hour, "minute": f"{at.minute:02}", "text": _asked(item)}
    said = context.text(f"conversation.{which}", **told)
    return [said] if whose == "asked" else [said, context.text("conversation.answered", text=answered)]


def _told(turns: Sequence[tuple[int, MemoryItem]], count: int, summary: Sequence[str]) -> JsonObject:
    said: list[JsonValue] = [
        {"number": at, "at": turn.recorded_at.isoformat(), "asked": _asked(turn), "answered": _answered(turn)}
        for at, turn in turns
    ]
    return {"turns": count, "said": said, "summary": list(summary)}


def _asked(turn: MemoryItem) -> str:
    return turn.text.strip().partition("\n")[0]


def _answered(turn: MemoryItem) -> str:
    return turn.text.strip().partition("\n")[2]


def _cut(text: str) -> str:
    return text if len(text) <= QUOTED else f"{text[:QUOTED].rstrip()}…"
