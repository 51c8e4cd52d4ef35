"""The clerk where there is no model: it does nothing."""

from contracts.agents import LoopState, NextStep, Say


def idle(state: LoopState, say: Say) -> NextStep:
    return NextStep(text=say("idle"))
