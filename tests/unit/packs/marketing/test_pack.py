"""The pack's files agree with each other and with the contracts."""

import re
from string import Formatter

import pytest
from jsonschema import Draft202012Validator

from bench.demo.reviews import FOLDER, HERE, Phrases, render
from contracts.packs import PackManifest
from contracts.tools import ToolSpec
from tests.unit.packs.marketing.context import PACK, texts
from understanding.kit.data import read_data

TOOLS = sorted((PACK / "tools").glob("*.yaml"))
LANGUAGES = ("ko", "en", "ja")


def placeholders(text):
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


def test_the_manifest_is_valid():
    PackManifest.model_validate(read_data(PACK / "pack.yaml"))


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.stem)
def test_every_tool_is_a_valid_spec_with_valid_closed_schemas(path):
    spec = ToolSpec.model_validate(read_data(path))
    for schema in (spec.params_schema, spec.result_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
    assert spec.tool_key == f"marketing.{path.stem}"
    for language in LANGUAGES:
        assert texts(language)[f"todo.{path.stem}"]


def test_every_language_has_the_same_texts_with_the_same_placeholders():
    for language in ("en", "ja"):
        assert texts(language).keys() == texts("ko").keys()
        for key, text in texts("ko").items():
            assert placeholders(texts(language)[key]) == placeholders(text), key


def test_every_literal_text_key_in_the_code_exists():
    for path in PACK.rglob("*.py"):
        for key in re.findall(r'ctx\.text\(\s*"([^"]+)"', path.read_text(encoding="utf-8")):
            assert key in texts("ko"), f"{path.name}: {key}"


def test_no_user_facing_korean_or_japanese_stands_in_the_tools():
    for folder in ("tools", "reporting", "series"):
        for path in (PACK / folder).glob("*.py"):
            # 価 and 読 are named in a docstring that says which characters a font lacks.
            assert not re.search(r"[가-힣ぁ-ヿ]", path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_demo_files_are_what_the_script_writes(language):
    phrases = read_data(HERE / "reviews.yaml")[language]
    assert (FOLDER / f"demo_reviews_{language}.csv").read_text(encoding="utf-8") == render(
        Phrases(**phrases), seed=20250901
    )


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_demo_row_says_that_it_is_synthetic(language):
    lines = (FOLDER / f"demo_reviews_{language}.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 241
    assert all(line.endswith(",synthetic") for line in lines[1:])
