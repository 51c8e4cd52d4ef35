"""Whether a first message leads to a question: layer 1's own, or that of the flow that it begins."""

from collections.abc import Mapping
from datetime import date
from uuid import UUID

from contracts.cognitive import FlowAct, FlowReading, FlowStage, Route
from contracts.shape import JsonObject
from services.cognitive.domain import turn
from services.cognitive.domain.ambiguity import Ask, QuestionKind, decide
from services.cognitive.domain.moves import FlowState
from services.cognitive.domain.slots import ValidationContext
from services.cognitive.flows import Flow
from services.cognitive.hearing import slots_of
from understanding.port import Understanding

_NOBODY = UUID(int=0)


def asks(found: Understanding, flows: Mapping[str, Flow], today: date) -> bool:
    """The question for a file alone is none: what the sentence means is clear. A flow asks for what is missing and for
    what its validators refuse; a payee that nobody looked up is not refused, as in a turn without facts."""
    verdict = decide(found, ())
    if isinstance(verdict, Ask):
        return verdict.kind is not QuestionKind.FILE
    led = next((one for one in flows.values() if one.intent == found.intent.name), None)
    if found.route is not Route.FLOW or led is None:
        return False
    tasks = slots_of(led.spec, [task.slots for task in found.tasks if task.intent == led.intent])
    return any(_is_asked_about(led, one, found, today) for one in tasks or [{}])


def _is_asked_about(led: Flow, task: JsonObject, found: Understanding, today: date) -> bool:
    """What the flow makes of the task alone, as its first."""
    at = FlowState(led.rules, None, ValidationContext(found.language, {}, today))
    reading = FlowReading(flow=led.spec.flow, act=FlowAct.FILL, turn=0, tasks=(task,), facts={}, today=today)
    return turn.read(at, reading, _NOBODY)[-1].stage is FlowStage.FILLING
