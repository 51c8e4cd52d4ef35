"""The command line itself: help, usage errors, commands that need no server."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.dream.fake_gateway import FakeGateway
from tests.unit.dream.scripts import asking_run

SESSION = "0197a1f0-0000-7000-8000-00000000000f"


def dream(*words: str, language: str = "C", **how: Any) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DREAM_")}
    environment |= {"LC_ALL": language, "LANG": language, "PYTHONUTF8": "1", "COLUMNS": "100"}
    command = [sys.executable, "-c", "from dream.cli import main; main()", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=50, **how)


@pytest.mark.parametrize("command", ["up", "ask", "events", "demo", "migrate", "doctor"])
def test_help_helps_in_both_languages(command: str) -> None:
    english, korean = dream(command, "--help"), dream(command, "--help", language="ko_KR.UTF-8")
    assert english.returncode == korean.returncode == 0
    assert "--data-dir" in english.stdout
    assert any("가" <= letter <= "힣" for letter in korean.stdout)
    assert not any("가" <= letter <= "힣" for letter in english.stdout.replace("이 리뷰들", ""))


def test_the_version_is_told_two_ways() -> None:
    assert dream("version").stdout == dream("--version").stdout
    assert dream("version").stdout.startswith("dream-agent ")


@pytest.mark.parametrize(
    "words",
    [
        ["ask"],
        ["ask", "x", "--file", "/nowhere.csv"],
        ["ask", "  "],
        ["ask", "x", "--session", "1"],
        ["ask", "x", "--budget", "days=3"],
        ["ask", "x", "--timezone", "Mars/Olympus"],
        ["ask", "x", "--session", SESSION, "--user", "mina"],
        ["edit", "x"],
        ["events", "x"],
        ["dance"],
    ],
)
def test_wrong_usage_is_exit_code_2(words: list[str]) -> None:
    assert dream(*words).returncode == 2


@pytest.mark.parametrize("words", [["events", SESSION], ["pause", "0197"], ["audit", "verify"], ["migrate"]])
def test_without_a_server_the_command_says_what_to_do(words: list[str], tmp_path: Path) -> None:
    done = dream(*words, "--data-dir", str(tmp_path))
    assert done.returncode == 2
    assert "dream up" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = dream("migrate", "--url", f"postgresql://postgres@/x?host={tmp_path}")
    assert done.returncode == 3
    assert done.stderr.startswith("The database cannot be used:")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("lines", "code"), [("approve\n", 0), ("what?\nedit\nremove t3\nsend\n", 0), ("", 3)])
def test_piped_lines_answer_questions(lines: str, code: int, tmp_path: Path) -> None:
    with FakeGateway(asking_run()) as gateway:
        done = dream("ask", "x", "--json", "--url", gateway.url, "--data-dir", str(tmp_path), input=lines)
    assert done.returncode == code
    assert json.loads(done.stdout)["status"] == ("waiting" if code else "completed")
    assert done.stderr == ""
    assert len(gateway.answers) == (0 if code else 1)
