"""A message with what was read in it, on its way through the offline model."""

from dataclasses import dataclass

from contracts.context import Requested
from understanding.offline.excerpt import Excerpt
from understanding.offline.intent import Reading
from understanding.result import Understanding


@dataclass(frozen=True, slots=True)
class Message:
    """The sentence (`first`), with its answers (`text`), what of it asks for something (`said`), what was read or
    chosen in it, and the answers that say what was missing (`fills`)."""

    first: str
    text: str
    said: str
    reading: Reading
    chosen: str | None = None
    rounds: int = 0
    fills: tuple[str, ...] = ()
    last: Requested | None = None


def of_the_whole(found: Understanding, text: str, read: Excerpt, unread: int) -> Understanding:
    """With the text as it was said, and the entities where they stand in it."""
    whole = f"{text}{found.text.removeprefix(read.text)}"
    entities = tuple(one for entity in found.entities if (one := read.whole(entity)) is not None)
    return found.model_copy(update={"text": whole, "entities": entities, "unread": unread})
