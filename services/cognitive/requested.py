"""What a session was asked for before a message, from its own stream: the next sentence may go on about it."""

from backbone.ledger.port import Ledger
from contracts.cognitive import CognitiveOutput, Route
from contracts.context import Requested
from contracts.envelope import Message

_UNDERSTOOD = frozenset({"CognitiveOutput"})
FIRST = 2
"""Nothing was asked for before this version."""
LOOKED_AT = 4
"""Outputs that are read back: small talk lies between, and what nobody understood."""


async def requested_before(ledger: Ledger, message: Message) -> Requested | None:
    """The last task of the last request before this run's that asked for work; None where a question came of it."""
    if message.version <= FIRST:
        return None
    for one in await ledger.latest(message.session_id, _UNDERSTOOD, LOOKED_AT, message.version):
        output = one.event
        if one.run_id == message.run_id or not isinstance(output, CognitiveOutput) or output.route is Route.ANSWER:
            continue
        if output.requires_clarification or output.error is not None:
            continue
        if not output.tasks:
            return None
        task = output.tasks[-1]
        return Requested(intent=".".join(filter(None, (task.intent, task.subcategory))), slots=task.slots)
    return None
