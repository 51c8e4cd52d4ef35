"""What is read of a text: all of a short one, the beginning and the end of a long one.

Requests stand at the beginning or at the end; what lies between is an article, a table or a log to be worked on.
Readers look at every word in many ways, so the length of what they see is the time that everybody else waits."""

from typing import NamedTuple

from contracts.cognitive import Entity
from understanding.result import Understanding

READ = 2_000
"""Characters of a message: ten times the longest request of the held-out sentences, a tenth of a second of reading."""
ANSWER = 1_000
"""Characters of an answer to a question, of which there are three at most."""
TAIL = 0.25
"""Of what is read, the end's share."""
SEAM = "\n…\n"
"""Stands for what is left out; nothing is read across it."""
EDGE = 200
"""So far from the cut a place is looked for where no word and no number is cut in two."""
_ENDS = "。、！？!?"
_NUMERALS = "0123456789０１２３４５６７８９,.，．"


class Excerpt(NamedTuple):
    """`text` is what is read. The first `head` characters stand where they were, the others `unread` characters later
    (less the seam)."""

    text: str
    unread: int = 0
    head: int = 0

    def whole(self, entity: Entity) -> Entity | None:
        """The entity where it stands in the whole text; None if it stands in the seam."""
        if not self.unread or entity.end <= self.head:
            return entity
        if entity.start < self.head + len(SEAM):
            return None
        moved = self.unread - len(SEAM)
        return entity.model_copy(update={"start": entity.start + moved, "end": entity.end + moved})


def excerpt(text: str, most: int = READ) -> Excerpt:
    """At most `most` characters of the text, cut between words; half a number would be another number."""
    if len(text) <= most:
        return Excerpt(text)
    last = int(most * TAIL)
    head, tail = _beginning(text[: most - last - len(SEAM)]), _end(text[-last:])
    return Excerpt(f"{head}{SEAM}{tail}", len(text) - len(head) - len(tail), len(head))


def _beginning(text: str) -> str:
    for at in range(len(text) - 1, max(len(text) - EDGE, 0), -1):
        if _is_end(text[at]):
            return text[: at + 1]
    return text.rstrip(_NUMERALS)  # letters without any space: no sentence, whatever it is


def _end(text: str) -> str:
    for at in range(min(len(text), EDGE)):
        if _is_end(text[at]):
            return text[at + 1 :]
    return ""  # what begins within a word may mean something else


def _is_end(char: str) -> bool:
    return char.isspace() or char in _ENDS


def of_the_whole(found: Understanding, text: str, read: Excerpt, unread: int) -> Understanding:
    """With the text as it was said, and the entities where they stand in it."""
    whole = f"{text}{found.text.removeprefix(read.text)}"
    entities = tuple(one for entity in found.entities if (one := read.whole(entity)) is not None)
    return found.model_copy(update={"text": whole, "entities": entities, "unread": unread})
