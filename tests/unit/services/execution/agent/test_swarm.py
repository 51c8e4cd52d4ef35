"""A synthesis brings together what several workers found, whatever failed on the way."""

from contracts.errors import Code
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


COMPLETE = {"properties": {"complete": {"const": True}}}


def judged() -> Timeline:
    bring = todo("bring", "good", "bad", role="synthesis", until=COMPLETE)
    return timeline(todo("good"), todo("bad"), bring)


def test_001_5_circuit_breaker_a_synthesis_that_is_never_complete_ends_after_three_rounds_and_says_so():
    line = judged()
    line.ok("good")
    for round_ in (1, 2, 3):
        assert sent(line.fails("bad")) == ["bring"]
        assert line.attempt("bring").round == round_
        # what is done is not done again; who failed makes the same call again, under the same key
        assert sent(line.ok("bring", result={"complete": False})) == (["bad"] if round_ < 3 else [])
        assert line.attempt("bad").round == 1
    good, bad, bring = line.output.results
    assert (good.attempts, bad.attempts, bring.attempts) == (1, 3, 3)
    assert bring.error is not None
    assert (bring.error.code, bring.error.detail) == (Code.QUALITY_NOT_REACHED, {"rounds": 3})
    assert line.output.status is ExecutionStatus.PARTIAL


def test_a_synthesis_that_is_complete_ends_the_run_at_once():
    line = judged()
    line.ok("good", "bad")
    line.ok("bring", result={"complete": True})
    assert line.output.status is ExecutionStatus.SUCCEEDED


def test_a_worker_whose_outcome_nobody_knows_is_not_sent_again():
    line = judged()
    line.ok("good")
    line.fails("bad", code=Code.TOOL_OUTCOME_UNKNOWN)
    assert sent(line.ok("bring", result={"complete": False})) == ["bring"]
