"""What was asked for in the last runs of a session: a question about a file may go on from another."""

from backbone.ledger.port import Ledger
from contracts.cognitive import CognitiveOutput
from contracts.context import Asked
from contracts.envelope import Message

_UNDERSTOOD = frozenset({"CognitiveOutput"})
_FIRST = 2
"""Nothing was said before this version."""
LAST = 4
"""Messages back that are looked at."""


async def asked_before(ledger: Ledger, message: Message) -> tuple[Asked, ...]:
    """The tasks of the runs before that of the message, the newest last."""
    if message.version <= _FIRST:
        return ()
    newest = await ledger.latest(message.session_id, _UNDERSTOOD, LAST, message.version)
    outputs = [one.event for one in reversed(newest) if one.run_id != message.run_id]
    return tuple(
        Asked(intent=task.intent, slots=task.slots)
        for output in outputs
        if isinstance(output, CognitiveOutput) and not output.requires_clarification
        for task in output.tasks
    )
