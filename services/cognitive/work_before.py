"""Work of a few turns before that a sentence names ("cancel the milk thing"): what it takes back is that, and not what
lies between, nor a task of the dialogue that is open."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from backbone.ledger.port import Ledger
from contracts.cognitive import CognitiveOutput, FlowAct, FlowAdvanced
from contracts.context import Requested
from contracts.envelope import Message
from contracts.shape import JsonValue
from services.cognitive import markers
from services.cognitive.context import LOOK_BACK, last_of

_UNDERSTOOD = frozenset({"CognitiveOutput"})
_TAKES_BACK = frozenset({FlowAct.CANCEL, FlowAct.DROP})
_WORD = re.compile(r"[가-힣]{2,}|[a-z][a-z'’-]{2,}|[一-龯々]{2,}|[ァ-ヶー]{2,}|[0-9a-z]{3,}")
"""Words that may name a thing: of Japanese those that are written in kanji or katakana."""


async def taken_back_beside(
    ledger: Ledger, message: Message, said: CognitiveOutput | None, flow: FlowAdvanced | None, led: Collection[str]
) -> Requested | None:
    """The work that a turn names by a word of it, and no open task has, where the dialogue heard that something is
    taken back. `led`: the intents of dialogues. None: it is the dialogue's own."""
    reading = said.flow if said is not None else None
    if said is None or reading is None or reading.act not in _TAKES_BACK or flow is None or not flow.is_open:
        return None
    own = {word for task in (flow.slots, flow.refused, *flow.queue) for word in _words(task)}
    return await work_named(ledger, message, said.text, led, own)


async def work_named(
    ledger: Ledger, message: Message, text: str, led: Collection[str], own: Collection[str] = ()
) -> Requested | None:
    """The newest work of the last outputs of which a sentence has a word that is none of `own`."""
    spoken = text.casefold()
    for one in await ledger.latest(message.session_id, _UNDERSTOOD, LOOK_BACK, message.version):
        output = one.event
        if one.run_id == message.run_id or not isinstance(output, CognitiveOutput):
            continue
        others = [task for task in output.tasks if task.intent not in led]
        for task in reversed(others):
            work = last_of(output.model_copy(update={"tasks": (task,)}))
            if work is not None and any(_has(spoken, word) for word in set(_words(work.slots)) - {*own}):
                return work
    return None


def _words(slots: Mapping[str, JsonValue]) -> Iterator[str]:
    texts: Sequence[str] = [value for value in slots.values() if isinstance(value, str)]
    for text in texts:
        yield from (word for word in _WORD.findall(text.casefold()) if not _stands_in_any(word))


def _stands_in_any(word: str) -> bool:
    return any(one.no_names.fullmatch(word) for one in markers.markers().values())


def _has(spoken: str, word: str) -> bool:
    edge = r"(?<![a-z0-9가-힣])" if word[0].isascii() or "가" <= word[0] <= "힣" else ""
    after = r"(?![a-z0-9])" if word[-1].isascii() else ""
    return re.search(f"{edge}{re.escape(word)}{after}", spoken) is not None
