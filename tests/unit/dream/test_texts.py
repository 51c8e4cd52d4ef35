"""What the command says, in every language."""

import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from dream import texts
from dream.cli import app
from dream.texts import Texts, chosen

ALL = {language: texts._load(language) for language in texts.LANGUAGES}
EN, OTHERS = ALL["en"], ("ko", "ja")
CODE = Path(texts.__file__).parents[1]
DYNAMIC = {f"layer.{name}" for name in ("cognitive", "planning", "execution", "response")} | {
    f"status.{name}" for name in ("partial", "failed", "rejected", "expired", "cancelled")
}
FINDINGS = {
    kind
    for path in (CODE / "packs").glob("*.py")
    for kind in re.findall(r'Finding\([^\n]*?"([a-z_]+)"', path.read_text())
}
DYNAMIC |= {f"finding.{kind}{end}" for kind in FINDINGS for end in ("", ".do")}
DYNAMIC |= {f"finding.sql_{what}{end}" for what in ("word", "transaction", "unended") for end in ("", ".do")}
STEERING = [["pause", "cancel", "go_on"], ["resume", "cancel", "leave"]]
DYNAMIC |= {f"events.{name}" for name in ("version", "time", "producer", "event", "data")}
DYNAMIC |= {f"files.kind.{kind}" for kind in ("number", "date", "category", "text", "id")}
DYNAMIC |= {key for key in EN if key.startswith("files.doubt.")}
DYNAMIC |= {f"todo.skipped.{reason}" for reason in ("dependency_failed", "policy", "person", "cancelled")}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", OTHERS)
def test_all_languages_say_the_same_things(language: str) -> None:
    assert ALL[language].keys() == EN.keys()
    assert set(texts.LANGUAGES) == {"en", *OTHERS}


@pytest.mark.parametrize("language", OTHERS)
def test_all_languages_fill_in_the_same_values(language: str) -> None:
    told = ALL[language]
    assert [key for key in EN if placeholders(str(EN[key])) != placeholders(str(told[key]))] == []


@pytest.mark.parametrize(("language", "script"), [("ko", "[가-힣]"), ("ja", "[ぁ-んァ-ヶ一-龯]")])
def test_a_language_is_written_in_its_script(language: str, script: str) -> None:
    """What has no letter of it is a name, a command, or marks."""
    plain = {key for key, text in ALL[language].items() if isinstance(text, str) and not re.search(script, text)}
    assert {key for key in plain if ALL[language][key] != EN[key]} == set()


@pytest.mark.parametrize("group", ["plan.words.", "steer.words."])
def test_no_word_means_two_things_at_one_prompt_whatever_its_language(group: str) -> None:
    prompts = [["approve", "edit", "reject", "stop"]] if group == "plan.words." else STEERING
    for names in prompts:
        said = [{str(word) for told in ALL.values() for word in told[group + name]} for name in names]
        assert sum(map(len, said)) == len(set.union(*said))


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_a_word_counts_in_every_language_however_it_is_written(language: str) -> None:
    yes = {"yes": "plan.words.approve"}
    assert [Texts(language).meant(said, yes) for said in (" OK! ", "네.", "はい。", "maybe", "")] == ["yes"] * 3 + [
        ""
    ] * 2


def test_every_text_is_used_and_every_used_text_exists() -> None:
    code = "".join(path.read_text() for path in CODE.rglob("*.py"))
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
        ("ja", {"LANG": "en_US"}, "ja"),
        (None, {"LC_ALL": "ja_JP.UTF-8", "LANG": "ko_KR"}, "ja"),
        (None, {"LANG": "de_DE.UTF-8"}, "en"),
        ("fr", {}, "en"),
    ],
)
def test_the_language_is_the_one_asked_for_else_that_of_the_locale(asked, environment, language) -> None:
    assert chosen(asked, environment).language == language


def test_values_are_filled_in() -> None:
    assert Texts("ko")("session.line", session="x") == "세션 x"


def test_every_finding_of_pack_check_says_what_is_wrong_and_what_to_do() -> None:
    assert len(FINDINGS) > 15
    assert {f"finding.{kind}{end}" for kind in FINDINGS for end in ("", ".do")} <= EN.keys()


def leaves(command: Any, path: tuple[str, ...] = ("dream",)) -> Iterator[tuple[str, Any]]:
    """Every command that does something, with the words that call it."""
    for name, one in getattr(command, "commands", {}).items():
        yield from leaves(one, (*path, name))
    if not getattr(command, "commands", None):
        yield " ".join(path), command


def test_the_help_of_every_command_has_an_example_its_exit_codes_and_a_word_on_each_option() -> None:
    commands = [one for one in leaves(typer.main.get_command(app.app)) if one[0] != "dream version"]
    assert len(commands) > 20
    lacking = [words for words, one in commands if f"{words} " not in f"{one.help} ".replace("\n", " ")]
    lacking += [words for words, one in commands if not re.search("Exit code|종료 코드|終了コード", one.help)]
    lacking += [f"{words} {one.name}" for words, command in commands for one in command.params if not one.help]
    assert lacking == []


@pytest.mark.parametrize("language", OTHERS)
def test_help_gives_the_same_examples_and_exit_codes_in_every_language(language: str) -> None:
    """An example may say other words; it calls the same command with the same options."""

    def told(text: str) -> tuple[list[list[str]], bool]:
        calls = [
            re.findall(r"(?<!\S)(?:dream(?: [a-z]+)*|--[a-z-]+)", line)
            for line in text.splitlines()
            if line.startswith(("dream ", "printf "))
        ]
        return calls, bool(re.search("Exit code|종료 코드|終了コード", text))

    helps = [key for key in EN if key.startswith("help.") and "\n" in str(EN[key])]
    assert [key for key in helps if told(EN[key])[1] != told(ALL[language][key])[1]] == []
    assert [key for key in helps if told(EN[key])[0] != told(ALL[language][key])[0]] == []
