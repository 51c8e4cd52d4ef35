"""IntentClassifier of source design 004: a sentence's intents in three levels, with confidence."""

from contracts.cognitive import Intent
from understanding.offline.understand import Understander


class IntentClassifier:
    """Thin over the offline model."""

    def __init__(self, understander: Understander) -> None:
        self._intents = understander.intents

    def classify(self, text: str) -> tuple[Intent, ...]:
        """All categories, best first; their confidences add up to 1."""
        return self._intents.read(text).intents
