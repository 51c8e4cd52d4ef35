"""What the operator has set for the dispatcher, and the words for its questions."""

from dataclasses import dataclass, field
from datetime import timedelta

from contracts.gateway import Budget
from services.execution.domain.question import Words
from services.execution.domain.run import Run, Session

WIDER = 4


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator has set, and the words for questions."""

    say: Words
    most_in_flight: int = 64
    """Todos of one session at once: a wide plan must not make other sessions wait behind all of it."""
    run_budget: Budget = field(default_factory=Budget)
    session_budget: Budget = field(default_factory=Budget)
    patience: timedelta = timedelta(days=1)
    """How long a person may think."""

    def window(self, session: Session) -> int:
        """Todos that are over at once keep nobody waiting, and a narrow window would: it is wide while they are."""
        return self.most_in_flight * (WIDER if session.is_quick else 1)

    def of_run(self, run: Run) -> Budget:
        return run.budget or self.run_budget

    def of_session(self, session: Session) -> Budget:
        return session.budget or self.session_budget
