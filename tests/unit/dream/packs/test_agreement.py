"""What `dream pack check` says of files that fit their contracts and not each other, and that such a pack does not load."""

import json
import shutil
from pathlib import Path

import pytest

from backbone import packs
from backbone.packs import PackInvalid
from dream.failures import Exit
from dream.packs import check as checking
from dream.packs import template
from dream.packs.check import in_files
from dream.packs.files import Finding, read_files
from dream.texts import Texts

LANGUAGES = ("ko", "en", "ja")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    template.new("shop", folder, Texts("en"), flow=True)
    return folder


def found(folder: Path) -> list[Finding]:
    return in_files(read_files(folder), {})


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), "utf-8")


def append(path: Path, text: str) -> None:
    path.write_text((path.read_text("utf-8") if path.exists() else "") + text, "utf-8")


def loaded(folder: Path) -> None:
    pack = packs.read(folder)
    _ = pack.tools, pack.texts, pack.flows, pack.agents, pack.intents, pack.topics


def test_what_the_template_makes_agrees(shop: Path) -> None:
    assert found(shop) == []
    loaded(shop)


def told(one: Finding) -> str:
    """What a person reads, the same things in every language."""
    said = {language: Texts(language)(f"finding.{one.kind}", value=one.value, more=one.more) for language in LANGUAGES}
    advice = {Texts(language)(f"finding.{one.kind}.do", value=one.value, more=one.more) for language in LANGUAGES}
    assert len(set(said.values())) == len(advice) == len(LANGUAGES)
    assert all(one.value in text and one.more in text for text in said.values())
    return said["en"]


def test_two_tools_of_one_key_are_told_with_both_files_and_do_not_load(shop: Path) -> None:
    shutil.copy(shop / "tools/coin.yaml", shop / "tools/zcoin.yaml")
    (one,) = found(shop)
    assert (one.file, one.kind) == (shop / "tools/zcoin.yaml", "tool_twice")
    assert told(one) == "tools/coin.yaml has the tool_key shop.coin as well."
    with pytest.raises(
        PackInvalid, match=r"tools/zcoin\.yaml: .*tools/coin\.yaml has the tool_key 'shop\.coin' as well"
    ):
        loaded(shop)


def test_a_text_that_two_files_of_a_language_have_is_told_with_both_and_does_not_load(shop: Path) -> None:
    (shop / "texts_more").mkdir()
    (shop / "texts_more/ko.yaml").write_text("coin.heads: 앞면이네요\n", "utf-8")
    (one,) = found(shop)
    assert (one.file, one.line) == (shop / "texts_more/ko.yaml", 1)
    assert told(one) == "texts/ko.yaml has the text coin.heads as well."
    with pytest.raises(PackInvalid, match=r"texts_more/ko\.yaml: .*texts/ko\.yaml has the text 'coin\.heads' as well"):
        loaded(shop)


@pytest.mark.parametrize("file", ["texts/ja.yaml", "texts/en.yaml", "tools/book.yaml", "flows/book.yaml", "pack.yaml"])
def test_a_key_that_is_twice_in_one_file_is_told_with_its_line_and_does_not_load(file: str, shop: Path) -> None:
    path = shop / file
    lines = path.read_text("utf-8").splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line[:1].isalpha())
    append(path, f"{lines[first - 1]}\n")
    (one,) = [one for one in found(shop) if one.kind == "unreadable"]
    assert (one.file, one.line) == (path, len(lines) + 1)
    assert one.more.endswith(f"is there already, in line {first}")
    with pytest.raises(PackInvalid, match="is there already"):
        loaded(shop)


def test_an_intent_and_a_command_that_are_there_twice_do_not_load(shop: Path) -> None:
    intents = (shop / "intents.yaml").read_text("utf-8")
    change(shop / "intents.yaml", "- intent: SHOP.coin", "- intent: SHOP.about")
    assert "intent_twice" in {one.kind for one in found(shop)}
    with pytest.raises(PackInvalid, match=r"intents\.yaml: the intent 'SHOP\.about' is there 2 times"):
        loaded(shop)
    (shop / "intents.yaml").write_text(intents, "utf-8")
    one = "{name: toss, args_schema: {type: object}, todos: [{tool: shop.coin}]}"
    append(shop / "pack.yaml", f"commands:\n  - {one}\n  - {one}\n")
    (twice,) = found(shop)
    assert (twice.file, twice.line, told(twice)) == (
        shop / "pack.yaml",
        len((shop / "pack.yaml").read_text("utf-8").splitlines()),
        "The command /toss is there twice.",
    )
    with pytest.raises(PackInvalid, match=r"pack\.yaml: the command 'toss' is there 2 times"):
        loaded(shop)


@pytest.mark.parametrize(
    ("file", "before", "after", "kind", "value"),
    [
        ("intents.yaml", "  tool: shop.coin\n", "  goals: [document.nope]\n", "goal_unmade", "document.nope"),
        ("flows/book.yaml", "name: people", "name: poeple", "slot_odd", "poeple"),
        ("flows/book.yaml", "name: note", "name: remark", "slot_odd", "remark"),
        ("tools/book.yaml", "confirm_policy: always\n", "", "flow_ungated", "shop.book"),
        ("cases.yaml", "intent: SHOP.coin", "intent: SHOP.coins", "case_unheard", "SHOP.coins"),
        ("tools/coin.py", "import ", "import backbone\nimport ", "import_product", "backbone"),
        ("migrations/0001_bookings.sql", "grant", "grnt", "sql_word", "grnt"),
        ("migrations/0001_bookings.sql", "create", "begin;\ncreate", "sql_transaction", "begin"),
        ("migrations/0001_bookings.sql", "null\n)", "null\n", "sql_unended", "("),
    ],
)
def test_what_would_go_wrong_later_is_told_with_its_line(
    file: str, before: str, after: str, kind: str, value: str, shop: Path
) -> None:
    change(shop / file, before, after)
    (one,) = [one for one in found(shop) if one.kind == kind]
    assert one.file == shop / ("flows/book.yaml" if kind == "flow_ungated" else file)  # the tool may be another pack's
    assert value in one.value
    assert value in told(one)
    assert value in one.file.read_text("utf-8").splitlines()[one.line - 1]


def test_goals_of_topics_and_follow_ups_are_looked_at_and_what_another_pack_makes_is_made(shop: Path) -> None:
    append(shop / "topics.yaml", "- {goal: document.pdf, label: intent.coin, words: {en: [pdf]}}\n")
    append(shop / "pack.yaml", "follow_ups: [{text: intent.coin, makes: document.docx, after: [x.y]}]\n")
    goals = [one.value for one in found(shop) if one.kind == "goal_unmade"]
    assert goals == ["document.pdf", "document.docx"]
    others = packs.load(("marketing",)).packs
    made = {made for pack in others.values() for tool in pack.tools for made in tool.produces}
    left = [one.value for one in in_files(read_files(shop), others) if one.kind == "goal_unmade"]
    assert left == [goal for goal in goals if goal not in made] != goals


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("from services.cognitive import app\nimport dream.packs\n", ["services.cognitive", "dream.packs"]),
        ("from understanding.offline.cues import read_cues\n", ["understanding.offline.cues"]),
        (
            "from packs.transfer.reading import read\nfrom packs import assistant\n",
            ["packs.transfer.reading", "packs.assistant"],
        ),
        ("def f():\n    from understanding import offline\n", ["understanding.offline"]),
        ("from ...transfer import reading\n", ["packs.transfer"]),
        ("from understanding.kit import numbers\nfrom understanding import kit\nimport understanding.kit.dates\n", []),
        ("from contracts.tools import ToolContext\nimport json, dreamland\nfrom packs.shop import slots\n", []),
        ("from . import coin\nfrom .. import slots\nfrom ..tools import coin\nimport packs.shop.tools\n", []),
    ],
)
def test_code_imports_nothing_of_the_product_but_what_is_promised(code: str, modules: list[str], shop: Path) -> None:
    (shop / "tools/more.py").write_text(code, "utf-8")
    (shop / "tests").mkdir()
    (shop / "tests/test_more.py").write_text("import backbone\n", "utf-8")
    assert [one.value for one in found(shop) if one.kind == "import_product"] == modules


@pytest.mark.parametrize("as_json", [False, True])
def test_what_only_a_database_can_judge_is_said(
    as_json: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever else is found: that nothing is wrong with a migration is more than anybody knows."""
    monkeypatch.setattr(checking, "all_findings", lambda *_: [])
    for flow in (True, False):
        folder = tmp_path / str(flow) / "shop"
        template.new("shop", folder, Texts("en"), flow=flow)
        capsys.readouterr()
        assert checking.check([folder], Texts("en"), as_json=as_json) == Exit.DONE
        out = capsys.readouterr().out
        assert ("0001_bookings.sql" in out) is flow
        if as_json:
            assert json.loads(out)["findings"] == []
        elif flow:
            assert "only the database can judge" in out
