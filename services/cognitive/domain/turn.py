"""What a turn of the person makes of where a flow stands. Only what was shown can be confirmed, by a turn that does
nothing else; a turn that has changed nothing says so before the question is put again."""

from collections.abc import Sequence
from uuid import UUID

from contracts.cognitive import FlowAct, FlowAdvanced, FlowApproval, FlowReading, FlowStage
from contracts.shape import JsonObject
from services.cognitive.domain.describing import described, listed
from services.cognitive.domain.dropping import TAKES_BACK, taken_back
from services.cognitive.domain.moves import FlowState, Moves, asked_again, end, notice, settle, told_first
from services.cognitive.domain.slots import Filled, fill
from services.cognitive.domain.updating import MOST_WAITING, Update, places_of, queued, update
from services.cognitive.domain.wording import again, buttons, shows_all

_UNCLEAR = ("flow.not_understood", "flow.not_understood_again", "flow.ways_out")


def read(at: FlowState, reading: FlowReading, cause: UUID) -> Moves:
    """What a turn of the person does. An answer to another question than the open one changes nothing."""
    state = at.last
    if state is not None and state.stage is FlowStage.CONFIRMED:
        lost = (at.phrase("flow.not_taken_busy"),) if any(reading.tasks) else ()
        return (told_first(at, notice(at, state, "busy"), lost),)
    if state is None or not state.is_open:
        gone = (
            (at.phrase("flow.dropped", tasks=listed(at.rules, state.untold, at.on)),) if state and state.untold else ()
        )
        # whole tasks that were said to a flow that has ended meanwhile are whole all the same
        if reading.act is FlowAct.FILL and (not reading.turn or _are_whole(at, reading.tasks)):
            begun = _begin(at, reading.tasks).model_copy(update={"beside": reading.beside[:MOST_WAITING]})
            return (told_first(at, begun, gone),)
        return (told_first(at, notice(at, state, "nothing"), gone),)
    if reading.act is FlowAct.FILL:
        later = tuple(dict.fromkeys((*state.beside, *reading.beside)))[:MOST_WAITING]
        return (_fill(at, state, reading).model_copy(update={"beside": later}),)
    return _word(at, state, reading, cause)


def _word(at: FlowState, state: FlowAdvanced, reading: FlowReading, cause: UUID) -> Moves:
    """Words that confirm, cancel or take back, said while a question is open."""
    if reading.turn != state.turn:
        return (asked_again(at, state, "flow.not_now"),)
    if reading.act in TAKES_BACK:
        return _and_changed(at, state, reading, taken_back(at, state, reading))
    if reading.act is FlowAct.CONFIRM and state.stage is FlowStage.READY:
        if state.lost:  # whoever has not seen that their change was not understood would pay otherwise than meant
            return (asked_again(at, state, "flow.as_it_stands").model_copy(update={"lost": False, "unclear": 0}),)
        return (_confirm(at, state, cause, every=reading.every and bool(state.queue)),)
    if reading.act is FlowAct.CONFIRM and not at.rules.missing(state.slots):
        # a value was refused and the person goes on without it: what is left is shown first
        return (settle(at, at.onward(state), Filled(state.slots, {}), again(state)),)
    return (_update(at, state, reading.model_copy(update={"tasks": ()})),)


def _and_changed(at: FlowState, state: FlowAdvanced, reading: FlowReading, moved: Moves) -> Moves:
    """What a turn says of the tasks that it leaves, where it has taken others back by name."""
    *before, last = moved
    if not (reading.tasks and (reading.which or reading.places)) or last.turn == state.turn:
        return moved
    if not last.is_open:  # nothing of it is left: what else is said is an order by itself, if it says all of one
        begun = (told_first(at, _begin(at, reading.tasks), (last.message,)),) if _are_whole(at, reading.tasks) else ()
        return (*moved, *begun)
    gone = [task for task in (state.slots, *state.queue) if task not in (last.slots, *last.queue)]
    rest = reading.model_copy(update={"which": "", "places": (), "turn": last.turn})
    told = at.phrase("flow.dropped", tasks=listed(at.rules, gone, at.on))
    return (*before, told_first(at, _update(at, last, rest), (told,)))


def _are_whole(at: FlowState, tasks: Sequence[JsonObject]) -> bool:
    return bool(tasks) and not any(at.rules.missing(task) for task in tasks)


def _begin(at: FlowState, tasks: Sequence[JsonObject]) -> FlowAdvanced:
    first, *said = _unclear_first(at, tasks) or ({},)
    rest = said[:MOST_WAITING]
    base = at.fresh(queue=tuple(rest), task_total=1 + len(rest))
    filled = fill(at.rules, {}, first, at.on)
    begun = settle(at, base, filled, _first(at, base) if rest else _whole(at, filled))
    return told_first(at, begun, _without(at, len(said) - len(rest)))


def _unclear_first(at: FlowState, tasks: Sequence[JsonObject]) -> Sequence[JsonObject]:
    """The tasks as validators keep them. Whom one is for is asked before any is shown: then all are shown together."""

    def is_unclear(task: JsonObject) -> bool:
        return any(name in at.rules.keys for name in fill(at.rules, {}, task, at.on).errors)

    kept: list[JsonObject] = [{**task, **fill(at.rules, {}, task, at.on).slots} for task in tasks]
    return sorted(kept, key=is_unclear, reverse=True) if len(kept) > 1 else kept


def _without(at: FlowState, left_out: int) -> tuple[str, ...]:
    """That some tasks were not taken."""
    return (at.phrase("flow.queue_full", most=MOST_WAITING, count=left_out),) if left_out else ()


def _whole(at: FlowState, filled: Filled) -> str:
    """How a single task is put: what may be added is offered only to who has added nothing."""
    more = any(slot.name in filled.slots for slot in at.rules.spec.slots if not slot.required)
    return "ready_again" if more else "ready"


def _first(at: FlowState, base: FlowAdvanced) -> str:
    """How several tasks are announced: by their number when nothing has to be asked about them."""
    return again(base) if any(at.rules.missing(task) for task in base.queue) else "ready_first"


def _fill(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> FlowAdvanced:
    if reading.turn == state.turn:
        if _is_unclear_which(at, state, reading):
            return _instead_or_too(at, state, reading.tasks[0])
        if another := _asked_of_another(at, state, reading):
            return _instead_or_too(at, state, another)
        return _update(at, *_as_answered(at, state, reading))
    if not reading.turn and _are_whole(at, reading.tasks):
        return _moved(at, state, queued(at.rules, state, reading, at.on))
    return asked_again(at, state, "flow.not_now")


def _update(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> FlowAdvanced:
    made = update(at.rules, state, reading, at.on)
    if not (made.changed or made.refused):
        names_one = any(reading.tasks) and all(set(task) <= set(at.rules.keys) for task in reading.tasks)
        if not (any(reading.tasks) or reading.erases) or (names_one and reading.lost):
            return _not_understood(at, state, made, lost=state.lost or reading.lost)
        made.told.append(at.phrase("flow.unchanged"))
        if _are_whole(at, reading.tasks):  # whoever has said all of it anew has seen what it is
            state = state.model_copy(update={"lost": False})
    elif made.slots == state.slots and made.errors == state.slot_errors and made.queue == list(state.queue):
        made.told = made.told or [at.phrase("flow.unchanged")]  # one value of it has undone the other
    # whoever has taken back what is shown, for something that cannot be, has not agreed to it by the next yes
    open_ = (state.slots, *state.queue)
    denied = bool(reading.denied) and bool(places_of(at.rules, open_, reading.denied, at.on))
    taken_back = denied and made.refused and not made.changed
    moved = _moved(at, state, made)
    return moved.model_copy(update={"lost": True}) if taken_back else moved


def _not_understood(at: FlowState, state: FlowAdvanced, made: Update, *, lost: bool) -> FlowAdvanced:
    """The question again: the second time in a row in other words, from the third on with the ways out. `lost`: what
    was not understood seems to have been a change."""
    times = min(state.unclear, len(_UNCLEAR) - 1)
    confirm, cancel = buttons(at.rules, at.on.language)
    made.told.append(at.phrase(_UNCLEAR[times], confirm=confirm, cancel=cancel))
    return _moved(at, state, made).model_copy(update={"unclear": state.unclear + 1, "lost": lost})


def _instead_or_too(at: FlowState, state: FlowAdvanced, said: JsonObject) -> FlowAdvanced:
    """The question between the two. A yes is no answer to it: what is open is shown first."""
    why = at.phrase("flow.instead_or_too", value=described(at.rules, said, at.on))
    return settle(at, at.onward(state), Filled(state.slots, dict.fromkeys(said, why), said), "")


def _as_answered(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> tuple[FlowAdvanced, FlowReading]:
    """A bare "instead" or "too" is about the key that was asked about, and answers the question. So does the rest of
    what a task needs: then it is one more, as if both had been said together."""
    asked = _asked_of(at, state)
    said = dict(reading.tasks[0]) if len(reading.tasks) == 1 else {}
    if said and not (reading.corrects or reading.denied or reading.which) and said.keys().isdisjoint(at.rules.keys):
        asked = asked if not at.rules.missing({**asked, **said}) else {}
    elif any(reading.tasks) or reading.corrects == reading.adds:
        return state, reading
    if not asked:
        return state, reading
    errors = {name: why for name, why in state.slot_errors.items() if name not in asked}
    refused = {name: value for name, value in state.refused.items() if name not in asked}
    answered = state.model_copy(update={"slot_errors": errors, "refused": refused})
    return answered, reading.model_copy(update={"tasks": ({**asked, **said},)})


def _asked_of(at: FlowState, state: FlowAdvanced) -> JsonObject:
    """The key of which the person was asked whether it is meant instead of what is shown; nothing if none was."""
    asked: JsonObject = {name: state.refused[name] for name in at.rules.keys if name in state.refused}
    whole = bool(asked) and not at.rules.missing(state.slots)
    return asked if whole and not fill(at.rules, {}, asked, at.on).errors else {}


def _asked_of_another(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> JsonObject:
    """The key that is said in the place of the one that was asked about ("not Dad, Mom"): what is shown is not it."""
    asked = _asked_of(at, state)
    said = reading.tasks[0] if len(reading.tasks) == 1 else {}
    meant = bool(asked) and bool(reading.denied) and reading.denied.items() <= asked.items()
    return {**asked, **said} if meant and said and said.keys() <= asked.keys() else {}


def _is_unclear_which(at: FlowState, state: FlowAdvanced, reading: FlowReading) -> bool:
    """Whether the turn says one key and no more, while another whole task is shown: instead of it, or as well?"""
    whole = state.stage is FlowStage.READY or not at.rules.missing(state.slots)
    if not whole or reading.adds or reading.corrects or reading.denied or reading.which:
        return False
    if len(reading.tasks) != 1 or not reading.tasks[0] or not set(reading.tasks[0]) <= set(at.rules.keys):
        return False
    said = reading.tasks[0]
    known = places_of(at.rules, (state.slots, *state.queue), said, at.on)
    return not known and not fill(at.rules, {}, said, at.on).errors


def _moved(at: FlowState, state: FlowAdvanced, made: Update) -> FlowAdvanced:
    """The open tasks as a sentence has left them. One that has changed nothing does not make the question another."""
    told = (*made.told, *_without(at, made.left_out))
    if state.stage is FlowStage.READY and not made.changed and made.errors == state.slot_errors:
        return told_first(at, asked_again(at, state), told)
    added = len(made.queue) - len(state.queue)
    base = at.onward(state, queue=tuple(made.queue), task_total=state.task_total + added)
    filled = Filled(made.slots, made.errors, made.values)
    if state.stage is FlowStage.FILLING and (made.refused or not made.changed):
        base = base.model_copy(update={"fill_turns": state.fill_turns + 1})
        unfinished = bool(filled.errors or at.rules.missing(filled.slots))
        if unfinished and base.fill_turns > at.rules.spec.max_fill_turns:
            ended = end(at, base.model_copy(update={"slots": filled.slots}), FlowStage.UNSUPPORTED, "unsupported")
            return told_first(at, ended, told if made.changed else ())
    ready = _first(at, base) if added and base.task_index == 1 else again(base)
    moved = settle(at, base, filled, ready)
    if made.added and not (moved.stage is FlowStage.READY and ready == "ready_first"):
        told = (*told, at.phrase("flow.queued", tasks=listed(at.rules, made.added, at.on)))
    return told_first(at, moved, told)


def _confirm(at: FlowState, state: FlowAdvanced, cause: UUID, *, every: bool = False) -> FlowAdvanced:
    """The person's word, for the task that is asked about or for every open one. What they have seen is judged once
    more: a day may have passed since."""
    filled = fill(at.rules, {}, state.slots, at.on)
    if filled.errors or filled.slots != state.slots:
        return settle(at, at.onward(state), filled, again(state))
    if every and (why := _not_together(at, state)) is not None:
        told = why or (at.phrase("flow.each_by_itself"),)
        return told_first(at, settle(at, at.onward(state), filled, again(state)), told)
    tasks = (filled.slots, *(state.queue if every else ()))
    approval, *also = (_approval(at, task, cause) for task in tasks)
    return at.onward(state, stage=FlowStage.CONFIRMED, approval=approval, also=tuple(also))


def _approval(at: FlowState, task: JsonObject, cause: UUID) -> FlowApproval:
    digest = at.rules.arguments_hash(task)
    return FlowApproval(tool=at.rules.spec.tool, params=task, arguments_hash=digest, confirmed_by=cause)


def _not_together(at: FlowState, state: FlowAdvanced) -> tuple[str, ...] | None:
    """Why one word cannot be for every open task; None if it can: each is whole, was shown as it would be done, can be
    done after those before it, and no two are alike."""
    done: list[JsonObject] = []
    for task in (state.slots, *state.queue):
        filled = fill(at.rules, {}, task, at.on._replace(done=(*at.on.done, *done)))
        if filled.errors:
            return tuple(dict.fromkeys(filled.errors.values()))
        if at.rules.missing(task) or filled.slots != task or task in done:
            return ()
        done.append(task)
    return None if shows_all(at.rules, state) else ()
