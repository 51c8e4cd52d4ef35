"""All packs of the product, understood once."""

import pytest

from tests.unit.conftest import encoder, every_pack, everything
from understanding.offline.adapter import OfflineUnderstander
from understanding.offline.understand import SentenceReader as Engine

__all__ = ["encoder", "every_pack", "everything"]


@pytest.fixture(scope="session")
def offline(everything: Engine) -> OfflineUnderstander:
    return OfflineUnderstander(everything)
