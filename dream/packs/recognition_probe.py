"""How packs understand sentences: the product's own understanding, built over the packs that are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from backbone.packs import Catalogue, Pack
from backbone.settings import Settings
from contracts.cognitive import CognitiveInput
from services.cognitive.asking import asks
from services.cognitive.flows import Flow, load_flows
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.pack import read_packs
from understanding.offline.scoring import Heard, heard
from understanding.offline.sentences import Sentence
from understanding.offline.understand import SentenceReader


def understander(
    among: Mapping[str, Pack],
    more: Mapping[str, Sequence[Sentence]] | None = None,
    encoder: SentenceEncoder | None = None,
) -> SentenceReader:
    """As the cognitive service builds it, with more labelled sentences for some packs; takes some seconds."""
    added = more or {}
    read = [replace(one, sentences=(*one.sentences, *added.get(one.name, ()))) for one in read_packs(among.values())]
    return SentenceReader(read, encoder)


@dataclass(frozen=True, slots=True)
class Listener:
    """Who understands sentences, and the flows that may ask about them."""

    understander: SentenceReader
    flows: Mapping[str, Flow]

    def hear(self, text: str, language: str, now: datetime | None) -> Heard:
        """What is made of a sentence that is said at `now` (in the zone of the settings)."""
        zone = ZoneInfo(Settings().timezone)
        at = now.astimezone(zone) if now else datetime.now(zone)
        found = self.understander.understand(CognitiveInput.model_validate({"text": text, "language": language}), at)
        return heard(found, asks=asks(found, self.flows, at.date()), names=names_of(self.flows))


def names_of(flows: Mapping[str, Flow]) -> frozenset[str]:
    """The slots of flows that are tolerant of spelling."""
    return frozenset(slot.name for flow in flows.values() for slot in flow.spec.slots if slot.spelling_tolerant)


def listener(
    among: Mapping[str, Pack],
    more: Mapping[str, Sequence[Sentence]] | None = None,
    encoder: SentenceEncoder | None = None,
) -> Listener:
    """The understander of these packs, and their flows."""
    return Listener(understander(among, more, encoder), load_flows(Catalogue(among)))
