"""Which intent a reading leads to."""

import pytest

from backbone import packs
from contracts.cognitive import Intent
from understanding.offline.catalogue import IntentCatalogue
from understanding.offline.intent import Reading, intent_of
from understanding.offline.pack import read_packs
from understanding.offline.settle import Settler
from understanding.offline.topics import Named


@pytest.fixture(scope="module")
def settler() -> Settler:
    return Settler(IntentCatalogue(read_packs(packs.load(("transfer", "assistant")).packs.values())))


def settled(settler: Settler, nothing: float, **likely: float) -> str | None:
    intents: tuple[Intent, ...] = tuple(intent_of(name.replace("_", "."), share) for name, share in likely.items())
    spec = settler.settle(Reading(intents, nothing, sure=False), Named()).spec
    return spec.intent if spec else None


def test_of_two_that_only_look_something_up_in_one_domain_the_likelier_is_shown(settler: Settler) -> None:
    assert settled(settler, 0.1, TRANSFER_balance=0.3, TRANSFER_history=0.28) == "TRANSFER.balance"


@pytest.mark.parametrize(
    ("nothing", "likely"),
    [
        (0.1, {"TRANSFER": 0.3, "TRANSFER_history": 0.28}),  # it would begin a transfer
        (0.1, {"TRANSFER_balance": 0.3, "ASSISTANT_memory": 0.28}),
        (0.1, {"TRANSFER_balance": 0.2, "TRANSFER_history": 0.18}),
        (0.6, {"TRANSFER_balance": 0.3, "TRANSFER_history": 0.28}),
    ],
)
def test_of_any_others_the_person_is_asked(settler: Settler, nothing: float, likely: dict[str, float]) -> None:
    assert settled(settler, nothing, **likely) is None
