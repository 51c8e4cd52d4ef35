"""Everything that can happen to a run, in any order: the dispatcher's laws hold, and the run can come to its end."""

from copy import deepcopy
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from backbone.runner.handlers import Outcome
from contracts.budgets import Budget
from contracts.decisions import DecisionKind, DecisionRequested
from contracts.execution import ExecutionOutput, TodoDispatched, TodoSkipped, TodoStatus
from contracts.planning import JoinKind, TodoItem
from contracts.shape import Event
from tests.unit.services.execution.dispatching import under
from tests.unit.services.execution.timeline import CANCEL, INTERRUPT, PAUSE, RESUME, Timeline, busy, leased
from tests.unit.services.given import RUN, Happened
from tests.unit.services.plans import todo

ACTIONS = {
    DecisionKind.TOOL: ("approve", "reject"),
    DecisionKind.LOCK: ("wait", "cancel"),
    DecisionKind.ERROR: ("retry", "skip", "abort"),
    DecisionKind.BUDGET: ("raise", "continue", "stop"),
}
KINDLY = ("approve", "wait", "skip", "raise")
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
        "on_error": draw(st.sampled_from(["skip", "skip", "retry", "ask", "fail"])),
        "role": draw(st.sampled_from(["step", "step", "step", "synthesis"])),
        "tokens": draw(st.sampled_from([0, 3])),
    }
    if draw(st.integers(0, 3)) == 0:
        first = draw(st.sampled_from([None, *before]))
        fields |= {"until": UNTIL, "repeat_from": first, "rounds": draw(st.integers(1, 3))}
    return todo(name, *after, **fields)


@st.composite
def plans(draw: st.DrawFn) -> list[TodoItem]:
    todos: list[TodoItem] = []
    for number in range(draw(st.integers(1, 7))):
        todos.append(draw(items(f"t{number}", tuple(one.id for one in todos))))
    return todos


class Checked(Timeline):
    """A timeline that checks, at every decision, what must hold of any."""

    first: ClassVar[dict[tuple[str, int], int]]

    def when(self, *events: Event) -> Happened:
        taken, emits, outcome = [self.fold(event) for event in events], [], Outcome()
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


class Dispatching(RuleBasedStateMachine):
    """Executors, timers, a person and a bus that do what Hypothesis says."""

    @initialize(
        todos=plans(),
        most=st.sampled_from([1, 2, 64]),
        calls=st.sampled_from([None, None, 2, 9]),
        soft=st.sampled_from([0.5, 1.0]),
        seconds=st.sampled_from([None, 30]),
    )
    def begin(self, todos: list[TodoItem], most: int, calls: int | None, soft: float, seconds: int | None) -> None:
        self.todos, self.version, self.most = todos, 1, most
        self.line = Checked(under(most_in_flight=most))
        self.flying: dict[str, int] = {}
        self.in_line: set[str] = set()
        self.granted: set[str] = set()
        self.questions: dict[Any, DecisionRequested] = {}
        self.skips: list[Event] = []
        self.ended: set[str] = set()
        self.line.first = {}  # type: ignore[misc]  # of this run
        self.calls = self.paused = 0
        self.seen = 0
        self.line.begin(*todos, budget=Budget(tool_calls=calls, tokens=calls and 3 * calls, soft=soft, seconds=seconds))
        self.look()

    @property
    def going(self) -> bool:
        return RUN in self.line.state.runs

    def look(self) -> None:
        """Reads what has been recorded since, and compares."""
        fresh, self.seen = self.line.told[self.seen :], len(self.line.told)
        for one in fresh:
            event = one.event
            if isinstance(event, TodoDispatched):
                self.check_dispatch(event)
            elif isinstance(event, TodoSkipped) and event not in self.skips:
                self.skips.append(event)
                self.ended.add(event.todo_id)
                for place in (self.flying, self.in_line):
                    (place.pop if isinstance(place, dict) else place.remove)(
                        event.todo_id
                    ) if event.todo_id in place else 0  # type: ignore[operator]
            elif isinstance(event, DecisionRequested):
                self.questions[event.decision_id] = event
        self.check_run()

    def check_dispatch(self, event: TodoDispatched) -> None:
        one = event.todo.id
        assert not self.paused, "dispatched in a pause"
        assert one not in self.flying, "dispatched while in flight"
        assert one not in self.in_line, "dispatched while its tool is busy"
        assert one not in self.ended or event.round > 1, "dispatched after its end"
        asked = {str(question.subject.get("todo_id")) for question in self.questions.values()}
        assert one not in asked, "dispatched while a person thinks"
        self.flying[one] = event.attempt
        self.ended.discard(one)
        self.granted.discard(one)
        self.calls += 1
        assert len(self.flying) <= self.most, "more in flight than allowed"
        assert event.failures <= event.todo.retries + 9, "more failures than answers"

    def check_run(self) -> None:
        run = self.line.state.runs.get(RUN)
        if run is None:
            return
        assert run.in_flight == len(self.flying)
        assert run.open == sum(one.status is None for one in run.todos.values())
        budget = run.budget
        assert budget is not None
        assert budget.tool_calls is None or self.calls <= budget.tool_calls, "more calls than the budget has"
        assert self.calls == run.spent.tool_calls
        assert not self.paused or not self.line.timers, "a timer goes on in a pause"

    def say(self, *events: Event) -> None:
        self.line.when(*events)
        self.look()

    def pick(self, choices: Any, data: st.DataObject) -> Any:
        return data.draw(st.sampled_from(sorted(choices)))

    @precondition(lambda self: self.going and self.flying)
    @rule(data=st.data(), good=st.booleans(), many=st.integers(1, 3))
    def success(self, data: st.DataObject, good: bool, many: int) -> None:
        done = [self.pick(self.flying, data) for _ in range(min(many, len(self.flying)))]
        done = list(dict.fromkeys(done))
        for one in done:
            del self.flying[one]
            self.ended.add(one)
        self.say(*(self.line.success(one, result={"good": 1} if good else {}) for one in done))

    @precondition(lambda self: self.going and self.flying)
    @rule(data=st.data(), retryable=st.booleans())
    def failure(self, data: st.DataObject, retryable: bool) -> None:
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.say(self.line.failure(one, retryable=retryable))

    @precondition(lambda self: self.going and self.flying)
    @rule(data=st.data(), early=st.booleans())
    def tool_is_busy(self, data: st.DataObject, early: bool) -> None:
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.calls -= 1
        if early:
            self.say_both(leased(one), busy(one), data)
        else:
            self.in_line.add(one)
            self.say(busy(one))

    def say_both(self, first: Event, second: Event, data: st.DataObject) -> None:
        if data.draw(st.booleans()):
            self.say(first, second)
        else:
            self.line.when(first)
            self.say(second)

    @precondition(lambda self: self.going and self.in_line)
    @rule(data=st.data())
    def tool_is_granted(self, data: st.DataObject) -> None:
        one = self.pick(self.in_line, data)
        self.in_line.remove(one)
        self.say(leased(one))

    @precondition(lambda self: self.going and self.flying)
    @rule(data=st.data(), kind=st.sampled_from([DecisionKind.TOOL, DecisionKind.LOCK]))
    def executor_asks(self, data: st.DataObject, kind: DecisionKind) -> None:
        if self.paused:
            return  # its deadline is set back when the run is resumed
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.calls -= 1
        self.line.ask(kind, one)
        self.look()

    @precondition(lambda self: self.going and self.questions)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        asked = self.questions.pop(self.pick(self.questions, data))
        self.line.answer(asked, data.draw(st.sampled_from(ACTIONS[asked.kind])))
        self.look()

    @precondition(lambda self: self.going)
    @rule(seconds=st.sampled_from([1, 31, 200_000]))
    def time_goes_by(self, seconds: float) -> None:
        before = set(self.line.timers)
        self.questions = {one: asked for one, asked in self.questions.items() if not self.is_due(one, seconds)}
        self.line.wait(seconds)
        assert not self.paused or before == set(self.line.timers)
        self.questions = {one: asked for one, asked in self.questions.items() if one in self.line.timers or self.paused}
        self.look()

    def is_due(self, one: Any, seconds: float) -> bool:
        timer = self.line.timers.get(one)
        return timer is not None and (timer.due_at - self.line.now).total_seconds() <= seconds

    @precondition(lambda self: self.going)
    @rule(control=st.sampled_from([PAUSE, PAUSE, RESUME, RESUME, INTERRUPT, CANCEL]), cancel=st.integers(0, 9))
    def control(self, control: Any, cancel: int) -> None:
        if control is CANCEL and cancel:
            return  # seldom: it ends everything
        self.paused = {PAUSE: 1, INTERRUPT: 1, RESUME: 0, CANCEL: self.paused}[control]
        self.say(control)

    @precondition(lambda self: self.going and self.paused and self.flying)
    @rule(data=st.data())
    def interrupted(self, data: st.DataObject) -> None:
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.say(self.line.failure(one, stopped_by="interrupt"))

    @precondition(lambda self: self.going and self.skips)
    @rule()
    def skips_come_back(self) -> None:
        self.line.when(*self.skips)
        self.look()

    @precondition(lambda self: self.going and self.paused)
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        run = self.line.state.runs[RUN]
        needed = {one for item in self.todos for one in (*item.depends_on, item.repeat_from)}
        self.todos = [
            one for one in self.todos if run.todos[one.id].attempt or one.id in needed or one.id in self.ended
        ]
        self.version += 1
        self.todos.append(data.draw(items(f"n{self.version}", tuple(one.id for one in self.todos))))
        self.line.edit(*self.todos, version=self.version)
        self.look()

    @precondition(lambda self: not self.going)
    @rule(control=st.sampled_from([PAUSE, RESUME, INTERRUPT, CANCEL]))
    def over(self, control: Any) -> None:
        late = [self.line.success(one) for one in self.flying]
        assert self.line.when(control, *late, *self.skips).events == []

    def teardown(self) -> None:
        if not hasattr(self, "line"):
            return
        self.paused = 0
        if self.going:
            self.say(RESUME)
        for _ in range(400):
            if not self.going:
                break
            self.drive()
        assert not self.going, "nobody owes anything, and the run has not ended"
        output = self.line.output
        assert isinstance(output, ExecutionOutput)
        assert [one.todo_id for one in output.results] == [one.id for one in self.todos]
        assert all(one.attempts for one in output.results if one.status is TodoStatus.SUCCEEDED)
        again = Timeline(self.line.handler)
        for one in self.line.told:
            again.state = again.handler.evolve(again.state, one)
        assert again.state == self.line.state
        assert not self.line.timers, "a timer outlives its run"

    def drive(self) -> None:
        """Everybody does what is owed, kindly."""
        flying, self.flying = list(self.flying), {}
        self.ended |= set(flying)
        granted, self.in_line = list(self.in_line), set()
        self.say(*(self.line.success(one, result={"good": 1}) for one in flying), *map(leased, granted), *self.skips)
        for asked in list(self.questions.values()):
            if self.going:
                del self.questions[asked.decision_id]
                self.line.answer(asked, next(one for one in KINDLY if one in ACTIONS[asked.kind]))
                self.look()
        if self.going:
            self.time_goes_by(61)


Dispatching.TestCase.settings = settings(
    phases=[Phase.generate],
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestEverythingThatCanHappenToARun = pytest.mark.timeout(60)(Dispatching.TestCase)
