"""Examples are added to the text of a file: what somebody wrote around them stays to the letter."""

from pathlib import Path

import pytest
import yaml

from backbone.packs import PackInvalid
from dream.learning.intents_file import Example, with_examples

FILE = Path("intents.yaml")
TEXT = """# what people say
- intent: A.one # the first
  label: a
  examples:
    ko:
      - 하나
      - "둘: 셋"   # quoted
    en: [one, "two, three"]

# the second one
- intent: A.two
  label: b
  examples: {ko: [가]}
"""
SENTENCES = [
    "그냥 말",
    "key: value # no comment",
    "- dash",
    "yes",
    "'\"\\",
    "123",
    "[x], {y}",
    " 앞뒤 ",
    "여러\n줄",
    "😀 é",
]


@pytest.mark.parametrize(
    ("intent", "language"), [("A.one", "ko"), ("A.one", "en"), ("A.one", "ja"), ("A.two", "ko"), ("A.two", "ja")]
)
def test_any_sentence_is_read_again_as_it_was_said(intent: str, language: str) -> None:
    added = with_examples(FILE, TEXT, [Example(intent, language, sentence) for sentence in SENTENCES])
    before, after = ({one["intent"]: one["examples"] for one in yaml.safe_load(text)} for text in (TEXT, added))
    assert after[intent][language] == [*before[intent].get(language, []), *SENTENCES]
    after[intent][language] = before[intent].get(language)
    assert {name: {k: v for k, v in one.items() if v} for name, one in after.items()} == before


def test_comments_and_other_lines_stay_where_they_are() -> None:
    added = with_examples(FILE, TEXT, [Example("A.one", "ko", "넷")])
    assert added == TEXT.replace("# quoted\n", "# quoted\n      - 넷\n")


def test_a_file_without_a_last_line_end_gets_one() -> None:
    text = "- intent: A\n  examples:\n    ko:\n      - 가"
    assert with_examples(FILE, text, [Example("A", "ko", "나")]) == f"{text}\n      - 나\n"


def test_an_intent_that_is_not_there_is_named() -> None:
    with pytest.raises(PackInvalid, match=r"A\.none.*넷"):
        with_examples(FILE, TEXT, [Example("A.none", "ko", "넷")])
