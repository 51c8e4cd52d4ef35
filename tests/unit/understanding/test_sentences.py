"""How well unseen sentences are understood. Thresholds were chosen on dev_sentences.jsonl, never on sentences.jsonl."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from contracts.cognitive import CognitiveInput
from contracts.packs import IntentSpec
from understanding.offline.understand import SentenceReader
from understanding.result import Understanding

HERE = Path(__file__).parent
Case = dict[str, Any]


def read(name: str) -> list[Case]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def understood(understander: SentenceReader) -> list[tuple[Case, Understanding]]:
    now = datetime.fromisoformat("2026-09-28T14:30:00+00:00")
    return [(case, understander.understand(CognitiveInput(text=case["text"]), now)) for case in read("sentences.jsonl")]


def is_right(case: Case, understanding: Understanding) -> bool:
    """A question where the sentence was clear counts as wrong."""
    return not understanding.ambiguities and understanding.intent.name == case["intent"]


def asks_or_declines(understanding: Understanding) -> bool:
    return bool(understanding.ambiguities) or understanding.intent.name == "INQUIRY.unsupported"


def test_the_set_has_enough_sentences_of_each_language_and_none_is_an_example(pack):
    cases = read("sentences.jsonl")
    examples = {text for spec in pack.intents for texts in spec.examples.values() for text in texts}
    counts = Counter(case["lang"] for case in cases)
    assert counts["ko"] >= 45
    assert counts["en"] >= 25
    assert counts["ja"] >= 20
    assert not examples & {case["text"] for case in cases + read("dev_sentences.jsonl")}


def test_nine_of_ten_unseen_sentences_get_their_intent(understood):
    clear = [(case, one) for case, one in understood if case["intent"]]
    wrong = [(case["text"], one.intent) for case, one in clear if not is_right(case, one)]
    assert len(wrong) / len(clear) <= 0.1, wrong


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_every_language_is_understood(understood, language):
    clear = [(case, one) for case, one in understood if case["intent"] and case["lang"] == language]
    assert sum(is_right(case, one) for case, one in clear) / len(clear) >= 0.85


def test_nine_of_ten_sentences_that_mean_nothing_lead_to_a_question_or_a_polite_no(understood):
    unclear = [one for case, one in understood if case["intent"] is None]
    assert sum(asks_or_declines(one) for one in unclear) / len(unclear) >= 0.9


def test_nine_of_ten_sentences_get_exactly_their_goals(understood):
    with_goals = [(case, one) for case, one in understood if "goals" in case]
    wrong = [
        (case["text"], one.plan_hint.goals) for case, one in with_goals if list(one.plan_hint.goals) != case["goals"]
    ]
    assert len(wrong) / len(with_goals) <= 0.1, wrong


def test_every_category_has_ten_examples_in_every_language(platform, pack):
    counts: Counter[tuple[str, str]] = Counter()
    for spec in (*platform.intents, *pack.intents):
        if is_work(spec):
            category = ".".join(spec.intent.split(".")[:2])
            counts.update(
                {(category, language): len(spec.examples.get(language, ())) for language in ("ko", "en", "ja")}
            )
    assert {key: count for key, count in counts.items() if count < 10} == {}


def is_work(spec: IntentSpec) -> bool:
    return bool(spec.goals) or spec.intent.startswith("INQUIRY.")


def test_the_same_sentence_is_read_the_same_by_two_models(every_pack, encoder, understander, now):
    message = CognitiveInput(text="지난 분기 리뷰 감성 분석해서 리포트로 만들어줘")
    assert SentenceReader(every_pack, encoder).understand(message, now) == understander.understand(message, now)
