"""When something that failed is tried again: one policy for todos and for messages."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from contracts.errors import Code


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and after which pauses.

    Whoever decides by it records the moment of the next attempt; whoever reads the record decides nothing again."""

    maximum_attempts: int
    """The first one included."""
    initial_interval: float = 1.0
    """Seconds between the first failure and the second attempt."""
    backoff: float = 2.0
    """By what each further pause is longer than the one before."""
    maximum_interval: float = 60.0
    """Seconds of a pause, at most."""
    non_retryable: AbstractSet[Code] = field(default_factory=frozenset)
    """After these there is no other attempt, whatever else is said."""

    def allows(self, failures: int, code: Code | None = None) -> bool:
        """Whether there is another attempt after so many failed ones (>= 1), the last of them with this code."""
        return failures < self.maximum_attempts and code not in self.non_retryable

    def pause(self, failures: int) -> float:
        """Seconds before the next attempt after so many failed ones (>= 1)."""
        return float(min(self.initial_interval * self.backoff ** (failures - 1), self.maximum_interval))
