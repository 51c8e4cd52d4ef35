"""How well sentences are understood that teach: each part of the file is read by a model that has learned without it.

The development sentences are labelled data of the packs (`packs/*/sentences.jsonl`), so what counts is only what a
model makes of those that it has not seen. And the same for sentences that mean nothing anybody could do: whole topics
are left out, and then told to the model."""

import dataclasses
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from backbone import packs
from understanding.offline.encoder import best_encoder
from understanding.offline.pack import PackUnderstanding, read_packs
from understanding.offline.scoring import Line
from understanding.offline.sentences import Sentence, nulls
from understanding.offline.understand import SentenceReader

DEVELOPMENT = Path(__file__).parent / "data" / "understanding_development.jsonl"
PARTS, TOPIC_PARTS = 6, 5
_NOISE = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """The text for comparison: without spaces, marks, case and width."""
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).casefold())


def parts(lines: Sequence[Line]) -> Iterator[tuple[Sequence[Line], SentenceReader]]:
    """Each part of the lines, in their order, with a model that has learned nothing of it."""
    known = read_packs(packs.load().packs.values())
    borders = [len(lines) * part // PARTS for part in range(PARTS + 1)]
    for start, end in pairwise(borders):
        part = lines[start:end]
        yield part, without({plain(line.text) for line in part}, known)


def topics() -> Iterator[tuple[Sequence[Line], SentenceReader]]:
    """Sentences of some topics that nobody here does, with a model that has learned nothing about these topics."""
    known = read_packs(packs.load().packs.values())
    about = [one for pack in known for one in pack.sentences if one.topic] + [one for one in nulls() if one.topic]
    named = sorted({str(one.topic) for one in about})
    for part in range(TOPIC_PARTS):
        some = set(named[part::TOPIC_PARTS])
        left_out = [one for one in about if one.topic in some]
        lines = [Line(lang=one.lang, text=one.text, intent=None) for one in left_out]
        yield lines, without({plain(line.text) for line in lines}, known)


def without(texts: Collection[str], known: Sequence[PackUnderstanding]) -> SentenceReader:
    """A model that has learned neither these texts nor pieces of them."""

    def kept(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
        return tuple(one for one in sentences if plain(one.whole) not in texts)

    left = [dataclasses.replace(pack, sentences=kept(pack.sentences)) for pack in known]
    return SentenceReader(left, best_encoder(), kept(nulls()))
