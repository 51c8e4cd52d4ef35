"""Turns that take tasks of an open flow back, or put one off. Each task that goes is named, and the others stay."""

from contracts.cognitive import FlowAct, FlowAdvanced, FlowReading, FlowStage
from contracts.shape import JsonObject
from services.cognitive.domain.describing import described, joined, listed
from services.cognitive.domain.moves import FlowState, Moves, asked_again, end, load, settle, told_first
from services.cognitive.domain.slots import Filled, fill
from services.cognitive.domain.updating import places_of
from services.cognitive.domain.wording import again

TAKES_BACK = frozenset({FlowAct.CANCEL, FlowAct.DROP, FlowAct.LATER})


def taken_back(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> Moves:
    """What a turn of TAKES_BACK does."""
    if reading.act is FlowAct.CANCEL:
        return _cancel(at, state)
    return (_later(at, state, reading),) if reading.act is FlowAct.LATER else _drop(at, state, reading)


def _cancel(at: FlowState, state: FlowAdvanced) -> Moves:
    if not state.queue:
        return (_ended(at, state),)
    left = at.onward(state, stage=FlowStage.CANCELLED)
    return left, load(at, left, "cancelled_next", at.phrase("flow.cancelled"), last_cancelled=True)


def _ended(at: FlowState, state: FlowAdvanced) -> FlowAdvanced:
    """The end of what is open; what was carried out before is not taken back with it, which is said."""
    ended = end(at, state, FlowStage.CANCELLED, "cancelled")
    if not state.executed:
        return ended
    stands = at.phrase("flow.stands", count=state.executed)
    return ended.model_copy(update={"message": joined(at.rules, ended.language, (ended.message, stands))})


def _drop(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> Moves:
    """The tasks that the person takes back, each of them named; the others stay."""
    tasks = (state.slots, *state.queue)
    if reading.several:
        return (asked_again(at, state, "flow.one_by_one").model_copy(update={"lost": True}),)
    places = _dropped(at, state, reading)
    if not places:
        # of several, whoever named none may have meant all of them
        unclear = bool(state.queue) and not (any(reading.tasks) or reading.which)
        key = "flow.this_or_all" if unclear else "flow.no_such_task"
        return (asked_again(at, state, key).model_copy(update={"lost": state.lost or unclear}),)
    if len(tasks) == 1:
        return _cancel(at, state)
    told = (at.phrase("flow.dropped", tasks=listed(at.rules, (tasks[place] for place in sorted(places)), at.on)),)
    kept = tuple(task for place, task in enumerate(tasks) if place and place not in places)
    if len(places) == len(tasks):
        return (told_first(at, _ended(at, state.model_copy(update={"queue": ()})), told),)
    total = state.task_total - (len(state.queue) - len(kept))
    if 0 in places:
        left = at.onward(state, stage=FlowStage.CANCELLED, queue=kept, task_total=total)
        return left, told_first(at, load(at, left, again(left), last_cancelled=True), told)
    base = at.onward(state, queue=kept, task_total=total)
    return (told_first(at, settle(at, base, Filled(state.slots, state.slot_errors, state.refused), again(base)), told),)


def _later(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> FlowAdvanced:
    """The task that is shown goes behind the others, with all that it has; or behind the one that is named."""
    if not state.queue:
        return asked_again(at, state, "flow.only_one")
    # what was refused of it is asked about again when its turn comes, unless it has that slot
    put_off: JsonObject = {**state.refused, **state.slots}
    before = next((place - 1 for place in _named(at, state, reading) if place), 0) if reading.which else 0
    first, rest = state.queue[before], [task for place, task in enumerate(state.queue) if place != before]
    told = [at.phrase("flow.later", tasks=described(at.rules, put_off, at.on))]
    if lost := {name: value for name, value in state.refused.items() if put_off[name] != value}:
        told.append(at.phrase("flow.not_taken", values=described(at.rules, lost, at.on)))
    queue = (put_off, *rest) if reading.which else (*rest, put_off)
    base = at.onward(state, queue=queue, slots={}, fill_turns=0)
    filled = fill(at.rules, {}, first, at.on)
    return told_first(at, settle(at, base, filled, again(base)), told)


def _dropped(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> frozenset[int]:
    """Places of tasks, the current one being 0; none when it is not clear which are meant."""
    named = _named(at, state, reading)
    if reading.only and named:
        return frozenset(range(1 + len(state.queue))) - named
    return named


def _named(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> frozenset[int]:
    tasks = (state.slots, *state.queue)
    if reading.places:
        places = frozenset(number - state.task_index for number in reading.places)
        return places if places <= frozenset(range(len(tasks))) else frozenset()
    match reading.which:
        case "":
            found = [places_of(at.rules, tasks, said, at.on) for said in reading.tasks if said]
            return frozenset(one[0] for one in found) if all(len(one) == 1 for one in found) else frozenset()
        case "all":
            return frozenset(range(len(tasks)))
        case "rest":  # of what was asked for, when something is done already; else what is behind the one that is shown
            return frozenset(range(0 if state.executed else 1, len(tasks)))
        case "last":
            return frozenset({len(tasks) - 1})
        case number:
            return frozenset({int(number) - state.task_index}) & frozenset(range(len(tasks)))
