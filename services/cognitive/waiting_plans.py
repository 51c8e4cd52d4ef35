"""What waits for a person's approval when a bare yes or no comes that is no answer to it: it is named, so that nobody
takes the word for lost, or for something else."""

from collections.abc import Sequence

from backbone.ledger.port import Ledger
from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.registry import RUN_ENDS
from services.cognitive.left_plans import said_in

_LOOKED_AT = frozenset({"DecisionRequested", "DecisionAnswered", "DecisionExpired"}) | RUN_ENDS
LOOK_BACK = 128
"""Events: a plan that waits for longer is shown by the client, and by its run."""
NAMED = 5
_WAITS = frozenset({DecisionKind.PLAN, DecisionKind.TOOL})


async def waiting_before(ledger: Ledger, message: Message) -> tuple[Sequence[str], bool]:
    """The requests of what waits, the oldest first, and whether it is one plan and nothing else."""
    settled: set[object] = set()
    waiting: list[Message] = []
    for one in await ledger.latest(message.session_id, _LOOKED_AT, LOOK_BACK, message.version):
        match one.event:
            case DecisionAnswered(decision_id=decision_id) | DecisionExpired(decision_id=decision_id):
                settled.add(decision_id)
            case DecisionRequested(decision_id=decision_id, kind=kind) if kind in _WAITS:
                if one.run_id is not None and settled.isdisjoint({decision_id, one.run_id}):
                    waiting.insert(0, one)
            case _:
                settled.add(one.run_id)
    named = [await said_in(ledger, one.session_id, one.run_id) for one in waiting[-NAMED:] if one.run_id is not None]
    plans = [one for one in waiting if isinstance(one.event, DecisionRequested) and one.event.kind is DecisionKind.PLAN]
    return named, len(waiting) == len(plans) == 1
