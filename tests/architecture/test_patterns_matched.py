"""Understanding learns from sentences: its patterns are few. That each has a sentence that it is for is said by `make check`
(`make patterns`)."""

import re

import pytest

from contracts.patterns import bounded
from tests.architecture import unmatched


def test_words_that_speak_for_an_intent_are_few() -> None:
    assert unmatched.cues() <= unmatched.MOST_CUES


def test_all_patterns_of_understanding_are_small() -> None:
    assert 10_000 < unmatched.size() <= unmatched.MOST_BYTES


def test_a_pattern_that_matches_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, re.Pattern[str]]] = [("a.yaml", bounded("날씨")), ("a.yaml", bounded("xyzzy[0-9]plugh"))]
    monkeypatch.setattr(unmatched, "patterns", lambda: iter(made))
    monkeypatch.setattr(unmatched, "texts", lambda: ["내일 날씨 알려줘"])
    assert unmatched.unmatched() == [("a.yaml", made[1][1].pattern)]
