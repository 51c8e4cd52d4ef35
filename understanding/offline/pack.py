"""What a pack brings to understanding: intents, labelled sentences, topics, a gazetteer of names, details, cues, and
texts."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from backbone.packs import PLATFORM, Pack, PackInvalid, read_yaml
from contracts.packs import IntentSpec, TopicSpec
from contracts.patterns import bounded
from understanding.offline.cues import Cue, read_cues
from understanding.offline.details import Detail, read_details
from understanding.offline.sentences import Sentence, read_sentences
from understanding.offline.spans import SpanFinder, StandIns

log = logging.getLogger(__name__)

FALLBACK_LANGUAGE = "en"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Name:
    """A thing with a name: its entity type, its normal form, and the words that people write for it. One that is
    `spelling_tolerant` is found misspelt, too."""

    type: str
    value: str
    words: tuple[str, ...]
    spelling_tolerant: bool = False


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """The names a pack knows. Entities of the `filters` types narrow the data (PlanHint.filters)."""

    names: tuple[Name, ...] = ()
    filters: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PackUnderstanding:
    """One pack's part in understanding. `follows` are sentences that vary what was asked before, with the intent of
    that; `texts` maps language to text key to text."""

    name: str
    intents: tuple[IntentSpec, ...]
    sentences: tuple[Sentence, ...] = ()
    follows: tuple[Sentence, ...] = ()
    """Sentences that go on about what was asked for before them, with its intent: they teach only that."""
    stand_ins: StandIns = field(default_factory=dict)
    beside: tuple[Sentence, ...] = ()
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
    """Reads gazetteer.yaml: entity type -> {filter, spelling_tolerant, names: {value: [words]}}."""
    types = read_yaml(path)
    names = tuple(
        Name(type_, value, tuple(words), bool(entry.get("spelling_tolerant")))
        for type_, entry in types.items()
        for value, words in entry["names"].items()
    )
    return Gazetteer(names=names, filters=frozenset(type_ for type_, entry in types.items() if entry.get("filter")))


def read_packs(among: Iterable[Pack]) -> list[PackUnderstanding]:
    """What every pack with intents brings. One with a file that is wrong is named in the log and is not understood: the
    rest is."""
    found = []
    for pack in among:
        try:
            if pack.intents:
                found.append(read_pack(pack.name, pack.folder, pack.texts))
        except PackInvalid as error:
            log.error("pack is not understood", extra={"pack": pack.name, "reason": str(error)})  # noqa: TRY400  # the reason says it all
    return found


def in_order(packs: Iterable[PackUnderstanding]) -> list[PackUnderstanding]:
    """The platform's first, then by name: the same packs teach the same, in whatever order somebody has named them."""
    return sorted(packs, key=lambda one: (one.name != PLATFORM, one.name))


def read_pack(name: str, folder: Path, texts: Mapping[str, Mapping[str, str]]) -> PackUnderstanding:
    """Reads intents.yaml of a pack's folder, and topics, gazetteer, details and cues where they are. Raises PackInvalid
    for the first file that is wrong."""
    gazetteer = folder / "gazetteer.yaml"
    return PackUnderstanding(
        name=name,
        intents=checked(folder / "intents.yaml", _intents),
        sentences=checked(folder / "sentences.jsonl", read_sentences),
        follows=checked(folder / "follows.jsonl", read_sentences),
        stand_ins=checked(folder / "stand_ins.yaml", read_stand_ins),
        beside=checked(folder / "beside.jsonl", read_sentences),
        topics=checked(folder / "topics.yaml", read_topics),
        gazetteer=checked(gazetteer, read_gazetteer) if gazetteer.exists() else Gazetteer(),
        details=checked(folder / "details.yaml", read_details),
        cues=checked(folder / "cues.yaml", read_cues),
        texts=texts,
    )


def checked(path: Path, read: Callable[[Path], T]) -> T:
    """What a file says. Raises PackInvalid when it says something else than it may."""
    try:
        return read(path)
    except re.error as error:
        raise PackInvalid(f"{path}: {error.pattern!r} is no regular expression: {error}") from None
    except KeyError as error:
        raise PackInvalid(f"{path}: {error} is missing") from None
    except ValueError as error:
        raise PackInvalid(f"{path}: {error}") from None
    except (TypeError, AttributeError) as error:
        raise PackInvalid(f"{path}: it is not of the form that such a file has: {error}") from None


def _intents(path: Path) -> tuple[IntentSpec, ...]:
    return tuple(IntentSpec.model_validate(one) for one in read_yaml(path))


def read_topics(path: Path) -> tuple[TopicSpec, ...]:
    """Reads topics.yaml; a file that is not there is one without topics."""
    found = tuple(TopicSpec.model_validate(one) for one in _entries(path))
    for word in (word for topic in found for words in topic.words.values() for word in words):
        bounded(word)  # as the finder of topics does
    return found


def read_stand_ins(path: Path) -> StandIns:
    """Reads stand_ins.yaml: slot -> language -> [names]; a file that is not there has none."""
    found = read_yaml(path) if path.exists() else {}
    return {
        slot: {language: tuple(map(str, names)) for language, names in some.items()} for slot, some in found.items()
    }


def span_finder(
    packs: Sequence[PackUnderstanding], said: Sequence[Sentence], follows: Sequence[Sentence]
) -> SpanFinder:
    """Learns the names that are marked in the sentences of all packs, or reads back what was learned."""
    stand_ins = {slot: some for pack in packs for slot, some in pack.stand_ins.items()}
    taught = {one.intent for one in said if one.spans}
    examples = (spec for pack in packs for spec in pack.intents if spec.intent not in taught)
    others = [text for spec in examples for some in spec.examples.values() for text in some]
    return SpanFinder([*said, *follows], stand_ins, [*others, *(one.text for one in said if one.intent not in taught)])


def _entries(path: Path) -> Any:
    return read_yaml(path) if path.exists() else ()
