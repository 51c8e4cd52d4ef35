"""Whether a turn wants something undone that was carried out, and what of it still stands. A flow that `undoes` another
hears such a turn before the open dialogue does: "cancel the booked one" is not about what waits for a word."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from contracts.cognitive import FlowStage
from contracts.gateway import MessageReceived
from contracts.reading import Clause
from contracts.shape import JsonObject, Language
from services.cognitive import markers
from services.cognitive.domain.beside import joined_parts
from services.cognitive.flows import Flow
from services.cognitive.hearing import slots_of
from services.cognitive.person import Speaking
from services.cognitive.turn_reading import TurnReader
from understanding.port import READ, detect_language

CHANGES = "to_"
"""Begins the name of a slot that is not what is undone, but what is to stand in its place."""


class Undoing(NamedTuple):
    """The flow that a turn begins, the tasks that its reader has found, and the language of the turn."""

    flow: Flow
    tasks: tuple[JsonObject, ...]
    language: Language


async def wanted(
    reader: TurnReader, flows: Collection[Flow], received: MessageReceived, who: Speaking
) -> Undoing | None:
    """What the turn wants undone. None where it wants nothing of the kind, or the flow for that is open already."""
    if received.attachments or len(received.text) > READ or not may_undo(received.text):
        return None
    for flow in flows:
        if flow.spec.undoes is None or (who.flow is not None and who.flow.flow == flow.spec.flow):
            continue
        language = received.language or detect_language(received.text).language
        waits = who.flow.slots if who.flow else {}
        # what is to be otherwise may be anything that was spoken of since
        changes = any(slot.name.startswith(CHANGES) for slot in flow.spec.slots)
        last = _last(flow.spec.undoes, flows, who) if who.just_asked or not changes else {}
        known = await reader.known(flow, who)
        asked = Clause(received.text, language, who.now, done=last, before=waits, known=known)
        if tasks := slots_of(flow.spec, (await reader.reads.turn(flow, asked)).tasks):
            return Undoing(flow, tuple(tasks), language)
    return None


def two_requests(received: MessageReceived) -> Iterator[tuple[MessageReceived, MessageReceived]]:
    """A turn divided in what may want something undone, and the rest, whichever comes first."""
    language = received.language or detect_language(received.text).language
    for parts in joined_parts(received.text, markers.markers()[language].joins):
        for said, other in (parts, parts[::-1]):
            if may_undo(said):
                yield received.model_copy(update={"text": said}), received.model_copy(update={"text": other})


def that_stands(flow: Flow, flows: Iterable[Flow], who: Speaking) -> list[JsonObject]:
    """What the flow has carried out, oldest first, without what another has undone, and as another has changed it."""
    undoing = _those_that_undo(flow.spec.flow, flows)
    stands: list[JsonObject] = []
    for _, state in who.moves:
        if state.stage is FlowStage.EXECUTED and state.flow == flow.spec.flow:
            stands.append(state.slots)
        elif state.stage is FlowStage.EXECUTED and state.flow in undoing:
            _undo(stands, state.slots)
    return stands


def _last(flow: str, flows: Iterable[Flow], who: Speaking) -> JsonObject:
    """What the flow has carried out last, as it stands; empty where that was undone."""
    undoing, last = _those_that_undo(flow, flows), list[JsonObject]()
    for _, state in who.moves:
        if state.stage is FlowStage.EXECUTED and state.flow == flow:
            last = [state.slots]
        elif state.stage is FlowStage.EXECUTED and state.flow in undoing:
            _undo(last, state.slots)
    return last[0] if last else {}


def _those_that_undo(flow: str, flows: Iterable[Flow]) -> set[str]:
    return {other.spec.flow for other in flows if other.spec.undoes == flow}


def _undo(stands: list[JsonObject], said: JsonObject) -> None:
    """Takes away what the slots of an undoing task name, or gives it the values of its slots "to_…"."""
    gone = {name: value for name, value in said.items() if not name.startswith(CHANGES)}
    at = next((place for place, one in enumerate(stands) if gone.items() <= one.items()), None)
    if at is not None:
        new = {name.removeprefix(CHANGES): value for name, value in said.items() if name.startswith(CHANGES)}
        stands[at : at + 1] = [{**stands[at], **new}] if new else []


def with_days_of_what_is_booked(flow: Flow, flows: Iterable[Flow], who: Speaking) -> list[JsonObject]:
    """What stands; of tasks that took effect at once without their day: what has one waits, or has waited, for it."""
    days = {slot.name for slot in flow.spec.slots if slot.type == "date"}
    booked = {id(task) for task in who.booked(flow.spec.flow)}
    at_once = {id(task) for task in who.executed(flow.spec.flow)} - booked
    return [
        {name: value for name, value in task.items() if name not in days} if id(task) in at_once else task
        for task in that_stands(flow, flows, who)
    ]


def may_undo(text: str) -> bool:
    """Whether any language has a word in it that takes something back, changes it, or says no: the books are not opened
    for every sentence."""
    said, words = markers.plain(text), markers.markers().values()
    return any(word.search(said) for one in words for word in (one.undoes, one.drops, one.negates, one.corrects))
