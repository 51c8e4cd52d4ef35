"""The bank in memory keeps what every bank promises."""

import pytest

from packs.transfer.bank.port import Bank
from tests.fakes.bank import MemoryBank
from tests.unit.packs.transfer.bank_conformance import BankConformance


class TestMemoryBank(BankConformance):
    @pytest.fixture
    def bank(self) -> Bank:
        return MemoryBank()
