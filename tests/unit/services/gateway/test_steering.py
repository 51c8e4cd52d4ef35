"""Whether a run may be controlled, or its plan edited, now."""

from collections.abc import Callable
from uuid import UUID

import pytest

from contracts.errors import Code
from contracts.gateway import PlanEdited, RunControl, RunControlRequested
from contracts.response import RunCompleted
from contracts.shape import Event, JsonObject
from services.gateway.domain.refusal import Refused, Repeated
from services.gateway.domain.steering import Steered, Steering, evolve, judge_control, judge_edit
from tests.unit.services.gateway.facts import OTHER_RUN, RUN, SAID, message, stream
from tests.unit.services.plans import planned, todo

NEW = UUID(int=99)
PAUSE, RESUME, INTERRUPT, CANCEL = (RunControlRequested(control=one) for one in RunControl)
PLANNED = planned(todo("a"))
PATCH: list[JsonObject] = [{"op": "remove", "path": "/0"}]
EDITED = PlanEdited(plan_id=PLANNED.plan.plan_id, plan_version=1, patch=tuple(PATCH))


def given(*events: Event) -> Steering:
    steering = Steering()
    for one in stream(*events):
        evolve(steering, one)
    return steering


def id_at(version: int) -> UUID:
    return message(SAID, version).event_id


def control(steering: Steering, wanted: RunControlRequested, control_id: UUID = NEW) -> Steered | Repeated:
    return judge_control(steering, RUN, wanted, control_id, handled=False)


def refusal(judge: Callable[[], object]) -> Code:
    with pytest.raises(Refused) as refused:
        judge()
    return refused.value.code


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        ([SAID], PAUSE),
        ([SAID], INTERRUPT),
        ([SAID], CANCEL),
        ([SAID, PAUSE], RESUME),
        ([SAID, PAUSE], INTERRUPT),
        ([SAID, PAUSE], CANCEL),
        ([SAID, INTERRUPT], RESUME),
        ([SAID, PAUSE, RESUME], PAUSE),
        ([SAID, PAUSE, RESUME], CANCEL),
    ],
)
def test_what_changes_how_a_run_is_held_is_recorded(history: list[Event], wanted: RunControlRequested) -> None:
    assert isinstance(control(given(*history), wanted), Steered)


@pytest.mark.parametrize(
    ("history", "wanted", "version"),
    [
        ([SAID, PAUSE], PAUSE, 2),
        ([SAID, PAUSE, INTERRUPT], PAUSE, 3),
        ([SAID, PAUSE, INTERRUPT], INTERRUPT, 3),
        ([SAID, CANCEL], CANCEL, 2),
    ],
)
def test_what_has_its_effect_already_is_the_earlier_one(
    history: list[Event], wanted: RunControlRequested, version: int
) -> None:
    assert control(given(*history), wanted) == Repeated(version)


@pytest.mark.parametrize(
    ("history", "wanted", "code"),
    [
        ([SAID], RESUME, Code.RUN_NOT_PAUSED),
        ([SAID, PAUSE, RESUME], RESUME, Code.RUN_NOT_PAUSED),
        ([SAID, RunCompleted()], PAUSE, Code.RUN_ALREADY_ENDED),
        ([SAID, RunCompleted()], CANCEL, Code.RUN_ALREADY_ENDED),
        ([SAID, CANCEL], PAUSE, Code.RUN_ALREADY_ENDED),
        ([SAID, PAUSE, CANCEL], RESUME, Code.RUN_ALREADY_ENDED),
        ([], PAUSE, Code.RUN_UNKNOWN),
    ],
)
def test_what_makes_no_sense_is_refused(history: list[Event], wanted: RunControlRequested, code: Code) -> None:
    assert refusal(lambda: control(given(*history), wanted)) is code


def test_another_run_of_the_session_is_held_by_its_own_controls() -> None:
    steering = given(SAID, PAUSE)
    evolve(steering, message(SAID, 3, run=OTHER_RUN))
    assert isinstance(judge_control(steering, OTHER_RUN, PAUSE, NEW, handled=False), Steered)


def test_a_key_stands_for_one_control_also_when_nothing_was_recorded_for_it() -> None:
    paused = given(SAID, PAUSE, RESUME)
    assert control(paused, PAUSE, id_at(2)) == Repeated(2)
    assert refusal(lambda: control(paused, CANCEL, id_at(2))) is Code.IDEMPOTENCY_KEY_REUSED
    assert judge_control(paused, RUN, PAUSE, NEW, handled=True) == Repeated(3)


def test_the_repetition_of_a_control_is_answered_after_the_run_has_ended_too() -> None:
    assert control(given(SAID, CANCEL, RunCompleted()), CANCEL, id_at(2)) == Repeated(2)


@pytest.mark.parametrize("hold", [PAUSE, INTERRUPT])
def test_the_plan_of_a_held_run_may_be_edited(hold: RunControlRequested) -> None:
    judged = judge_edit(given(SAID, PLANNED, hold), RUN, 1, PATCH, NEW)
    assert isinstance(judged, tuple)
    assert judged[1] == EDITED


@pytest.mark.parametrize(
    ("history", "code"),
    [
        ([SAID, PAUSE], Code.PLAN_EDIT_INVALID),
        ([SAID, PLANNED], Code.RUN_NOT_PAUSED),
        ([SAID, PLANNED, PAUSE, RESUME], Code.RUN_NOT_PAUSED),
        ([SAID, PLANNED, PAUSE, CANCEL], Code.RUN_NOT_PAUSED),
        ([SAID, PLANNED, PAUSE, RunCompleted()], Code.RUN_ALREADY_ENDED),
        ([], Code.RUN_UNKNOWN),
    ],
)
def test_any_other_may_not(history: list[Event], code: Code) -> None:
    assert refusal(lambda: judge_edit(given(*history), RUN, 1, PATCH, NEW)) is code


def test_the_same_edit_under_the_same_key_is_the_same_edit_and_another_is_refused() -> None:
    steering = given(SAID, PLANNED, PAUSE, EDITED)
    assert judge_edit(steering, RUN, 1, PATCH, id_at(4)) == Repeated(4)
    assert refusal(lambda: judge_edit(steering, RUN, 2, PATCH, id_at(4))) is Code.IDEMPOTENCY_KEY_REUSED
