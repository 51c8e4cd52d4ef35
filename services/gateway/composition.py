"""What the gateway is made of, put together once."""

from dataclasses import dataclass
from typing import Self

from backbone.access.store import AccessStore
from backbone.kept.arrivals import Arrivals
from backbone.kept.postgres import PostgresKept
from backbone.service import Backbone
from services.gateway.commands.agui import AguiCommands
from services.gateway.commands.decisions import DecisionCommands
from services.gateway.commands.feedback import FeedbackCommands
from services.gateway.commands.files import Files
from services.gateway.commands.group_commit import GroupCommitter
from services.gateway.commands.reminders import ReminderCommands
from services.gateway.commands.run_control import RunControlCommands
from services.gateway.commands.runs import NAME, Runs
from services.gateway.commands.sessions import Opening
from services.gateway.http.authentication import Known
from services.gateway.http.idempotency import IdempotencyKeys
from services.gateway.ops.dead_letter_queue import DeadLetterQueue
from services.gateway.ops.dead_letters import DeadLetters
from services.gateway.views.history import History
from services.gateway.ws.fanout import FanOut
from services.gateway.ws.log_stream import LogStream


@dataclass(frozen=True, slots=True)
class Composition:
    """The components that routes and sockets share."""

    backbone: Backbone
    dead_letter_queue: DeadLetterQueue
    dead_letters: DeadLetters
    committer: GroupCommitter
    fanout: FanOut
    log_stream: LogStream
    history: History
    files: Files
    runs: Runs
    opening: Opening
    decisions: DecisionCommands
    run_control: RunControlCommands
    reminders: ReminderCommands
    feedback: FeedbackCommands
    keys: IdempotencyKeys
    arrivals: Arrivals
    access: AccessStore
    known: Known
    agui: AguiCommands

    @classmethod
    def of(cls, backbone: Backbone) -> Self:
        ledger = backbone.ledger
        dead_letter_queue, committer = DeadLetterQueue(ledger, NAME), GroupCommitter(ledger, NAME)
        access = AccessStore(backbone.pool)
        files = Files(backbone.artifacts, access)
        fanout, history = FanOut(dead_letter_queue, backbone.witness), History(ledger)
        runs, opening = Runs(ledger, files, history, fanout, committer), Opening(committer, history)
        decisions, run_control = DecisionCommands(ledger, files), RunControlCommands(ledger, history, fanout)
        return cls(
            backbone=backbone,
            dead_letter_queue=dead_letter_queue,
            dead_letters=DeadLetters(ledger, NAME),
            committer=committer,
            fanout=fanout,
            log_stream=LogStream(fanout),
            history=history,
            files=files,
            runs=runs,
            opening=opening,
            decisions=decisions,
            run_control=run_control,
            reminders=ReminderCommands(ledger),
            feedback=FeedbackCommands(ledger, backbone.settings.packs),
            keys=IdempotencyKeys(),
            arrivals=Arrivals(PostgresKept(backbone.pool)),
            access=access,
            known=Known(access),
            agui=AguiCommands(ledger, history, opening, runs, decisions, run_control),
        )
