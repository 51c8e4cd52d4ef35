"""What had to be started again is kept, told in every language, and shown by `dream doctor`."""

import json
import stat
import time
from pathlib import Path

import pytest

from dream.local import restarts
from dream.local.restarts import HOWS, End, Journal, Restart
from dream.ops.checks import restarts as looked_at
from dream.texts import LANGUAGES, Texts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("how", HOWS)
def test_each_end_is_one_sentence_in_every_language(how: str, language: str) -> None:
    told = Restart("nats-server", End(how, "SIGABRT"), 1.25).told(Texts(language))
    assert "nats-server" in told and "1.2" in told and "{" not in told and "\n" not in told
    assert ("SIGABRT" in told) is (how != "refuses")


@pytest.mark.parametrize(
    ("code", "end"),
    [(0, End("code", "0")), (137, End("code", "137")), (-6, End("signal", "SIGABRT")), (-250, End("signal", "250"))],
)
def test_an_exit_code_says_how_a_process_ended(code: int, end: End) -> None:
    assert End.of(code) == end


def test_doctor_says_what_when_how_often_and_why(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for name, end in (("planning", End.of(1)), ("Postgres", End.of(-9)), ("planning", End.of(-15))):
        journal.keep(Restart(name, end, 0.2))
    finding = looked_at(tmp_path, Texts("en"))
    assert finding.ok is None, "worth knowing, not broken"
    today = time.strftime("%Y-%m-%d ")
    planning, postgres = finding.detail.splitlines()
    assert planning.startswith(f"planning: 2 in 24 hours, last at {today}") and planning.endswith("ended by SIGTERM")
    assert postgres.startswith(f"Postgres: 1 in 24 hours, last at {today}") and postgres.endswith("ended by SIGKILL")
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_what_is_long_ago_or_unreadable_is_not_told(tmp_path: Path) -> None:
    old = {"time": time.time() - 90_000, "name": "response", "how": "code", "detail": "3"}
    lines = [json.dumps(old), "{", "[]", json.dumps(old | {"time": time.time(), "how": "of a later version"})]
    (tmp_path / "restarts.jsonl").write_text("\n".join(lines))
    assert looked_at(tmp_path, Texts("en")).ok
    assert looked_at(tmp_path / "nowhere", Texts("ko")).ok


def test_the_journal_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "KEPT", 3)
    journal = Journal(tmp_path)
    for number in range(8):
        journal.keep(Restart(f"service {number}", End.of(0), 0.2))
    journal.begin()
    assert [entry.name for entry in journal.entries()] == ["service 5", "service 6", "service 7"]
