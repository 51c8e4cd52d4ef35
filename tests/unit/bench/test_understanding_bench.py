"""The bench of understanding counts what it says it counts, and refuses files that it cannot read."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.understanding import SENTENCES, FileUnusable, Score, main, misses, read
from understanding.offline.scoring import Expected, Heard, Line, judge

MOTHER = {"target": "엄마", "amount": 30000}


def write(folder: Path, *lines: str) -> Path:
    path = folder / "sentences.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def counted(line: Line, *tasks: Expected, asks: bool = False, unclear: bool = False) -> Score:
    score = Score()
    score.add(judge(line.expected, Heard(tasks, asks, unclear)))
    return score


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "JSON"),
        ('{"lang": "fr", "text": "x", "intent": null}', "lang"),
        ('{"lang": "ko", "text": "x"}', "neither intent nor tasks"),
        ('{"lang": "ko", "text": "x", "intent": "A", "slots": 1}', "slots"),
        ('["ko", "x"]', "object"),
        ('{"lang": "ko", "text": "x", "intent": null, "now": "2026-01-01T00:00:00"}', "now"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_what_is_wrong(tmp_path, capsys, line, word):
    path = write(tmp_path, '{"lang": "ko", "text": "안녕", "intent": null}', line)
    with pytest.raises(FileUnusable, match="line 2") as caught:
        read(path)
    assert word in str(caught.value)
    assert main(["--file", str(path)]) == 2
    assert "line 2" in capsys.readouterr().err


def test_what_others_note_beside_their_sentences_is_named_and_left_out(tmp_path, capsys):
    path = write(
        tmp_path,
        '{"id": 7, "lang": "ko", "text": "안녕", "intent": "INQUIRY.general", "slots": null}',
        '{"lang": "ko", "text": "둘", "intent": "A", "tasks": [{"intent": "A"}, {"intent": "B", "slots": null}]}',
    )
    one, two = read(path)
    assert (one.intent, one.slots, [task.intent for task in two.expected]) == ("INQUIRY.general", {}, ["A", "B"])
    said = capsys.readouterr().err
    assert "'id' is not read (1 lines)" in said and "'intent' is not read (1 lines)" in said


def test_a_file_without_sentences_is_no_success(tmp_path):
    with pytest.raises(FileUnusable, match="no sentences"):
        read(write(tmp_path, "", " "))


def test_a_slot_counts_when_its_value_is_the_same_whatever_its_case():
    line = Line(lang="en", text="x", intent="TRANSFER", slots={"target": "Mom", "amount": 100, "date": "2026-01-01"})
    score = counted(line, Expected(intent="TRANSFER", slots={"target": " mom", "amount": 1000, "date": "2026-01-01"}))
    assert (score.intents, score.slots) == (Counter({True: 1}), Counter({True: 2, False: 1}))
    assert score.figures == Counter({True: 1, False: 1})


def test_a_wrong_intent_has_no_slots():
    score = counted(Line(lang="ko", text="x", intent="TRANSFER", slots=MOTHER), Expected(intent="DEVICES.song"))
    assert score.intents == Counter({False: 1})
    assert score.slots == Counter({False: 2})


def test_several_tasks_are_right_in_their_order_only():
    line = Line.model_validate(
        {"lang": "ko", "text": "x", "tasks": [{"intent": "TRANSFER", "slots": MOTHER}, {"intent": "DEVICES.song"}]}
    )
    first, second = Expected(intent="TRANSFER", slots=MOTHER), Expected(intent="DEVICES.song")
    assert counted(line, first, second).intents[True] == 1
    assert counted(line, second, first).intents[True] == 0
    assert counted(line, first).intents[True] == 0


def test_an_intent_that_has_to_be_asked_about_is_not_right():
    assert counted(Line(lang="ko", text="x", intent="A"), Expected(intent="A"), asks=True, unclear=True).intents[False]


def test_a_null_sentence_is_right_when_it_is_asked_about():
    line = Line(lang="ko", text="그거", intent=None)
    assert counted(line, Expected(intent="A"), asks=True, unclear=True).nulls == Counter({True: 1})
    assert counted(line, Expected(intent="A")).nulls == Counter({False: 1})


def test_every_bound_that_is_missed_is_named():
    report: dict[str, Any] = {"intent_accuracy": 0.9, "null_asked": 0.8, "p50_ms": 20.0, "added_mb": 400.0}
    report |= {"ko": {"money_date_exact": 0.97}, "en": {"money_date_exact": None}}
    assert len(misses(report)) == 5
    assert not misses({"intent_accuracy": 0.95, "null_asked": None, "p50_ms": 2.0, "added_mb": 4.0})


@pytest.mark.parametrize("name", ["understanding_development.jsonl", "understanding_heldout.jsonl"])
def test_sentences_of_other_hands_can_be_read(name):
    assert len(read(SENTENCES.with_name(name))) >= 200


def test_our_own_sentences_are_enough_and_each_is_once():
    lines = read(SENTENCES)
    count = Counter(line.lang for line in lines)
    assert (count["ko"] >= 200, count["en"] >= 120, count["ja"] >= 80) == (True, True, True)
    assert len({(line.lang, line.text) for line in lines}) == len(lines)


def test_our_own_sentences_are_no_examples_of_a_pack():
    from backbone import packs

    catalogue = packs.load()
    known = {
        text for pack in catalogue.packs.values() for spec in pack.intents for texts in spec.examples.values()
        for text in texts
    }  # fmt: skip
    assert [line.text for line in read(SENTENCES) if line.text in known] == []
