"""What is believed of an MCP server's words, before any server is talked to."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from backbone.mcp.catalogue import GrowingCatalogue, live_commands, with_servers
from backbone.mcp.config import ServerSpec, VariableMissing, read_servers
from backbone.mcp.hosting import cleaned
from backbone.mcp.offers import SchemaRefused, numbered, offer_of, tamed
from backbone.packs import load
from backbone.settings import Settings
from contracts.asking import MOST_TOOLS, Offer
from contracts.tools import ConfirmPolicy, Effects

TOYS = ServerSpec(command="toys")


def listed(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"{name} does it", "inputSchema": {"type": "object"}, **more}


def test_servers_stand_in_the_environment_or_in_a_file(tmp_path, monkeypatch):
    servers = {"toys": {"command": "toys", "confirm_tools": {"add": "never"}}, "far": {"url": "https://x.test/mcp"}}
    monkeypatch.setenv("DREAM_MCP_SERVERS", json.dumps(servers))
    said = Settings().mcp_servers
    file = tmp_path / "servers.yaml"
    file.write_text("toys: {command: toys, confirm_tools: {add: never}}\nfar: {url: 'https://x.test/mcp'}\n")
    monkeypatch.setenv("DREAM_MCP_SERVERS", str(file))
    assert Settings().mcp_servers == said
    assert [said["toys"].confirms(tool) for tool in ("add", "drop")] == [ConfirmPolicy.NEVER, ConfirmPolicy.ALWAYS]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("{", "is no JSON"),
        ("/nowhere/servers.yaml", "cannot be read"),
        ('{"Toys": {"command": "x"}}', "Toys: String should match pattern"),
        ('{"toys": {}}', "toys: Value error, it needs either command (stdio) or url"),
        ('{"toys": {"command": "x", "url": "http://x"}}', "it needs either command"),
        ('{"toys": {"url": "ftp://x"}}', "url is not http"),
        ('{"toys": {"url": "https://me:hunter2@x.test"}}', "url holds a password"),
        ('{"toys": {"command": "x", "confirm": "sometimes"}}', "toys.confirm: Input should be 'never' or 'always'"),
        ('{"toys": {"command": "x", "tools": ["a"], "confirm_tools": {"b": "never"}}}', "confirm_tools names ['b']"),
        ('{"toys": {"command": "x", "headers_env": {"Authorization": "A"}}}', "headers_env goes with url"),
        ('{"toys": {"command": "x", "token": "hunter2"}}', "toys.token: Extra inputs are not permitted"),
        ('{"a": {"command": "x"}, "a_b": {"command": "x"}}', "'a' and 'a_b' would have the same commands"),
    ],
)
def test_a_configuration_that_is_wrong_says_where_and_shows_no_secret(value, why):
    with pytest.raises(ValueError, match="DREAM_MCP_SERVERS") as raised:
        read_servers(value)
    assert why in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_a_process_does_not_start_with_a_wrong_configuration(monkeypatch):
    monkeypatch.setenv("DREAM_MCP_SERVERS", '{"toys": {"command": "x", "env": {"KEY": "hunter2"}, "confirm": 1}}')
    with pytest.raises(ValidationError) as raised:
        Settings()
    assert "toys.confirm" in str(raised.value)


def test_secrets_are_named_and_a_missing_one_is_said_by_name():
    config = ServerSpec(command="x", env={"PLAIN": "1"}, env_from={"API_KEY": "OUR_KEY"})
    assert config.environment({"OUR_KEY": "hunter2"}) == {"PLAIN": "1", "API_KEY": "hunter2"}
    with pytest.raises(VariableMissing, match="OUR_KEY is not set"):
        config.environment({})


def test_names_fit_our_alphabet_and_doubles_are_numbered_in_whatever_order_they_come():
    names = ["Send-Letter", "send_letter", "sendLetter", "2fa", "할일", "a" * 200]
    ours = numbered(names)
    assert ours == numbered(reversed(names))
    assert ours["send_letter"] == "send_letter"
    assert {ours["Send-Letter"], ours["sendLetter"]} == {"send_letter_2", "send_letter_3"}
    assert (ours["2fa"], ours["할일"], len(ours["a" * 200])) == ("tool_2fa", "tool", 64)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (None, "does not describe an object"),
        ({"type": "string"}, "does not describe an object"),
        ({"properties": {"a": {"$ref": "https://evil.test/x.json"}}}, "which is outside"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "which is not there"),
        ({"$ref": "#"}, "in a circle"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"$ref": "#/$defs/b"}}}, "in a circle"),
        ({"properties": {"a": {"type": "strange"}}}, "is invalid"),
        ({"description": "x" * 40_000}, "bytes, more than"),
        (json.loads('{"not":' * 40 + "{}" + "}" * 40), "is deeper than"),
    ],
)
def test_a_schema_that_would_fetch_or_never_end_is_refused(schema, why):
    with pytest.raises(SchemaRefused, match=why):
        tamed(schema)


def test_a_schema_keeps_what_is_quick_to_check():
    schema = {
        "properties": {"pattern": {"type": "string", "pattern": "^(a+)+$"}, "n": {"$ref": "#/$defs/n"}},
        "additionalProperties": False,
        "$defs": {"n": {"type": "integer"}},
    }
    kept = tamed(schema)
    assert kept["properties"] == {"pattern": {"type": "string"}, "n": {"$ref": "#/$defs/n"}}
    assert (kept["type"], kept["additionalProperties"]) == ("object", False)


def test_every_tool_is_confirmed_and_may_have_effects_unless_the_operator_says_otherwise():
    tools = [listed("look", annotations={"readOnlyHint": True}), listed("write")]
    wary = offer_of("toys", TOYS, tools).tools
    assert {(one.spec.confirm_policy, one.spec.effects) for one in wary} == {(ConfirmPolicy.ALWAYS, Effects.EXTERNAL)}
    trusting = ServerSpec(command="toys", trust_annotations=True, confirm_tools={"look": ConfirmPolicy.NEVER})
    look, write = (one.spec for one in offer_of("toys", trusting, tools).tools)
    assert (look.confirm_policy, look.effects) == (ConfirmPolicy.NEVER, Effects.NONE)
    assert (write.confirm_policy, write.effects) == (ConfirmPolicy.ALWAYS, Effects.EXTERNAL)


def test_what_the_operator_does_not_list_and_what_cannot_be_checked_is_left_out():
    few = ServerSpec(command="toys", tools=("a", "c", "gone"))
    tools = [listed("a"), listed("b"), listed("c", inputSchema={"$ref": "file:///etc/passwd"})]
    assert [one.name for one in offer_of("toys", few, tools).tools] == ["a"]


def test_a_server_with_thousands_of_tools_is_cut():
    assert len(offer_of("toys", TOYS, (listed(f"t{number}") for number in range(3000))).tools) == MOST_TOOLS
    large = {"type": "object", "description": "x" * 30_000}
    offer = offer_of("toys", TOYS, (listed(f"t{number}", inputSchema=large) for number in range(100)))
    assert len(offer.model_dump_json()) < 1_000_000


def test_words_of_a_server_are_one_line_and_no_template():
    title = "Do {this}\n\x1b[31mnow\u202e"
    (tool,) = offer_of("toys", TOYS, [listed("a", title=title)]).tools
    assert tool.title == "Do {this} [31mnow"
    catalogue = growing()
    catalogue.join(Offer(server="toys", tools=(tool,)))
    assert {catalogue.title("mcp_toys.a", language) for language in ("ko", "en", "ja")} == {"toys: Do {this} [31mnow"}


def growing() -> GrowingCatalogue:
    catalogue = with_servers(load(("platform",)), {"toys": TOYS})
    assert isinstance(catalogue, GrowingCatalogue)
    return catalogue


async def test_a_server_that_joins_later_is_seen_by_whoever_holds_the_catalogue():
    catalogue = growing()
    tools, commands = catalogue.tools, live_commands(catalogue)
    assert (catalogue.is_away("mcp_toys_a"), catalogue.is_away("noop"), "mcp" in catalogue.executors) == (
        "toys",
        "",
        True,
    )
    catalogue.join(offer_of("toys", TOYS, [listed("a"), listed("b")]))
    await catalogue.expect("mcp_toys.a")
    assert "mcp_toys.a" in tools
    assert "mcp_toys_b" in commands
    assert not catalogue.is_away("mcp_toys_a")
    catalogue.join(offer_of("toys", TOYS, [listed("b")]))
    assert "mcp_toys.a" not in tools
    assert "mcp_toys_a" not in commands


def test_an_answer_becomes_json_that_a_ledger_holds():
    assert cleaned({"a\0": ["\ud800x", float("nan")]}) == {"a": ["?x", None]}
