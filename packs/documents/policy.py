"""The agents of this pack where there is no model: which calls they make, and answers made of what was found."""

from collections.abc import Sequence
from datetime import datetime

from contracts.agents import REPORT_PROGRESS, LoopMessage, LoopState, NextStep, Say, ToolCall
from contracts.shape import JsonObject, JsonValue
from packs.documents.excerpts import excerpts, headline, points, share
from packs.documents.shelf import DOCUMENT, matching, mentioned
from packs.documents.telling import compared, quoted, told
from packs.documents.wishes import is_translation, wanted_points

SEARCH, READ, LOOK_UP = "documents.search_conversations", "documents.read_document", "documents.look_up"
READ_AT_ONCE, PIECES = 3, 5
"""Documents that are read when no name says which; pieces of one that are read in all."""
SENTENCES, QUOTE = 4, 160
FITS = 0.5
"""Share of the question that a past turn has to hold to be worth telling, where it was not found both ways."""
ONE_WAY = 0.0165
"""A turn that was found by its letters alone, or by its meaning alone, scores less (contracts.memory.Found)."""


def find(state: LoopState, say: Say) -> NextStep:
    """Search conversations, read the documents that fit best, answer with what they say (source design 003)."""
    query = str(state.params.get("query") or state.request)
    if not state.messages:
        return _calls((REPORT_PROGRESS, {}), (SEARCH, {"query": query}))
    names = _best(_names(state), query, [str(one["text"]) for one in _found(state)])
    if names and not _called(state, READ):
        wanted: list[tuple[str, JsonObject]] = [(READ, {"document": name}) for name in names]
        return _calls((REPORT_PROGRESS, {}), *wanted)
    return NextStep(text=_told(state, query, say))


def read(state: LoopState, say: Say) -> NextStep:
    """Look up what is asked; compare; or read on to the end and sum up."""
    question = str(state.params.get("question") or "")
    document = str(state.params.get("document") or "")
    names = _names(state)
    if not names:
        return NextStep(text=say("read.none"))
    about = _meant(document, question or state.request, names)
    if is_translation(state.request):
        return NextStep(text=say("read.no_translation", name=(about or names)[-1]))
    compare = bool(state.params.get("compare"))
    if compare and len(about or names) == 1:  # things in it are compared
        compare, question = False, question or state.request
    if compare and not question:
        return _compared(state, about or names, say)
    if question:
        return _looked_up(state, question, about, say, each=compare)
    return _summed_up(state, document, about, say)


def _meant(document: str, said: str, names: Sequence[str]) -> list[str]:
    """Files that are named; a word for one ("the contract") names none."""
    found = list(matching(names, document, str)) if document else []
    return found or mentioned(said, names)


def _looked_up(state: LoopState, question: str, about: Sequence[str], say: Say, *, each: bool) -> NextStep:
    if not state.messages:
        wanted: JsonObject = {"question": question} | ({"documents": list(about)} if about else {})
        return _calls((REPORT_PROGRESS, {}), (LOOK_UP, wanted | ({"each": True} if each else {})))
    return NextStep(text=told(_results(state, LOOK_UP), _failures(state, LOOK_UP), say))


def _compared(state: LoopState, names: Sequence[str], say: Say) -> NextStep:
    if not state.messages:
        wanted: list[tuple[str, JsonObject]] = [(READ, {"document": name}) for name in names[-READ_AT_ONCE:]]
        return _calls((REPORT_PROGRESS, {}), *wanted)
    texts = {str(one["document"]): _pages([one]) for one in _results(state, READ)}
    return NextStep(text="\n".join([*compared(texts, say), *_failures(state, READ)]) or say("read.none"))


def _summed_up(state: LoopState, document: str, about: Sequence[str], say: Say) -> NextStep:
    if not state.messages:
        name = about[-1] if about else document
        wanted: JsonObject = {"document": name} if name else {}
        return _calls((REPORT_PROGRESS, {}), (READ, wanted))
    results = _results(state, READ)
    on = results[-1].get("next_offset") if results else None
    if isinstance(on, int) and len(results) < PIECES:
        return _calls((READ, {"document": results[-1]["document"], "offset": on}))
    return NextStep(text=_read_out(state, results, say))


def _calls(*calls: tuple[str, JsonObject]) -> NextStep:
    numbered = enumerate(calls, start=1)
    return NextStep(
        calls=tuple(ToolCall(call_id=f"c{number}", tool=tool, arguments=given) for number, (tool, given) in numbered)
    )


def _names(state: LoopState) -> list[str]:
    return list(dict.fromkeys(one.name for one in state.attachments if one.type == DOCUMENT))


def _called(state: LoopState, tool: str) -> dict[str, ToolCall]:
    """Its calls so far, by their ids."""
    return {call.call_id: call for message in state.messages for call in message.calls if call.tool == tool}


def _answers(state: LoopState, tool: str) -> list[LoopMessage]:
    calls = _called(state, tool)
    return [message for message in state.messages if message.call_id in calls]


def _results(state: LoopState, tool: str) -> list[JsonObject]:
    good = (one.result for one in _answers(state, tool) if not one.failed)
    return [result for result in good if isinstance(result, dict)]


def _found(state: LoopState) -> list[JsonObject]:
    """Turns of past conversations, best first."""
    return [one for result in _results(state, SEARCH) for one in _objects(result.get("found"))]


def _objects(value: JsonValue) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _best(names: Sequence[str], query: str, turns: Sequence[str]) -> list[str]:
    """The document whose name fits what is looked for, or what was said about it; without any, the newest few."""
    scored = [
        (share(query, name) + 0.5 * max((share(name, turn) for turn in turns), default=0.0), name) for name in names
    ]
    best = max((score for score, _ in scored), default=0.0)
    if best > 0:
        return [name for score, name in scored if score == best][-READ_AT_ONCE:]
    return list(names)[-READ_AT_ONCE:]


def _told(state: LoopState, query: str, say: Say) -> str:
    lines: list[str] = []
    for result in _results(state, READ):
        fitting = excerpts(_pages([result]), query, SENTENCES)
        if any(one.score > 0 for one in fitting) or share(query, str(result["document"])) >= FITS:
            lines.append(say("find.in_document", name=result["document"]))
            lines += [quoted(one.text, one.page, say) for one in fitting if one.score > 0]
    lines += [one.text for one in _answers(state, READ) if one.failed and one.text]
    turns = [one for one in _found(state) if _fits(query, one)]
    lines += [say("find.said", day=_day(str(one["said_at"]), say), text=_turn(str(one["text"]))) for one in turns[:3]]
    return "\n".join(lines) or say("find.nothing", query=query)


def _fits(query: str, turn: JsonObject) -> bool:
    return float(str(turn.get("score", 0))) > ONE_WAY or share(query, str(turn["text"])) >= FITS


def _turn(text: str) -> str:
    """What was said and what was answered, in one line."""
    said, _, answered = text.partition("\n")
    return _cut(f"{said} → {answered}" if answered else said)


def _read_out(state: LoopState, results: Sequence[JsonObject], say: Say) -> str:
    if not results:
        return "\n".join(_failures(state, READ)) or say("read.none")
    title = headline(_pages(results[:1]))
    lines = [say("read.summary", name=results[0]["document"])]
    lines += [say("read.about", title=title)] if title else []
    lines += [quoted(one.text, one.page, say) for one in points(_pages(results), wanted_points(state.request))]
    rest = results[-1].get("next_offset")
    if isinstance(rest, int):
        lines.append(say("read.partly", characters=f"{rest:,}", length=f"{results[-1]['length']:,}"))
    return "\n".join(lines)


def _failures(state: LoopState, tool: str) -> list[str]:
    return [one.text for one in _answers(state, tool) if one.failed and one.text]


def _pages(results: Sequence[JsonObject]) -> list[tuple[int | None, str]]:
    pieces = [piece for result in results for piece in _objects(result.get("pieces"))]
    return [(page if isinstance(page := one.get("page"), int) else None, str(one["text"])) for one in pieces]


def _day(moment: str, say: Say) -> str:
    at = datetime.fromisoformat(moment)
    return say("day", year=at.year, month=at.month, day=at.day)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= QUOTE else f"{flat[:QUOTE]}…"
