"""The offline adapter in a thread."""

import pytest

from tests.understanding.conformance import UnderstanderConformance
from understanding.offline.adapter import OfflineUnderstander
from understanding.port import Understander


class TestInAThread(UnderstanderConformance):
    @pytest.fixture
    def understander(self, offline: OfflineUnderstander) -> Understander:
        return offline
