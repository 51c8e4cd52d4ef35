"""A model that has just failed is left alone for a while."""

from backbone.model.resting import LEAST, LONGEST, SHARE, Resting
from contracts.errors import Code, ErrorInfo
from contracts.model import ModelCalled


def failed(seconds: float) -> ModelCalled:
    example = ModelCalled.model_validate(ModelCalled.example)
    error = ErrorInfo(code=Code.MODEL_TIMEOUT, message="silent")
    return example.model_copy(update={"latency_seconds": seconds, "attempts": 3, "cost": 0.5, "error": error})


def test_it_is_left_alone_in_the_measure_of_what_it_has_cost() -> None:
    time = [0.0]
    resting = Resting(lambda: time[0])
    assert resting.now("a:b") is None
    resting.failed("a:b", failed(6.0))
    time[0] = SHARE * 6.0 - 0.1
    told = resting.now("a:b")
    assert told is not None
    assert told.error is not None
    assert (told.error.code, told.attempts, told.cost, told.latency_seconds) == (Code.MODEL_TIMEOUT, 0, 0.0, 0.0)
    assert resting.now("another:model") is None
    time[0] = SHARE * 6.0
    assert resting.now("a:b") is None, "one asks whether it is back"
    assert resting.now("a:b") is not None, "and the others do not wait with it"
    resting.answered("a:b")
    assert resting.now("a:b") is None


def test_nobody_is_left_alone_for_ever() -> None:
    time = [0.0]
    resting = Resting(lambda: time[0])
    resting.failed("a:b", failed(180.0))
    time[0] = LONGEST - 1
    assert resting.now("a:b") is not None
    time[0] = LONGEST
    assert resting.now("a:b") is None


def test_what_fails_soon_is_asked_again_at_once() -> None:
    time = [0.0]
    resting = Resting(lambda: time[0])
    resting.failed("a:b", failed(LEAST - 0.1))
    assert resting.now("a:b") is None
