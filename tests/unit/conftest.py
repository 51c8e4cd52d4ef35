"""The understanding of the platform and the marketing pack, built once: loading the sentence weights takes a second."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backbone import packs
from understanding.kit.data import read_data
from understanding.offline.encoder import SentenceEncoder, best_encoder
from understanding.offline.pack import PackUnderstanding, read_pack, read_packs
from understanding.offline.understand import SentenceReader

PACK = Path(__file__).parents[2] / "packs" / "marketing"


def read_texts() -> Mapping[str, Mapping[str, str]]:
    folder = PACK / "texts_understanding"
    return {language: read_data(folder / f"{language}.yaml") for language in ("ko", "en", "ja")}


@pytest.fixture(scope="session")
def pack() -> PackUnderstanding:
    return read_pack("marketing", PACK, read_texts())


@pytest.fixture(scope="session")
def encoder() -> SentenceEncoder:
    """The weights, loaded once."""
    return best_encoder()


@pytest.fixture(scope="session")
def platform() -> PackUnderstanding:
    """What every house understands: questions about the product, courtesies, small talk."""
    (found,) = read_packs(packs.load((packs.PLATFORM,)).packs.values())
    return found


@pytest.fixture(scope="session")
def understander(everything: SentenceReader) -> SentenceReader:
    """The same: what the two packs above teach alone would be learned first, for fifteen seconds."""
    return everything


@pytest.fixture(scope="session")
def every_pack() -> tuple[PackUnderstanding, ...]:
    """All packs of the product that understand something, with the platform's words."""
    loaded = packs.load().packs.values()  # in this order what they teach has been learned already
    return tuple(
        read_pack(one.name, one.folder, one.texts) if one.intents else PackUnderstanding(one.name, (), texts=one.texts)
        for one in loaded
    )


@pytest.fixture(scope="session")
def everything(every_pack: tuple[PackUnderstanding, ...], encoder: SentenceEncoder) -> SentenceReader:
    """The understander of the whole product."""
    return SentenceReader(every_pack, encoder)


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 9, 28, 14, 30, tzinfo=UTC)
