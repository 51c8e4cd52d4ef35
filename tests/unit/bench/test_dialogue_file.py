"""The bench of dialogues judges answers and books as it says it does, and refuses files that it cannot play."""

import json
from datetime import date
from typing import Any

import pytest

from bench.dialogue_file import Booked, FileUnusable, Paid, Turn, differences, misses, read
from bench.dialogue_play import Played
from bench.dialogues import DIALOGUES, main, report
from dream.client.dialogue_file import dated

LINE: dict[str, Any] = {"id": "a", "lang": "ko", "kind": "transfer", "turns": [{"say": "안녕"}], "expect": {"paid": []}}
MUM = frozenset({"엄마", "mom"})
DAD = frozenset({"아빠", "dad"})


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "JSON"),
        (json.dumps({**LINE, "lang": "fr"}), "lang"),
        (json.dumps({**LINE, "turns": []}), "turns"),
        (json.dumps({**LINE, "turns": [{"say": "x", "attach": ["a.txt"]}]}), "a.txt"),
        (json.dumps({**LINE, "turns": [{"say": "x", "contain": ["y"]}]}), "contain"),
        (json.dumps({**LINE, "expect": {"paid": [{"target": "엄마"}]}}), "amount"),
        (json.dumps(LINE), "twice"),
        (json.dumps({**LINE, "turns": [{"say": "pay on @{soon %-d}"}]}), "@{soon %-d} is no day"),
        (json.dumps({**LINE, "turns": [{"say": "pay on @{+3}"}]}), "@{+3} is no day"),
    ],
)
def test_a_line_that_cannot_be_played_is_named_with_what_is_wrong(tmp_path, capsys, line, word) -> None:
    path = tmp_path / "dialogues.jsonl"
    path.write_text(json.dumps(LINE) + "\n" + line, encoding="utf-8")
    with pytest.raises(FileUnusable) as caught:
        read(path)
    assert word in str(caught.value)
    assert main(["--file", str(path)]) == 2
    assert word in capsys.readouterr().err


@pytest.mark.parametrize(
    ("today", "said", "day"),
    [
        ("2026-11-30", "@{+1 %-m월 %-d일}", "12월 1일"),
        ("2026-12-25", "on @{+12 %B %-d}", "on January 6"),
        ("2026-12-25", "@{-25 %Y-%m-%d}", "2026-11-30"),
        ("2026-11-01", "@{next fri2 %-m월 %-d일}", "12월 11일"),
        ("2026-12-31", "@{next fri2 %-m/%-d}, @{next mon1 %-d}", "1/8, 4"),
        ("2027-01-31", "@{next mon4 %-m/%-d}", "2/22"),
        ("2026-11-30", "12월 5일", "12월 5일"),
    ],
)
def test_days_are_said_from_today_on(today, said, day) -> None:
    assert dated(said, date.fromisoformat(today)) == day


def test_a_file_without_dialogues_is_no_success(tmp_path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(FileUnusable, match="no dialogues"):
        read(path)


def test_answers_are_looked_into_in_lower_case_without_spaces_and_commas() -> None:
    turn = Turn(say="x", contains=("Mom",), any=("40000", "4만"), lacks=("a m",))
    assert misses(turn, "Send 40,000 won to MOM?") == []
    assert misses(turn, "send 4 만 to mom") == []
    assert [one.split()[0] for one in misses(turn, "Am I?")] == ["lacks", "has", "has"]


def test_what_was_paid_is_an_exact_multiset() -> None:
    twice = [Paid(target="Mom", amount=5), Paid(target="엄마", amount=5)]
    once = Booked(names=MUM, amount=5)
    assert differences(twice, [once, once]) == ([], [])
    assert differences(twice, [once]) == ([twice[1]], [])
    assert differences(twice[:1], [once, once]) == ([], [once])
    wrong = Booked(names=DAD, amount=5)
    assert differences(twice[:1], [wrong]) == (twice[:1], [wrong])
    later = Booked(names=MUM, amount=5, date=date(2026, 12, 1))
    assert differences(twice[:1], [later]) == (twice[:1], [later])
    noted = Paid(target="mom", amount=5, memo="lunch")
    assert differences([noted], [once]) == ([noted], [once])
    # the one that could be either is the one that is left over
    assert differences([Paid(target="아빠", amount=5)], [once, wrong]) == ([], [once])


def test_wrong_money_is_counted_by_language_and_kind() -> None:
    (dialogue,) = [one for one in read(DIALOGUES) if one.id == "en-transfer-correction-51"]
    unpaid = Played(dialogue, unpaid=list(dialogue.expect.paid))
    figures = report([Played(dialogue), unpaid, Played(dialogue, wrong=["turn 1"])])
    assert figures["all"] == {"right": 1, "wrong": 2, "wrong_money": 1, "unpaid": 1, "overpaid": 0}
    assert figures["lang"]["en"] == figures["kind"]["transfer"] == figures["all"]
