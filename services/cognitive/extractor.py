"""EntityExtractor of source design 004: names, dates and formats of a sentence, with confidence."""

from datetime import datetime

from contracts.cognitive import Entity
from understanding.offline.understand import Understander


class EntityExtractor:
    """Thin over the offline model."""

    def __init__(self, understander: Understander) -> None:
        self._entities = understander.entities

    def extract(self, text: str, now: datetime) -> tuple[Entity, ...]:
        """Entities in reading order; relative dates count from `now`."""
        return self._entities.find(text, now.date()).entities
