"""Labelled sentences teach: what a pack's file says is understood, what means nothing is asked about, two close intents
lead to the question between the two."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from backbone.packs import PackInvalid
from contracts.cognitive import CognitiveInput, Intent
from contracts.packs import IntentSpec
from understanding.offline.catalogue import IntentCatalogue
from understanding.offline.encoder import SentenceEncoder
from understanding.offline.intent import IntentModel, intent_of
from understanding.offline.pack import PackUnderstanding, checked
from understanding.offline.sentences import Sentence, nulls, read_sentences
from understanding.offline.understand import SentenceReader

SPECS = (
    IntentSpec(intent="BAKERY.order", tool="bakery.order", label="order", examples={"en": ("bake me a loaf of rye",)}),
    IntentSpec(intent="BAKERY.hours", tool="bakery.hours", label="hours", examples={"en": ("when do you open",)}),
)


def said(*lines: tuple[str, str | None]) -> tuple[Sentence, ...]:
    return tuple(Sentence(lang="en", text=text, intent=intent) for text, intent in lines)


def test_a_line_in_a_packs_file_teaches_without_code(encoder: SentenceEncoder) -> None:
    more = said(("twelve of the usual for Thursday", "BAKERY.order"), ("a dozen as ever", "BAKERY.order"))
    told = "the usual dozen, please"
    before = IntentModel(SPECS, encoder).read(told).best
    after = IntentModel(SPECS, encoder, sentences=more).read(told).best
    assert after.name == "BAKERY.order"
    assert after.confidence > before.confidence + 0.1


def test_what_means_nothing_is_told_apart_by_sentences_without_an_intent(encoder: SentenceEncoder) -> None:
    told = "is there life on other planets"
    guessed = IntentModel(SPECS, encoder).read(told)
    refused = IntentModel(SPECS, encoder, sentences=said(("what is the moon made of", None), ("how far is Mars", None)))
    assert guessed.nothing < refused.read(told).nothing
    assert not refused.read(told).sure


def test_a_sentence_of_a_pack_that_is_not_there_teaches_nothing(encoder: SentenceEncoder) -> None:
    model = IntentModel(SPECS, encoder, sentences=said(("mend my shoes", "COBBLER.mend")))
    assert {one.name for one in model.read("mend my shoes").intents} == {"BAKERY.order", "BAKERY.hours"}


def test_a_model_that_learned_other_sentences_is_another_one(encoder: SentenceEncoder) -> None:
    alone, more = (
        IntentModel(SPECS, encoder),
        IntentModel(SPECS, encoder, sentences=said(("open on Sunday?", SPECS[1].intent))),
    )
    assert alone.read("open today?").best.confidence != more.read("open today?").best.confidence


def test_many_sentences_are_read_as_each_alone(everything: SentenceReader) -> None:
    texts = ["오늘 서울 날씨", "play some jazz", "", "予定を見せて" * 200]
    model = everything.intents
    for text, together in zip(texts, model.read_all(texts), strict=True):
        assert together.best.name == model.read(text).best.name
        assert together.best.confidence == pytest.approx(model.read(text).best.confidence, abs=1e-3)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"lang": "en", "text": "x"}', "intent"),
        ('{"lang": "fr", "text": "x", "intent": null}', "lang"),
        ('{"lang": "en", "text": "", "intent": null}', "text"),
        ("{", "JSON"),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, line: str, word: str) -> None:
    path = tmp_path / "sentences.jsonl"
    path.write_text(json.dumps({"lang": "en", "text": "fine", "intent": None}) + f"\n{line}\n", encoding="utf-8")
    with pytest.raises(PackInvalid, match="line 2") as caught:
        checked(path, read_sentences)
    assert word in str(caught.value)


def test_a_pack_needs_no_such_file(tmp_path: Path) -> None:
    assert read_sentences(tmp_path / "sentences.jsonl") == ()


def ranked(*chances: tuple[str, float]) -> tuple[Intent, ...]:
    return tuple(intent_of(name, chance) for name, chance in chances)


@pytest.mark.parametrize(
    ("chances", "offered"),
    [
        ([("A.one", 0.28), ("A.two", 0.2), ("A.three", 0.05)], ["A.one", "A.two"]),
        ([("A.one", 0.28), ("A.two", 0.2), ("A.three", 0.15)], []),  # a third one may be meant as well
        ([("A.one", 0.28), ("A.two", 0.05), ("A.three", 0.01)], []),  # one alone is likely
        ([("A.one", 0.08), ("A.two", 0.07), ("A.three", 0.01)], []),  # none is
    ],
)
def test_two_close_intents_are_asked_about_and_nothing_else(
    chances: list[tuple[str, float]], offered: list[str]
) -> None:
    specs = tuple(IntentSpec(intent=name, tool="a.tool", label=name, examples={}) for name, _ in chances)
    catalogue = IntentCatalogue([PackUnderstanding("a", specs)])
    assert [one.value for one in catalogue.close(ranked(*chances))] == offered


def test_between_two_packs_intents_that_fit_alike_the_person_chooses(encoder: SentenceEncoder, now: datetime) -> None:
    """Two packs take the same sentences for different work: neither is guessed."""
    words = ("water the lemon tree", "give the lemon tree some water")
    packs = [
        PackUnderstanding(
            name, (IntentSpec(intent=f"{name.upper()}.water", tool="a.tool", label="l", examples={"en": words}),)
        )
        for name in ("garden", "farm", "house", "roof")
    ][:2]
    other = PackUnderstanding("other", SPECS)
    model = SentenceReader((*packs, other), encoder, nulls())
    (doubt,) = model.understand(CognitiveInput(text="is the water good for the tree"), now).ambiguities
    assert {one.value for one in doubt.choices} == {"GARDEN.water", "FARM.water"}
