"""What the command says, in both languages."""

import re
import string
from pathlib import Path

import pytest

from dream import texts
from dream.texts import Texts, chosen

EN, KO = (texts._load(language) for language in texts.LANGUAGES)
CODE = Path(texts.__file__).parents[1]
DYNAMIC = {f"layer.{name}" for name in ("cognitive", "planning", "execution", "response")} | {
    f"status.{name}" for name in ("partial", "failed", "rejected", "expired", "cancelled")
}
FINDINGS = {
    kind for path in CODE.glob("pack_*.py") for kind in re.findall(r'Finding\([^\n]*?"([a-z_]+)"', path.read_text())
}
DYNAMIC |= {f"finding.{kind}{end}" for kind in FINDINGS for end in ("", ".do")}
DYNAMIC |= {f"events.{name}" for name in ("version", "time", "producer", "event", "data")}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_say_the_same_things() -> None:
    assert EN.keys() == KO.keys()


@pytest.mark.parametrize("key", EN)
def test_both_languages_fill_in_the_same_values(key: str) -> None:
    assert placeholders(str(EN[key])) == placeholders(str(KO[key]))


def test_every_text_is_used_and_every_used_text_exists() -> None:
    code = "".join(path.read_text() for path in CODE.glob("*.py"))
    named = set(re.findall(r"""["']([a-z_]+\.[a-z_]+(?:\.[a-z_]+)?)["']""", code))
    assert {key for key in EN if key not in named and key not in DYNAMIC and not key.startswith("plan.words.")} == set()
    wanted = set(re.findall(r'(?:texts|HELP|say|_say|_line|Unclear)\("([a-z_.]+)"', code))
    assert wanted <= EN.keys()


@pytest.mark.parametrize(
    ("asked", "environment", "language"),
    [
        (None, {}, "en"),
        (None, {"LANG": "ko_KR.UTF-8"}, "ko"),
        (None, {"LC_ALL": "C", "LANG": "ko_KR.UTF-8"}, "en"),
        ("ko", {"LANG": "en_US"}, "ko"),
        ("en", {"LANG": "ko_KR"}, "en"),
        ("ja", {}, "en"),
    ],
)
def test_the_language_is_the_one_asked_for_else_that_of_the_locale(asked, environment, language) -> None:
    assert chosen(asked, environment).language == language


def test_values_are_filled_in() -> None:
    assert Texts("ko")("session.line", session="x") == "세션 x"


def test_every_finding_of_pack_check_says_what_is_wrong_and_what_to_do() -> None:
    assert len(FINDINGS) > 15
    assert {f"finding.{kind}{end}" for kind in FINDINGS for end in ("", ".do")} <= EN.keys()
