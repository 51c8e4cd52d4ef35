"""The command line itself: help, usage errors, commands that need no server."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.dream.fake_gateway import FakeGateway
from tests.unit.dream.scripts import asking_run

pytestmark = pytest.mark.processes

SESSION = "0197a1f0-0000-7000-8000-00000000000f"


EACH = """
import contextlib, io, json, sys
from dream.cli.app import main
told = []
for words in json.loads(sys.argv[1]):
    sys.argv, code = ["dream", *words], 0
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    told.append({"code": code, "out": out.getvalue(), "err": err.getvalue()})
print(json.dumps(told))
"""


def started(script: str, *words: str, language: str = "C", **how: Any) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DREAM_")}
    environment |= {"LC_ALL": language, "LANG": language, "PYTHONUTF8": "1", "COLUMNS": "100"}
    command = [sys.executable, "-c", script, *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=50, **how)


def dream(*words: str, **how: Any) -> "subprocess.CompletedProcess[str]":
    return started("from dream.cli.app import main; main()", *words, **how)


def each(commands: Sequence[Sequence[str]], language: str = "C") -> list[tuple[int, str, str]]:
    """Exit code, output and complaints of each, one after another in one process: half of a second is its start."""
    told = json.loads(started(EACH, json.dumps(commands), language=language).stdout)
    return [(one["code"], one["out"], one["err"]) for one in told]


def test_help_helps_in_both_languages() -> None:
    commands = [[name, "--help"] for name in ("up", "ask", "events", "demo", "migrate", "doctor")]
    for (code, english, _), (same, korean, _) in zip(each(commands), each(commands, "ko_KR.UTF-8"), strict=True):
        assert code == same == 0
        assert "--data-dir" in english
        assert any("가" <= letter <= "힣" for letter in korean)
        assert not any("가" <= letter <= "힣" for letter in english.replace("이 리뷰들", ""))


def test_the_version_is_told_two_ways() -> None:
    assert dream("version").stdout == dream("--version").stdout
    assert dream("version").stdout.startswith("dream-agent ")


def test_wrong_usage_is_exit_code_2() -> None:
    commands = [
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
    ]
    codes = [code for code, _, _ in each(commands)]
    assert dict(zip(map(" ".join, commands), codes, strict=True)) == dict.fromkeys(map(" ".join, commands), 2)


def test_without_a_server_the_command_says_what_to_do(tmp_path: Path) -> None:
    commands = (["events", SESSION], ["pause", "0197"], ["audit", "verify"], ["migrate"])
    for code, _, complaint in each([[*words, "--data-dir", str(tmp_path)] for words in commands]):
        assert code == 2
        assert "dream up" in complaint
        assert "Traceback" not in complaint


def test_a_database_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = dream("migrate", "--url", f"postgresql://postgres@/x?host={tmp_path}")
    assert done.returncode == 3
    assert done.stderr.startswith("The database cannot be used:")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("lines", "code"), [("approve\n", 0), ("what?\nedit\nremove t3\nsend\n", 0), ("", 3)])
def test_piped_lines_answer_questions(lines: str, code: int, tmp_path: Path) -> None:
    # sockets may tell that the question is settled before whoever answered hears that the answer was taken
    with FakeGateway(asking_run(), answers_take=0.2) as gateway:
        done = dream("ask", "x", "--json", "--url", gateway.url, "--data-dir", str(tmp_path), input=lines)
    assert done.returncode == code
    assert json.loads(done.stdout)["status"] == ("waiting" if code else "completed")
    assert done.stderr == ""
    assert len(gateway.answers) == (0 if code else 1)
