"""The pack as a whole: what its readers read, and that its files agree with each other."""

from datetime import UTC, datetime
from pathlib import Path
from string import Formatter

import pytest

from backbone import packs
from backbone.model.prompts import Prompt
from contracts.agents import REPORT_PROGRESS, LoopState
from contracts.reading import Clause
from packs.documents import reading
from services.execution.domain.loop import offered, why_not_callable
from understanding.kit.data import read_data

CASES = read_data(Path(reading.__file__).with_name("cases.yaml"))
CATALOGUE = packs.load(("documents",))
PACK = CATALOGUE.packs["documents"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_a_sentence_says_these_slots(case):
    readers = {"DOCUMENTS.search": reading.read_search, "DOCUMENTS.read": reading.read_document}
    if case["intent"] not in readers:
        assert case["slots"] == {}
        return
    found = list(readers[case["intent"]](Clause(case["text"], case["lang"], datetime.now(UTC))))
    assert found == ([case["slots"]] if case["slots"] is not None else [])


def test_what_was_asked_for_is_taken_as_it_is_said():
    clause = Clause("지난 대화", "ko", datetime.now(UTC), expecting=("query",))
    assert list(reading.read_search(clause)) == [{"query": "지난 대화"}]


def test_every_text_is_there_in_every_language_with_the_same_values():
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    assert set(PACK.texts) == {"ko", "en", "ja"}
    for key, text in PACK.texts["en"].items():
        for language in ("ko", "ja"):
            assert values(PACK.texts[language][key]) == values(text), (key, language)


def test_the_agents_have_all_their_tools_and_a_word_for_the_progress_of_each():
    assert not CATALOGUE.failures
    for agent in PACK.agents.values():
        tools = offered(agent, CATALOGUE.tools)
        assert set(tools) == {REPORT_PROGRESS, *agent.tools}
        assert f"{PACK.name}.{agent.agent}@1" == agent.prompt
        file = PACK.folder / "prompts" / f"{agent.agent}.yaml"
        Prompt.model_validate(read_data(file)).check(LoopState)
        for key in agent.tools:
            assert not why_not_callable(tools[key])
            assert f"progress.{key.split('.')[1]}" in PACK.texts["ko"]
