"""A synthesis brings together what several workers found, whatever failed on the way."""

from contracts.execution import ExecutionOutput, ExecutionStatus, TodoSkipped, TodoStatus
from tests.unit.services.execution.timeline import Timeline, sent, timeline
from tests.unit.services.plans import file, todo


def swarm() -> Timeline:
    workers = [todo(one, produces=("insight.sentiment",)) for one in ("data", "market", "rivals")]
    bring = todo("bring", "data", "market", "rivals", role="synthesis", consumes=("insight.sentiment",))
    return timeline(*workers, bring)


def test_a_synthesis_waits_for_the_end_of_all_workers_and_takes_what_they_made():
    line = swarm()
    made = file("insight.sentiment")
    line.ok("data", attachments=(made,)).then_nothing()
    line.fails("rivals").then_nothing()
    assert sent(line.ok("market")) == ["bring"]
    assert line.attempt("bring").inputs == (made,)
    line.ok("bring")
    assert line.output.status is ExecutionStatus.PARTIAL
    assert line.output.error is not None


def test_a_synthesis_has_nothing_to_bring_together_when_nobody_found_anything():
    line = swarm()
    line.fails("data")
    line.fails("market")
    happened = line.fails("rivals").then_types(TodoSkipped, ExecutionOutput)
    assert happened.only(TodoSkipped).reason == "dependency_failed"
    assert line.output.status is ExecutionStatus.FAILED
    assert line.statuses["bring"] is TodoStatus.SKIPPED


def test_a_synthesis_goes_on_with_one_worker_whose_others_were_skipped():
    line = timeline(todo("a"), todo("b"), todo("c", "b"), todo("bring", "a", "c", role="synthesis"))
    line.ok("a")
    happened = line.fails("b")
    assert sent(line.when(happened.only(TodoSkipped))) == ["bring"]


def test_a_swarm_in_which_all_goes_well_succeeds():
    line = swarm()
    line.ok("data", "market", "rivals")
    line.ok("bring")
    assert line.output.status is ExecutionStatus.SUCCEEDED
