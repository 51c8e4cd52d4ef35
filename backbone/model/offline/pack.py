"""What a pack brings to understanding: intents, topics, a gazetteer of names, details, and texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from backbone.model.offline.details import Detail, read_details
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
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def text(self, key: str, language: str, **values: object) -> str:
        """The text in the language, or in English; the key itself shows a missing text for what it is."""
        for texts in (self.texts.get(language, {}), self.texts.get(FALLBACK_LANGUAGE, {})):
            if key in texts:
                return texts[key].format(**values)
        return key


def read_gazetteer(path: Path) -> Gazetteer:
    """Reads gazetteer.yaml: entity type -> {filter, names: {value: [words]}}."""
    types = yaml.safe_load(path.read_text(encoding="utf-8"))
    names = tuple(
        Name(type=type_, value=value, words=tuple(words))
        for type_, entry in types.items()
        for value, words in entry["names"].items()
    )
    return Gazetteer(names=names, filters=frozenset(type_ for type_, entry in types.items() if entry.get("filter")))


def read_pack(name: str, folder: Path, texts: Mapping[str, Mapping[str, str]]) -> PackUnderstanding:
    """Reads intents.yaml of a pack's folder, and topics.yaml, gazetteer.yaml and details.yaml where they are."""
    intents = yaml.safe_load((folder / "intents.yaml").read_text(encoding="utf-8"))
    topics, gazetteer = folder / "topics.yaml", folder / "gazetteer.yaml"
    return PackUnderstanding(
        name=name,
        intents=tuple(IntentSpec.model_validate(one) for one in intents),
        topics=tuple(TopicSpec.model_validate(one) for one in yaml.safe_load(topics.read_text(encoding="utf-8")))
        if topics.exists()
        else (),
        gazetteer=read_gazetteer(gazetteer) if gazetteer.exists() else Gazetteer(),
        details=read_details(folder / "details.yaml"),
        texts=texts,
    )
