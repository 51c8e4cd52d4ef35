"""The bank in memory keeps what every bank promises."""

import pytest

from packs.transfer.bank.memory import MemoryBank
from packs.transfer.bank.port import Bank
from tests.unit.packs.transfer.bank_conformance import BankConformance


class TestMemoryBank(BankConformance):
    @pytest.fixture
    def bank(self) -> Bank:
        return MemoryBank()
