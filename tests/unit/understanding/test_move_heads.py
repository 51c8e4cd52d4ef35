"""What the quantities of labelled turns are is read once, and again when what reads them is another."""

from pathlib import Path

import pytest

from understanding.offline import turn_moves
from understanding.offline.encoder import NgramEncoder
from understanding.offline.turn_moves import LabelledTurn, LearnedMoveHead

TURNS = tuple(
    LabelledTurn(lang="en", move=move, text=text)
    for move, text in (
        ("yes", "yes, the 20 dollars"), ("no", "leave it"), ("value", "rather 30 dollars"), ("add", "{Ann} gets 5 too"),
        ("yes", "fine by me"), ("other", "what is the weather"),
    )
)  # fmt: skip


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The turns whose quantities are read."""
    monkeypatch.setenv("DREAM_CACHE_DIR", str(tmp_path / "cache"))
    texts: list[str] = []
    quantities = turn_moves._quantities

    def counted(text: str, language: str):
        texts.append(text)
        return quantities(text, language)

    monkeypatch.setattr(turn_moves, "_quantities", counted)
    return texts


def agrees(head: LearnedMoveHead, text: str) -> float:
    return head.agrees(text, (), (), lambda _: False)


def test_the_second_start_reads_no_turn_again(reads: list[str]) -> None:
    first = LearnedMoveHead(TURNS, NgramEncoder())
    assert reads[3] == "Ann gets 5 too" and len(reads) == len(TURNS)
    second = LearnedMoveHead(TURNS, NgramEncoder())
    assert len(reads) == len(TURNS)
    assert agrees(second, "fine by me") == agrees(first, "fine by me") > 0
    assert agrees(second, "strange words") == 0


def test_another_turn_or_another_grammar_is_read(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    LearnedMoveHead(TURNS, NgramEncoder())
    LearnedMoveHead((*TURNS, LabelledTurn(lang="en", move="no", text="not now")), NgramEncoder())
    assert len(reads) == 2 * len(TURNS) + 1
    monkeypatch.setattr(turn_moves, "_sources", lambda: iter((b"a grammar of tomorrow",)))
    LearnedMoveHead(TURNS, NgramEncoder())
    assert len(reads) == 3 * len(TURNS) + 1
