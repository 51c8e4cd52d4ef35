"""What became of a plan that waited for a yes when a person said something else: told once, with the answer to that."""

from uuid import UUID

from backbone.ledger.port import Ledger
from contracts.decisions import DecisionKind, DecisionRequested
from contracts.envelope import Message
from contracts.gateway import MessageReceived, RunControl, RunControlRequested
from contracts.registry import RUN_ENDS

_LOOKED_AT = frozenset({"MessageReceived", "DecisionRequested", "DecisionAnswered", "RunControlRequested"}) | RUN_ENDS
LOOK_BACK = 3
"""Events: the plan was the last that was said, and a word of no before the message may have closed it."""
FIRST = 2
"""Nothing was asked before this version."""
LONGEST = 60
"""Characters of the request that are said again."""


async def left_by(ledger: Ledger, message: Message) -> tuple[str, str] | None:
    """The key of the text that says what became of the plan that was shown right before the message, and the request
    that the plan is for; None where no plan was."""
    if message.version <= FIRST:
        return None
    closed: UUID | None = None
    for one in await ledger.latest(message.session_id, _LOOKED_AT, LOOK_BACK, message.version):
        match one.event:
            case RunControlRequested(control=RunControl.CANCEL) if closed is None:
                closed = one.run_id
            case DecisionRequested(kind=DecisionKind.PLAN) if one.run_id is not None and closed in (None, one.run_id):
                said = await said_in(ledger, message.session_id, one.run_id)
                return ("plan.still_waits" if closed is None else "plan.set_aside"), said
            case _:
                return None
    return None


async def said_in(ledger: Ledger, session_id: UUID, run_id: UUID) -> str:
    """The message of a run, as it is said again."""
    found = await ledger.find(session_id, frozenset({"MessageReceived"}), run_id)
    event = found[0].event if found else None
    said = " ".join(event.text.split()) if isinstance(event, MessageReceived) else ""
    return said if len(said) <= LONGEST else f"{said[:LONGEST].rstrip()}…"
