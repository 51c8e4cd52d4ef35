"""Slash commands: a sentence said in code."""

import pytest

from contracts.cognitive import CognitiveOutput, Route
from contracts.errors import Code
from contracts.gateway import MessageReceived
from contracts.packs import CommandSpec, CommandTodo
from contracts.shape import JsonObject
from services.cognitive.commands import read_command
from tests.unit.services.catalogues import catalogue
from tests.unit.services.plans import file

NOOP = CommandSpec(name="noop", args_schema={}, positional=("n", "name"), todos=(CommandTodo(tool="test.noop"),))
SAY = catalogue().say


def read(text: str, **fields) -> CognitiveOutput | None:
    return read_command(MessageReceived(text=text, **fields), {"noop": NOOP}, SAY)


def args(text: str) -> JsonObject:
    understood = read(text)
    assert understood is not None
    assert understood.plan_hint.command is not None
    assert understood.error is None
    return understood.plan_hint.command.args


def refusal(text: str, language: str = "ko") -> str:
    understood = read(text, language=language)
    assert understood is not None
    assert understood.error is not None
    assert understood.error.code is Code.PLAN_ARGUMENTS_INVALID
    return understood.error.message


def test_a_command_is_planned_with_everything_that_came_with_it():
    table = file("file.table")
    understood = read("/noop 8", attachments=(table,), auto_approve=True, language="ja")
    assert understood is not None
    assert (understood.route, understood.language, understood.auto_approve) == (Route.PLAN, "ja", True)
    assert understood.attachments == (table,)
    assert understood.plan_hint.command is not None
    assert understood.plan_hint.command.name == "noop"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/noop", {}),
        ("/noop 8", {"n": 8}),
        ("/noop -8", {"n": -8}),
        ("/noop 8 '두 낱말'", {"n": 8, "name": "두 낱말"}),
        ('/noop "8"', {"n": 8}),
        ("/noop 1.5 x", {"n": "1.5", "name": "x"}),
        ("/noop\t8\nx", {"n": 8, "name": "x"}),
        ("/noop ''", {"n": ""}),
        ("/noop 9999999999999999999", {"n": "9999999999999999999"}),
        ("/noop {n} {", {"n": "{n}", "name": "{"}),
    ],
)
def test_arguments_go_by_their_position(text, expected):
    assert args(text) == expected


@pytest.mark.parametrize("text", ["noop 8", "/unheard_of 8", "/NOOP 8", " /noop 8", "/", "/noop/8", "a /noop"])
def test_what_is_no_command_of_a_pack_is_a_sentence(text):
    assert read(text) is None


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ko", "/noop 명령은 값을 2개 받는데 3개를 주셨어요."),
        ("en", "/noop takes 2 values, you gave 3."),
        ("ja", "/noopの値は2個ですが、3個ありました。"),
    ],
)
def test_too_many_arguments_are_refused_in_the_persons_language(language, sentence):
    assert refusal("/noop 1 2 3", language) == sentence


def test_an_open_quotation_mark_is_refused():
    assert refusal("/noop '1 2") == "/noop 명령을 읽을 수 없어요. 따옴표가 닫히지 않았어요."


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ko", "/nop(이)라는 명령은 없어요"),
        ("en", "There is no command /nop. Did you mean /noop?"),
        ("ja", "/nopというコマンド"),
    ],
)
@pytest.mark.parametrize("text", ["/nop", "/nop 8", "/nop order three of them"])
def test_a_command_that_was_mistyped_is_no_sentence(language: str, sentence: str, text: str):
    told = refusal(text, language)
    assert told.startswith(sentence)
    assert "/noop" in told
