"""dream pack new, check and eval, dream learn apply: on real folders, with the product's own understanding."""

import importlib
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backbone import packs
from dream.failures import CommandFailed, Exit
from dream.learning import apply
from dream.packs import check, evaluation, import_probe, template
from dream.packs.files import read_files
from dream.texts import Texts
from services.cognitive.flows import load_flows
from understanding.port import clause_of

TEXTS = Texts("en")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A pack made by the command, in ./packs of a folder that is nobody's; found as in a process that begins there."""
    monkeypatch.chdir(tmp_path)
    # alone among the platform's, so that understanding is built in a moment
    monkeypatch.setenv("DREAM_PACKS", "demo")
    path = importlib.import_module("packs").__path__
    path.append(str(tmp_path / "packs"))
    assert template.new("demo", None, TEXTS) == Exit.DONE
    yield Path("packs/demo").resolve()
    path.remove(str(tmp_path / "packs"))
    for name in [one for one in sys.modules if one.startswith("packs.demo")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_what_the_template_makes_is_sound_and_understood(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.findings(demo, TEXTS) == []
    capsys.readouterr()
    assert evaluation.evaluate("demo", TEXTS, as_json=True) == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    assert (told["cases"], told["right"]) == (6, 6)
    written = [one for one in demo.rglob("*") if one.is_file() and one.parent.name != "__pycache__"]
    assert "minimal" not in "".join(one.read_text("utf-8") for one in written).casefold()


def test_a_pack_in_the_folder_is_loaded_without_being_installed_and_the_template_is_not(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DREAM_PACKS")
    loaded = packs.load()
    assert loaded.failures == {}
    assert "demo" in loaded.packs
    assert not {"minimal", "bench"} & loaded.packs.keys()
    assert {"minimal", "demo"} < packs.load(("minimal", "demo")).packs.keys()


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("intents.yaml", "route: answer", "route: nowhere"),
        ("texts/en.yaml", 'coin.heads: "Heads."', "coin.heads: No"),
        ("__init__.py", "", "raise RuntimeError('no')"),
        ("pack.yaml", "name: demo", "name: [demo"),
    ],
)
def test_a_pack_that_does_not_load_is_reported_and_the_others_work(
    demo: Path, file: str, before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(demo / file, before, after)
    monkeypatch.delenv("DREAM_PACKS")
    loaded = packs.load()
    assert set(loaded.failures) == {"demo"}
    assert {"platform", "transfer"} <= loaded.packs.keys()


@pytest.mark.parametrize(
    ("file", "before", "after", "kind"),
    [
        ("pack.yaml", "version: 1", "version: one", "schema"),
        ("pack.yaml", "name: demo", "name: other", "name"),
        ("intents.yaml", "tool: demo.coin", "tool: demo.none", "tool_unknown"),
        ("intents.yaml", "- intent: DEMO.coin", "- intent: DEMO.about", "intent_twice"),
        ("tools/coin.yaml", "{type: object, additionalProperties: false}", "{type: thing}", "json_schema"),
        ("tools/coin.yaml", "demo.coin", "demon.coin", "tool_key"),
        ("texts/ja.yaml", "coin.tails:", "#", "text_missing"),
        ("texts/ko.yaml", "demo 팩이에요", "{name} 팩이에요", "placeholders"),
        ("texts/ko.yaml", "demo 팩이에요", "{ 팩이에요", "placeholder_odd"),
        ("texts/ko.yaml", "intent.coin: 동전", "intent.coin: [동전", "unreadable"),
        ("tools/coin.yaml", "isolated:", "isolatd:", "field_odd"),
        ("tools/coin.yaml", "isolated: false\n", "", "tool_plain"),
        ("cues.yaml", "'コイン'", "'(コイン'", "words_odd"),
        ("cues.yaml", "'コイン'", "'(?:コ+イ?)+ン'", "words_slow"),
        ("cues.yaml", "- intent: DEMO.coin", "- intent: DEMO.coyn", "cue_unheard"),
        ("intents.yaml", "  answer: answer.about\n", "", "intent_without"),
    ],
)
def test_a_fault_is_found_in_its_file(demo: Path, file: str, before: str, after: str, kind: str) -> None:
    change(demo / file, before, after)
    files = read_files(demo)
    found = [one for one in check.in_files(files, packs.load(("transfer",)).packs) if one.kind == kind]
    assert found
    assert all(one.value for one in found)
    assert found[0].file == demo / file


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"lang": "en", "text": "flip it", "intent": "DEMO.coyn"}', "sentence_unheard"),
        ('{"lang": "en", "text": "flip it"}', "words_odd"),
        ('{"lang": "en", "text": "flip it", "intent": "DEMO.coin"}', None),
    ],
)
def test_a_labelled_sentence_teaches_an_intent_that_is_there(demo: Path, line: str, kind: str | None) -> None:
    (demo / "sentences.jsonl").write_text(f"{line}\n", encoding="utf-8")
    found = [
        one for one in check.in_files(read_files(demo), packs.load(("transfer",)).packs)
        if one.file.name == "sentences.jsonl"
    ]  # fmt: skip
    assert [one.kind for one in found] == ([kind] if kind else [])


def test_an_intent_with_the_label_of_the_same_intent_of_another_pack_teaches_it_and_is_no_collision(demo: Path) -> None:
    others = packs.load(("transfer",)).packs
    label = next(one.label for one in others["transfer"].intents if one.intent == "TRANSFER")
    change(demo / "intents.yaml", "- intent: DEMO.coin", "- intent: TRANSFER")
    assert "intent_taken" in {one.kind for one in check.in_files(read_files(demo), others)}
    change(demo / "intents.yaml", "label: intent.coin", f"label: {label}")
    assert "intent_taken" not in {one.kind for one in check.in_files(read_files(demo), others)}


def test_an_intent_of_another_pack_and_an_entry_that_is_not_there_are_found(demo: Path) -> None:
    change(demo / "intents.yaml", "- intent: DEMO.coin", "- intent: TRANSFER")
    change(demo / "tools/coin.yaml", ":run", ":walk")
    others = packs.load(("transfer",)).packs
    assert [(one.kind, one.value, one.more) for one in check.in_files(read_files(demo), others)] == [
        ("intent_taken", "TRANSFER", "transfer"),
        ("cue_unheard", "DEMO.coin", ""),
        *[("case_unheard", "DEMO.coin", "")] * 3,
    ]
    (found,) = [one for one in check.findings(demo, TEXTS) if one.kind == "import"]
    assert (found.file, found.value) == (demo / "tools/coin.yaml", "packs.demo.tools.coin:walk")


def test_an_import_that_ends_its_process_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "fine").mkdir()
    (tmp_path / "fine" / "dies.py").write_text("import os\nos._exit(7)\n")
    (tmp_path / "fine" / "noisy.py").write_text("print('hello')\ndef run(): ...\nvalue = 3\n")
    entries = ["packs.fine.noisy:run", "packs.fine.dies:run", "packs.fine.noisy:value", "packs.fine.none:run"]
    found = import_probe.failures(entries, tmp_path)
    assert set(found) == set(entries[1:])
    assert "7" in found["packs.fine.dies:run"]
    assert "int is not a function" in found["packs.fine.noisy:value"]


@pytest.mark.parametrize(
    ("name", "path"),
    [("Demo", None), ("demo", Path("elsewhere/other")), ("transfer", None), ("demo", Path("full/demo"))],
)
def test_a_name_or_folder_that_cannot_be_is_refused_and_nothing_is_written(
    name: str, path: Path | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full" / "demo").mkdir(parents=True)
    (tmp_path / "full" / "demo" / "mine.txt").write_text("mine")
    with pytest.raises(CommandFailed) as caught:
        template.new(name, path, TEXTS)
    assert caught.value.exit_code == Exit.USAGE
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == ["mine.txt"]


def test_corrections_are_kept_when_that_is_agreed_to_and_leave_no_trace_when_not(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "corrected.jsonl"
    sentence = "뒤집어 보자: 그 동그란 쇠붙이"
    file.write_text(json.dumps({"lang": "ko", "text": sentence, "intent": "DEMO.coin"}) + "\n")
    kept = demo / "sentences.jsonl"
    with (tmp_path / "answer").open("w+") as answer:
        answer.write("n\n")
        answer.seek(0)
        monkeypatch.setattr(sys, "stdin", answer)
        assert apply.apply(file, "demo", TEXTS, agreed=False) == Exit.REFUSED
    assert not kept.exists()
    assert apply.apply(file, "demo", TEXTS, agreed=True) == Exit.DONE
    assert "7 of 7 after" in capsys.readouterr().out
    assert kept.read_text("utf-8") == f'{{"lang": "ko", "text": "{sentence}", "intent": "DEMO.coin"}}\n'
    assert apply.apply(file, "demo", TEXTS, agreed=True) == Exit.DONE  # nothing new
    assert "0 of them new" in capsys.readouterr().out


def test_a_line_of_corrections_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "corrected.jsonl"
    file.write_text('{"lang": "ko", "text": "가", "intent": "A"}\n{"lang": "ko"}\n')
    with pytest.raises(CommandFailed, match="line 2"):
        apply.read(file, TEXTS)


def test_a_pack_with_a_dialogue_needs_no_words_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `dream pack new --flow` makes can be led at once; counts are read in words, and all is shown before the yes."""
    monkeypatch.chdir(tmp_path)
    path = importlib.import_module("packs").__path__
    path.append(str(tmp_path / "packs"))
    try:
        assert template.new("stable", None, TEXTS, flow=True) == Exit.DONE
        folder = Path("packs/stable").resolve()
        every = "".join(one.read_text("utf-8") for one in folder.rglob("*") if one.is_file())
        assert "minimal" not in every.casefold() and "flow.book" not in "".join(
            one.read_text("utf-8") for one in (folder / "texts").iterdir()
        )
        flow = load_flows(packs.load(("stable",)))["book"]
        now = datetime(2026, 3, 2, 9, tzinfo=UTC)
        (said,) = flow.reader(clause_of("six of us on 2 May 2026 at 8 pm", now, "en"))
        assert said == {"people": 6, "date": "2026-05-02", "time": "20:00"}
        shown = flow.rules.say("ko", "flow.book.ready", **said)
        assert all(one in shown for one in ("인원 6", "2026-05-02", "20:00"))
        (pack,) = [one for name, one in packs.load(("stable",)).packs.items() if name == "stable"]
        assert [one.lang for one in evaluation.dialogues(pack, TEXTS)] == ["en", "ko", "ja"]
    finally:
        path.remove(str(tmp_path / "packs"))
        for name in [one for one in sys.modules if one.startswith("packs.stable")]:
            del sys.modules[name]
        importlib.invalidate_caches()
