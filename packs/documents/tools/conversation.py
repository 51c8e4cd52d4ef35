"""documents.conversation: what was said earlier in this conversation."""

from collections.abc import Sequence

from contracts.memory import MemoryItem
from contracts.shape import JsonObject, JsonValue
from contracts.tools import ToolContext
from packs.documents.conversation import tells_of_removing

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
        return _nth(context, turns, number, whose)
    if params.get("deed"):
        return _removing(context, turns)
    if which == "count":
        return _told([], len(turns), [context.text("conversation.count", count=len(turns))])
    if which == "all":
        return _all(context, turns, done=whose == "answered")
    at = turns[0] if which == "first" else turns[-1]
    return _told([at], len(turns), _quoted(context, at, "nth" if len(turns) == MOST else which, whose))


def _nth(context: ToolContext, turns: Sequence[tuple[int, MemoryItem]], number: int, whose: str) -> JsonObject:
    if number > len(turns):
        return _told([], len(turns), [context.text("conversation.fewer", count=len(turns), number=number)])
    return _told([turns[number - 1]], len(turns), _quoted(context, turns[number - 1], "nth", whose))


def _removing(context: ToolContext, turns: Sequence[tuple[int, MemoryItem]]) -> JsonObject:
    """The last turn in which something was taken out."""
    gone = [turn for turn in turns if tells_of_removing(_answered(turn[1]))]
    if not gone:
        return _told([], len(turns), [context.text("conversation.nothing_gone")])
    return _told([gone[-1]], len(turns), _quoted(context, gone[-1], "nth", "answered"))


def _all(context: ToolContext, turns: Sequence[tuple[int, MemoryItem]], *, done: bool) -> JsonObject:
    """What was asked in each, and with `done` what came of it."""
    shown = turns[-LISTED:]
    key = "conversation.all" if len(shown) == len(turns) else "conversation.newest"
    head = context.text(f"{key}_done" if done else key, count=len(turns), shown=len(shown))
    return _told(shown, len(turns), [head, *(_line(context, at, turn, done=done) for at, turn in shown)])


def _quoted(context: ToolContext, turn: tuple[int, MemoryItem], which: str, whose: str) -> list[str]:
    number, item = turn
    answered = _answered(item)
    if whose == "answered" and not answered:
        return [context.text("conversation.unanswered", text=_asked(item))]
    at = item.recorded_at.astimezone(context.now.tzinfo)
    told = {"number": number, "hour": at.hour, "minute": f"{at.minute:02}", "text": _asked(item)}
    said = context.text(f"conversation.{which}", **told)
    return [said] if whose == "asked" else [said, context.text("conversation.answered", text=answered)]


def _line(context: ToolContext, number: int, item: MemoryItem, *, done: bool) -> str:
    asked, answered = _cut(_asked(item)), _cut(_answered(item).partition("\n")[0])
    if done and answered:
        return context.text("conversation.line_done", number=number, text=asked, answer=answered)
    return context.text("conversation.line", number=number, text=asked)


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
