"""Everything that can happen to a run, in any order: the dispatcher's laws hold, and the run can come to its end."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from contracts.decisions import DecisionKind, DecisionRequested
from contracts.execution import ExecutionOutput, TodoDispatched, TodoSkipped, TodoStatus
from contracts.gateway import Budget
from contracts.planning import TodoItem
from contracts.shape import Event
from tests.unit.services.execution.checked import Checked, items, plans
from tests.unit.services.execution.dispatching import under
from tests.unit.services.execution.timeline import CANCEL, INTERRUPT, PAUSE, RESUME, Timeline, busy, leased
from tests.unit.services.given import RUN

ACTIONS = {
    DecisionKind.TOOL: ("approve", "approve", "reject"),
    DecisionKind.LOCK: ("wait", "cancel"),
    DecisionKind.ERROR: ("retry", "retry", "skip", "skip", "abort"),
    DecisionKind.BUDGET: ("raise", "raise", "raise", "continue", "stop"),
}
KINDLY = ("approve", "wait", "skip", "raise")


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
                self.flying.pop(event.todo_id, None)
                self.in_line.discard(event.todo_id)
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

    def success(self, data: st.DataObject) -> None:
        good, many = data.draw(st.booleans()), data.draw(st.integers(1, 3))
        done = [self.pick(self.flying, data) for _ in range(min(many, len(self.flying)))]
        done = list(dict.fromkeys(done))
        for one in done:
            del self.flying[one]
            self.ended.add(one)
        self.say(*(self.line.success(one, result={"good": 1} if good else {}) for one in done))

    def failure(self, data: st.DataObject) -> None:
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.say(self.line.failure(one, retryable=data.draw(st.booleans())))

    def tool_is_busy(self, data: st.DataObject) -> None:
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.calls -= 1
        if data.draw(st.booleans()):
            self.say_both(leased(one), busy(one), data)
        else:
            self.in_line.add(one)
            self.say(busy(one))

    @rule(data=st.data())
    def something_happens(self, data: st.DataObject) -> None:
        """One of what is possible now."""
        possible = {
            self.success: self.flying,
            self.failure: self.flying,
            self.tool_is_busy: self.flying,
            # the deadline of a question that is asked in a pause is set back when the run is resumed
            self.executor_asks: self.flying and not self.paused,
            self.interrupted: self.flying and self.paused,
            self.tool_is_granted: self.in_line,
            self.answer: self.questions,
            self.skips_come_back: self.skips,
            self.edit: self.paused,
            self.time_goes_by: True,
            self.control: True,
        }
        choices = [what for what, can in possible.items() if can] if self.going else [self.over]
        data.draw(st.sampled_from(choices))(data)

    def say_both(self, first: Event, second: Event, data: st.DataObject) -> None:
        if data.draw(st.booleans()):
            self.say(first, second)
        else:
            self.line.when(first)
            self.say(second)

    def tool_is_granted(self, data: st.DataObject) -> None:
        one = self.pick(self.in_line, data)
        self.in_line.remove(one)
        self.say(leased(one))

    def executor_asks(self, data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from([DecisionKind.TOOL, DecisionKind.LOCK]))
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.calls -= 1
        self.line.ask(kind, one)
        self.look()

    def answer(self, data: st.DataObject) -> None:
        asked = self.questions.pop(self.pick(self.questions, data))
        self.line.answer(asked, data.draw(st.sampled_from(ACTIONS[asked.kind])))
        self.look()

    def time_goes_by(self, data: st.DataObject) -> None:
        self.wait(data.draw(st.sampled_from([1, 31, 200_000])))

    def wait(self, seconds: float) -> None:
        before = set(self.line.timers)
        self.questions = {one: asked for one, asked in self.questions.items() if not self.is_due(one, seconds)}
        self.line.wait(seconds)
        assert not self.paused or before == set(self.line.timers)
        self.questions = {one: asked for one, asked in self.questions.items() if one in self.line.timers or self.paused}
        self.look()

    def is_due(self, one: Any, seconds: float) -> bool:
        timer = self.line.timers.get(one)
        return timer is not None and (timer.due_at - self.line.now).total_seconds() <= seconds

    def control(self, data: st.DataObject) -> None:
        control = data.draw(st.sampled_from([PAUSE] * 8 + [RESUME] * 8 + [INTERRUPT] * 8 + [CANCEL]))
        self.paused = {PAUSE: 1, INTERRUPT: 1, RESUME: 0, CANCEL: self.paused}[control]
        self.say(control)

    def interrupted(self, data: st.DataObject) -> None:
        one = self.pick(self.flying, data)
        del self.flying[one]
        self.say(self.line.failure(one, stopped_by="interrupt"))

    def skips_come_back(self, data: st.DataObject) -> None:
        self.say(*self.skips)

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

    def over(self, data: st.DataObject) -> None:
        control = data.draw(st.sampled_from([PAUSE, RESUME, INTERRUPT, CANCEL]))
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
            self.wait(61)


Dispatching.TestCase.settings = settings(
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking takes minutes: the steps are told as they are
    max_examples=100,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestEverythingThatCanHappenToARun = pytest.mark.timeout(60)(Dispatching.TestCase)
