"""What a pack brings to understanding: intents, topics, a gazetteer of names, details, cues, and texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from backbone.model.offline.cues import Cue, read_cues
from backbone.model.offline.details import Detail, read_details
from backbone.packs import read_yaml
from contracts.packs import IntentSpec, TopicSpec

FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Name:
    """A thing with a name: its entity type, its normal form, and the words that people write for it."""

    type: str
    value: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """The names a pack knows. Entities of the `filters` types narrow the data (PlanHint.filters)."""

    names: tuple[Name, ...] = ()
    filters: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PackUnderstanding:
    """One pack's part in understanding. `texts` maps language to text key to text."""

    name: str
    intents: tuple[IntentSpec, ...]
    topics: tuple[TopicSpec, ...] = ()
    gazetteer: Gazetteer = Gazetteer()
    details: tuple[Detail, ...] = ()
    cues: tuple[Cue, ...] = ()
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def text(self, key: str, language: str, **values: object) -> str:
        """The text in the language, or in English; the key itself shows a missing text for what it is."""
        for texts in (self.texts.get(language, {}), self.texts.get(FALLBACK_LANGUAGE, {})):
            if key in texts:
                return texts[key].format(**values)
        return key


def read_gazetteer(path: Path) -> Gazetteer:
    """Reads gazetteer.yaml: entity type -> {filter, names: {value: [words]}}."""
    types = read_yaml(path)
    names = tuple(
        Name(type=type_, value=value, words=tuple(words))
        for type_, entry in types.items()
        for value, words in entry["names"].items()
    )
    return Gazetteer(names=names, filters=frozenset(type_ for type_, entry in types.items() if entry.get("filter")))


def read_pack(name: str, folder: Path, texts: Mapping[str, Mapping[str, str]]) -> PackUnderstanding:
    """Reads intents.yaml of a pack's folder, and topics, gazetteer, details and cues where they are."""
    intents = read_yaml(folder / "intents.yaml")
    topics, gazetteer = folder / "topics.yaml", folder / "gazetteer.yaml"
    return PackUnderstanding(
        name=name,
        intents=tuple(IntentSpec.model_validate(one) for one in intents),
        topics=tuple(TopicSpec.model_validate(one) for one in read_yaml(topics)) if topics.exists() else (),
        gazetteer=read_gazetteer(gazetteer) if gazetteer.exists() else Gazetteer(),
        details=read_details(folder / "details.yaml"),
        cues=read_cues(folder / "cues.yaml"),
        texts=texts,
    )
