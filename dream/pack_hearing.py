"""How packs understand sentences: the product's own understanding, built over the packs that are given."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from backbone.model.offline.encoder import SentenceEncoder
from backbone.model.offline.pack import read_pack
from backbone.model.offline.scoring import Heard, heard
from backbone.model.offline.understand import Understander
from backbone.packs import Pack
from backbone.settings import Settings
from contracts.cognitive import CognitiveInput
from contracts.packs import IntentSpec
from services.cognitive.domain.ambiguity import Ask, QuestionKind, decide


def understander(
    among: Mapping[str, Pack],
    instead: Mapping[str, tuple[IntentSpec, ...]] | None = None,
    encoder: SentenceEncoder | None = None,
) -> Understander:
    """As the cognitive service builds it, with other intents for some packs; takes some seconds."""
    read = [read_pack(one.name, one.folder, one.texts) for one in among.values() if one.intents]
    other = instead or {}
    return Understander([replace(one, intents=other.get(one.name, one.intents)) for one in read], encoder)


def hear(model: Understander, text: str, language: str, now: datetime | None) -> Heard:
    """What is made of a sentence that is said at `now` (in the zone of the settings)."""
    zone = ZoneInfo(Settings().timezone)
    message = CognitiveInput.model_validate({"text": text, "language": language})
    found = model.understand(message, now.astimezone(zone) if now else datetime.now(zone))
    verdict = decide(found, ())
    return heard(found, asks=isinstance(verdict, Ask) and verdict.kind is not QuestionKind.FILE)
