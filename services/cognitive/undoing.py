"""Whether a turn wants something undone that was carried out, and what of it still stands. A flow that `undoes` another
hears such a turn before the open dialogue does: "cancel the booked one" is not about what waits for a word."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

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


class Undoing(NamedTuple):
    """The flow that a turn begins, the tasks that its reader has found, and the language of the turn."""

    flow: Flow
    tasks: tuple[JsonObject, ...]
    language: Language


async def wanted(reader: TurnReader, flows: Iterable[Flow], received: MessageReceived, who: Speaking) -> Undoing | None:
    """What the turn wants undone. None where it wants nothing of the kind, or the flow for that is open already."""
    if received.attachments or len(received.text) > READ or not may_undo(received.text):
        return None
    for flow in flows:
        if flow.spec.undoes is None or (who.flow is not None and who.flow.flow == flow.spec.flow):
            continue
        language = received.language or detect_language(received.text).language
        done = who.executed(flow.spec.undoes)
        last, waits = (done[-1] if done else {}), (who.flow.slots if who.flow else {})
        known = await reader.known(flow, who)
        asked = Clause(received.text, language, who.now, done=last, before=waits, known=known)
        if tasks := slots_of(flow.spec, (await reader.reads.turn(flow, asked)).tasks):
            return Undoing(flow, tuple(tasks), language)
    return None


def that_stands(flow: Flow, flows: Iterable[Flow], who: Speaking) -> list[JsonObject]:
    """What the flow has carried out, oldest first, without what another has undone."""
    done = who.executed(flow.spec.flow)
    for other in flows:
        for gone in who.executed(other.spec.flow) if other.spec.undoes == flow.spec.flow else ():
            found = next((one for one in done if gone.items() <= one.items()), None)
            if found is not None:
                done.remove(found)
    return done


def may_undo(text: str) -> bool:
    """Whether any language has a word in it that takes something back, or says no: the books are not opened for every
    sentence."""
    said = markers.plain(text)
    return any(
        any(word.search(said) for word in (one.undoes, one.drops, one.negates)) for one in markers.markers().values()
    )


def two_requests(received: MessageReceived, language: Language) -> Iterator[tuple[MessageReceived, MessageReceived]]:
    """A turn divided in what may want something undone, and the rest, whichever comes first."""
    for parts in joined_parts(received.text, markers.markers()[language].joins):
        for said, other in (parts, parts[::-1]):
            if may_undo(said):
                yield received.model_copy(update={"text": said}), received.model_copy(update={"text": other})
