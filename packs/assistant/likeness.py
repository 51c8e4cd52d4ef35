"""What is there by other words than the person uses: "the barber" may be "haircut", and who asks what a child must not
eat may mean a note about an allergy. Found by what both mean, where one is clearly ahead; else it is asked."""

from collections.abc import Sequence
from contextlib import suppress

from contracts.memory import MemoryItem, MemoryKind
from contracts.tools import ToolContext, ToolError
from packs.assistant.finding import NEAR, N, plain, telling

MEANT, ASKED, AHEAD = 0.38, 0.33, 0.08
"""Cosine from which a title is meant, or may be; and by how much it is ahead of the next one, to be meant alone."""
OF_A_NOTE, NOTE_AHEAD, NOTE_ASKED = 0.15, 0.06, 0.3
"""The same of a note, which is a whole sentence: less alike, and it is only told, as what comes nearest."""
LOOKED_AT = 47
"""Things that are compared: with the words asked for, three questions to whoever has the encoder."""


async def by_meaning(found: Sequence[N], asked: str, context: ToolContext) -> list[N]:
    """Those whose title may mean the words asked for, the likeliest first: one alone that surely does; none where no
    title is like them, or nobody can say."""
    first = list({plain(one.title): one for one in reversed(found)}.values())[::-1][:LOOKED_AT]
    scored = await _scored(" ".join(telling(asked, spaced=True)), [one.title for one in first], context)
    if not scored or scored[0][0] < ASKED:
        return []
    near = [first[at] for score, at in scored if score >= max(ASKED, scored[0][0] - AHEAD)][:NEAR]
    return near if scored[0][0] >= MEANT or len(near) > 1 else []


def means_one(like: Sequence[N]) -> bool:
    """Whether what was found by meaning is one thing alone."""
    return len(like) == 1


async def nearest_notes(asked: str, context: ToolContext) -> list[MemoryItem]:
    """The note that comes nearest to a question; several where none is ahead; none where all are far from it."""
    notes = list(await context.memories.newest(LOOKED_AT, (MemoryKind.NOTE,)))
    scored = await _scored(asked, [one.text for one in notes], context)
    if not scored or scored[0][0] < OF_A_NOTE:
        return []
    near = [notes[at] for score, at in scored if score >= scored[0][0] - NOTE_AHEAD][:NEAR]
    return near if len(near) == 1 or scored[0][0] >= NOTE_ASKED else []


async def _scored(asked: str, texts: Sequence[str], context: ToolContext) -> list[tuple[float, int]]:
    """Each with its place, the likest first."""
    scores: Sequence[float] = ()
    with suppress(ToolError):  # an executor without memories has no meanings either
        scores = await context.memories.alike(asked, texts) if asked and texts else ()
    return sorted(((score, at) for at, score in enumerate(scores)), reverse=True)
