"""What of a sentence with two requests nobody here can do: the other one is done, and this one is named."""

from collections.abc import Collection, Iterator
from datetime import datetime

from contracts.cognitive import CognitiveInput, CognitiveOutput, Route
from contracts.model import ModelCalled
from services.cognitive import markers
from services.cognitive.clarifier import Question
from services.cognitive.domain.ambiguity import QuestionKind
from services.cognitive.domain.beside import joined_parts
from services.cognitive.graph import CognitiveGraph
from understanding.port import detect_language

SURELY = 0.6
"""How likely a part has to be something that is not offered here."""
CLEARER = 0.2
"""So much more likely the rest has to be than the whole, to be another thing."""
OFFLINE = "offline"
MOST = 4
"""Ways to divide a sentence that are looked at."""
Understood = tuple[CognitiveOutput, Question | None, tuple[ModelCalled, ...]]


async def understood(
    graph: CognitiveGraph,
    given: CognitiveInput,
    now: datetime,
    asked: tuple[QuestionKind, ...],
    declined: Collection[str],
) -> tuple[Understood, str]:
    """The sentence as the graph takes it, without the part that cannot be done, and that part: it means one of the
    `declined` intents. What a model has read is left as it is."""
    whole = await graph.understand(given, now, asked)
    output, _, called = whole
    by_model = any(one.provider != OFFLINE for one in called)
    if by_model or given.answers or output.error is not None or not _is_one_request(output):
        return whole, ""
    for part, rest in _divided(given.text, output.language):
        beyond, _, _ = await graph.understand(_saying(given, part), now, ())
        if not _cannot_be_done(beyond, declined):
            continue
        other, question, _ = await graph.understand(_saying(given, rest), now, asked)
        # what the whole sentence says of it beside, the part may have said
        clearer = other.intent.confidence >= output.intent.confidence + CLEARER
        if _is_one_request(other) and (clearer or _slots(other) == _slots(output)):
            return (other.model_copy(update={"text": output.text}), question, called), part
    return whole, ""


def _divided(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Ways to divide it in two, each part first; one that goes on in Korean in its plain form."""
    language = language if language in markers.markers() else detect_language(text).language
    for number, (first, last) in enumerate(joined_parts(text, markers.markers()[language].joins)):
        if number == MOST:
            return
        yield (
            first.removesuffix("\uace0").removesuffix("\uc8fc") + ("\uc918" if first.endswith("\uc8fc\uace0") else ""),
            last,
        )
        yield last, first


def _saying(given: CognitiveInput, text: str) -> CognitiveInput:
    return given.model_copy(update={"text": text})


def _cannot_be_done(output: CognitiveOutput, declined: Collection[str]) -> bool:
    of_these = any(task.intent in declined for task in output.tasks)
    return of_these and output.intent.confidence >= SURELY


def _is_one_request(output: CognitiveOutput) -> bool:
    return output.route in {Route.PLAN, Route.FLOW} and len({task.intent for task in output.tasks}) == 1


def _slots(output: CognitiveOutput) -> list[tuple[str, frozenset[str]]]:
    return [(task.intent, frozenset(task.slots)) for task in output.tasks]
