"""What teaches is no test: no sentence of a test set, nor any that is shown to people, is among examples and labelled data.

Compared without spaces, marks, case and width, so that a full stop does not make another sentence of it."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.understanding_cross import plain
from understanding.kit.data import read_data

ROOT = Path(__file__).parents[2]
TESTS = (
    "bench/data/understanding.jsonl",
    "bench/data/understanding_heldout.jsonl",
    "tests/unit/understanding/sentences.jsonl",
    "tests/unit/understanding/dev_sentences.jsonl",
    "tests/unit/understanding/everyday.jsonl",
)
QUESTIONS = ("apart", "strangers", "kept")
"""Of bench/data/documents."""


def sentences(path: Path) -> Iterator[dict[str, str]]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def taught() -> dict[str, list[tuple[str, str | None]]]:
    """What teaches, in its plain form: where it stands, and what it says it means."""
    found: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
    for path in sorted(ROOT.glob("packs/*/intents.yaml")):
        for spec in read_data(path):
            for text in (text for texts in spec.get("examples", {}).values() for text in texts):
                found[plain(text)].append((path.parent.name, spec["intent"]))
    for path in (
        *sorted(ROOT.glob("packs/*/sentences.jsonl")),
        *sorted(ROOT.glob("packs/*/beside.jsonl")),
        *sorted(ROOT.glob("understanding/data/*.jsonl")),
    ):
        for line in sentences(path):
            found[plain(line["text"])].append((path.parent.name, line["intent"]))
    found.pop("", None)
    return found


def cut() -> set[str]:
    """The whole sentences whose pieces teach."""
    lines = (line for path in ROOT.glob("packs/*/sentences.jsonl") for line in sentences(path))
    return {plain(line["of"]) for line in lines if "of" in line}


def shown() -> Iterator[tuple[str, str]]:
    """Sentences of the packs' own cases: those that guides and demonstrations show."""
    for path in sorted(ROOT.glob("packs/*/cases.yaml")):
        for case in read_data(path):
            yield path.parent.name, case.get("text", "")


@pytest.mark.parametrize("name", TESTS)
def test_no_sentence_of_a_test_set_teaches(name: str) -> None:
    known = taught().keys() | cut()
    assert [line["text"] for line in sentences(ROOT / name) if plain(line["text"]) in known] == []


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_about_a_document_that_measures_teaches(name: str) -> None:
    known = taught().keys()
    asked = sentences(ROOT / "bench" / "data" / "documents" / f"{name}.jsonl")
    assert [line["question"] for line in asked if plain(line["question"]) in known] == []


def test_no_turn_of_a_dialogue_about_documents_teaches_what_is_said_beside_one() -> None:
    taught_beside = {plain(line["text"]) for path in ROOT.glob("packs/*/beside.jsonl") for line in sentences(path)}
    names = ("dialogues_documents", "dialogues_strangers")
    dialogues = [one for name in names for one in sentences(ROOT / "bench" / "data" / f"{name}.jsonl")]
    said = [str(turn["say"]) for one in dialogues for turn in one["turns"]]  # type: ignore[index]
    assert [text for text in said if plain(text) in taught_beside] == []


def test_no_sentence_that_people_are_shown_teaches() -> None:
    known = taught()
    assert [(pack, text) for pack, text in shown() if plain(text) in known] == []


def test_no_sentence_is_taught_as_two_things() -> None:
    twice = {text: where for text, where in taught().items() if len({intent for _, intent in where}) > 1}
    assert twice == {}


def test_another_mark_space_or_width_is_the_same_sentence() -> None:
    assert plain("Ｗａｌｋ the dog!") == plain("walk  the dog") != plain("walk the dogs")


def test_what_means_nothing_is_written_in_every_language_and_of_many_topics() -> None:
    told = [
        line
        for path in (*ROOT.glob("packs/*/sentences.jsonl"), ROOT / "understanding" / "data" / "nulls.jsonl")
        for line in sentences(path)
        if "topic" in line
    ]
    assert len(told) >= 600
    assert len({line["topic"] for line in told}) >= 30
    for language in ("ko", "en", "ja"):
        assert sum(line["lang"] == language for line in told) >= 150
