"""What tells a yes from the other answers to a question, made once: it looks at thousands of labelled turns."""

import pytest

from backbone import packs
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.turn_moves import LearnedMoveHead, move_heads


@pytest.fixture(scope="session")
def heads(encoder: SentenceEncoder) -> dict[str, LearnedMoveHead]:
    return move_heads(packs.load(("transfer",)).packs.values(), encoder)
