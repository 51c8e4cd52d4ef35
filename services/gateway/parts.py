"""What the gateway is made of, put together once."""

from dataclasses import dataclass
from typing import Self

from backbone.service import Backbone
from services.gateway.burial import Burials
from services.gateway.committer import GroupCommitter
from services.gateway.fanout import FanOut
from services.gateway.handlers import DecisionDesk
from services.gateway.history import History
from services.gateway.idempotency import IdempotencyKeys
from services.gateway.letters import Letters
from services.gateway.loglines import LogLines
from services.gateway.opening import Opening
from services.gateway.rating import FeedbackDesk
from services.gateway.reminding import ReminderDesk
from services.gateway.runs import NAME, Runs
from services.gateway.steering import SteeringDesk


@dataclass(frozen=True, slots=True)
class Parts:
    """The components that routes and sockets share."""

    backbone: Backbone
    burials: Burials
    committer: GroupCommitter
    fanout: FanOut
    history: History
    runs: Runs
    desk: DecisionDesk
    steering: SteeringDesk
    letters: Letters
    lines: LogLines
    reminders: ReminderDesk
    opening: Opening
    feedback: FeedbackDesk
    keys: IdempotencyKeys

    @classmethod
    def of(cls, backbone: Backbone) -> Self:
        ledger, artifacts = backbone.ledger, backbone.artifacts
        burials = Burials(ledger, NAME)
        committer = GroupCommitter(ledger, NAME)
        fanout = FanOut(burials, backbone.witness)
        history = History(ledger)
        runs = Runs(ledger, artifacts, history, fanout, committer)
        desk, steering = DecisionDesk(ledger, artifacts), SteeringDesk(ledger, history, fanout)
        letters = Letters(ledger, NAME)
        return cls(
            backbone,
            burials,
            committer,
            fanout,
            history,
            runs,
            desk,
            steering,
            letters,
            LogLines(),
            ReminderDesk(ledger),
            Opening(committer, history),
            FeedbackDesk(ledger, backbone.settings.packs),
            IdempotencyKeys(),
        )
