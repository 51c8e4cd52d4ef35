"""The question about a gated call says what it opens: the tool by the catalogue, and with which arguments."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbone import packs
from contracts.agents import ToolCall
from services.execution.domain.question import VALUE_LIMIT, DecisionRequests, as_call, visible
from tests.unit.services.plans import todo

CATALOGUE = packs.load(("transfer",))
TOOL = "transfer.send"
HARMLESS = {"ko": "리뷰 파일 정리하기", "en": "Tidy up the review file", "ja": "レビューの整理"}


def asker(language: str) -> DecisionRequests:
    return DecisionRequests(UUID(int=7), language, CATALOGUE.say, datetime(2026, 3, 1, tzinfo=UTC))


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_the_tool_is_called_what_the_catalogue_calls_it_whatever_an_editor_did(language: str):
    item = todo(
        "t9", tool=TOOL, title=HARMLESS[language], params={"target": "이모", "amount": 730_000, "memo": "세뱃돈"}
    )
    title = CATALOGUE.title(TOOL, language)
    asked = asker(language).about_tool(item, 1, title, "0" * 64)
    assert HARMLESS[language] not in asked.question
    for said in (title, TOOL, 'target = "이모"', "amount = 730000", 'memo = "세뱃돈"'):
        assert said in asked.question


def test_a_call_of_an_agent_is_asked_about_in_the_same_words():
    arguments = {"target": "형", "amount": 12}
    call = ToolCall(call_id="c1", tool=TOOL, arguments=arguments)
    item = todo("t1", tool=TOOL, params=arguments)
    of_agent = asker("en").about_call(item, 1, call, "Send money")
    assert of_agent.question == asker("en").about_tool(item, 1, "Send money", "0" * 64).question
    assert 'target = "형", amount = 12' in of_agent.question


def test_text_does_not_pass_for_another_argument():
    said = as_call("a.b", {"target": 'Mom", amount = 1, x = "', "amount": 5}, str)
    assert said == r'a.b: target = "Mom\", amount = 1, x = \"", amount = 5'


def test_what_steers_the_eye_is_not_in_the_sentence():
    """Right-to-left overrides, zero widths, fillers, line ends and heaps of marks."""
    wild = "pay\u202e000,09\u2066\u200b\ufeff\u3164\n\r\tto\x07\x1b[2J a" + "\u0335" * 40 + "\U000e0041"
    shown = visible(wild, 200)
    assert shown == "pay000,09 to[2J a" + "\u0335" * 3
    item = todo("t1", tool=TOOL, params={"target": wild, "am\u202eount": {"\u2067x": wild}})
    asked = asker("en").about_tool(item, 1, f"Send{wild}", "0" * 64).question
    assert not any(character in asked for character in "\u202e\u2066\u2067\u200b\ufeff\u3164\n\r\t\x07\x1b\U000e0041")


def test_a_long_sentence_is_cut_where_it_says_so_and_no_argument_hides_behind_another():
    params = {"memo": "가" * 90_000, "amount": 3}
    asked = asker("ko").about_tool(todo("t1", tool=TOOL, params=params), 1, "송금", "0" * 64).question
    assert "… (90,000)" in asked
    assert "amount = 3" in asked
    many = {f"p{number}": number for number in range(57)}
    asked = asker("ja").about_tool(todo("t1", tool=TOOL, params=many), 1, "T" * 5000, "0" * 64).question
    assert "ほか37件" in asked
    assert len(asked) < 1000


@given(st.text(max_size=2000), st.integers(1, VALUE_LIMIT))
def test_any_text_is_one_bounded_line(text: str, limit: int):
    shown = visible(text, limit)
    assert len(shown.splitlines()) <= 1
    assert len(shown) <= limit + 20
    assert visible(shown, limit + 20) == shown


def test_without_arguments_there_is_nothing_to_add():
    asked = asker("en").about_tool(todo("t1", tool=TOOL, params={}), 1, "Send money", "0" * 64)
    assert asked.question == "May I do this: Send money? (transfer.send)"
