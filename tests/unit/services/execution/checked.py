"""Any plan, and a timeline that checks at every decision what must hold of any."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from backbone.runner.handlers import Outcome
from contracts.execution import TodoDispatched, TodoSkipped
from contracts.planning import JoinKind, TodoItem
from contracts.shape import Event
from tests.unit.services.execution.timeline import Timeline
from tests.unit.services.given import Happened
from tests.unit.services.plans import todo

UNTIL = {"required": ["good"]}


@st.composite
def items(draw: st.DrawFn, name: str, before: tuple[str, ...]) -> TodoItem:
    """Any todo that may stand behind others in a plan."""
    after = draw(st.lists(st.sampled_from(before), unique=True, max_size=4)) if before else []
    join = draw(st.sampled_from([JoinKind.ALL, JoinKind.ALL, *JoinKind]))
    fields: dict[str, Any] = {
        "join": join,
        "join_count": draw(st.integers(1, len(after))) if after and join is JoinKind.K_OF_N else None,
        "wants": draw(st.lists(st.sampled_from(after), unique=True)) if after else (),
        "retries": draw(st.integers(0, 2)),
        "on_error": draw(st.sampled_from(["skip", "skip", "skip", "retry", "ask", "ask", "fail"])),
        "role": draw(st.sampled_from(["step", "step", "step", "synthesis"])),
        "tokens": draw(st.sampled_from([0, 3])),
    }
    if draw(st.integers(0, 2)) == 0:
        first = draw(st.sampled_from([None, *before, *after, *before[:1]]))
        fields |= {"until": UNTIL, "repeat_from": first, "rounds": draw(st.integers(1, 3))}
    return todo(name, *after, **fields)


@st.composite
def plans(draw: st.DrawFn) -> list[TodoItem]:
    todos: list[TodoItem] = []
    for number in range(draw(st.integers(1, 7))):
        todos.append(draw(items(f"t{number}", tuple(one.id for one in todos))))
    return todos


@dataclass
class Checked(Timeline):
    """A timeline that checks, at every decision, what must hold of any."""

    first: dict[tuple[str, int], int] = field(default_factory=dict)
    """Todo and round -> when it was first dispatched."""

    def when(self, *events: Event) -> Happened:
        taken, outcome = [self.fold(event) for event in events], Outcome()
        emits: list[Event] = []
        for one in taken:
            before = deepcopy(self.state)
            outcome = self.handler.decide(self.state, one)
            assert self.state == before, "deciding has changed the state"
            self.set(outcome)
            self.check_order([one.event for one in outcome.emits if isinstance(one.event, TodoDispatched)])
            emits += [emitted.event for emitted in outcome.emits]
            for emitted in outcome.emits:
                self.fold(emitted.event, emitted.run_id)
        if not any(
            isinstance(event, TodoSkipped) for event in emits
        ):  # what follows from a skip comes with its message
            for one in taken:
                assert self.handler.decide(self.state, one).emits == (), "repeating a message has made something happen"
        return Happened(outcome)

    def check_order(self, batch: list[TodoDispatched]) -> None:
        """What is dispatched again comes first, in the order in which it was dispatched before."""
        places = [self.first.setdefault((event.todo.id, event.round), len(self.first)) for event in batch]
        assert places == sorted(places), "not in the order of before"
