"""From settings to a provider: offline unless a model is set, and then no trace of LangChain."""

import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from backbone.model.chat.provider import cost_of
from backbone.model.offline import OfflineProvider
from backbone.model.prompts import PromptBook
from backbone.model.provider import models_of, provider_of, uses_model
from backbone.settings import Settings
from contracts.model import ModelRole

PLANNER, SOLVER = ModelRole.PLANNER, ModelRole.SOLVER
COMPOSED = """
import sys
from pathlib import Path
from backbone.model.provider import provider_of, prompts_of
from backbone import packs
from backbone.settings import Settings
import services.planning.app, services.execution.app, services.response.app, services.cognitive.app
provider_of(Settings(), {}, prompts_of("planning", Path("services/planning"), packs.load(("platform",))))
found = [name for name in sys.modules if name.split(".")[0] in ("langchain", "langchain_openai", "openai", "anthropic")]
sys.exit(f"imported: {found}" if found else 0)
"""


def test_without_a_model_the_offline_provider_answers():
    assert isinstance(provider_of(Settings(), {}, PromptBook({})), OfflineProvider)
    assert not uses_model(Settings(model="offline"), PLANNER)


@pytest.mark.processes
def test_without_a_model_langchain_is_not_imported():
    done = subprocess.run([sys.executable, "-c", COMPOSED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_chain_is_the_role_s_model_then_the_fallbacks():
    chosen = Settings(model="openai:a", model_roles={PLANNER: "anthropic:b"}, model_fallbacks=("ollama:c", "openai:a"))
    assert models_of(chosen, PLANNER) == ("anthropic:b", "ollama:c", "openai:a")
    assert models_of(chosen, SOLVER) == ("openai:a", "ollama:c")


def test_a_role_may_stay_offline_or_alone_have_a_model():
    assert not uses_model(Settings(model="openai:a", model_roles={SOLVER: "offline"}), SOLVER)
    alone = Settings(model_roles={PLANNER: "openai:a"}, model_fallbacks=("openai:b",))
    assert (models_of(alone, PLANNER), models_of(alone, SOLVER)) == (("openai:a", "openai:b"), ())
    cut = Settings(model="openai:a", model_fallbacks=("offline", "openai:b"))
    assert models_of(cut, SOLVER) == ("openai:a",)


def test_settings_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DREAM_MODEL", "openai:gpt-5-mini")
    monkeypatch.setenv("DREAM_MODEL_ROLES", '{"planner": "anthropic:claude-opus-4-5"}')
    monkeypatch.setenv("DREAM_MODEL_FALLBACKS", "ollama:qwen3, offline")
    monkeypatch.setenv("DREAM_MODEL_API_KEY", "sk-hidden")
    read = Settings()
    assert models_of(read, PLANNER) == ("anthropic:claude-opus-4-5", "ollama:qwen3")
    assert "sk-hidden" not in repr(read)


@pytest.mark.parametrize(
    "given",
    [
        {"model": "gpt-4"}, {"model_roles": {"poet": "openai:a"}}, {"model_fallbacks": "openai:a,b"},
        {"model_timeout_seconds": 0},
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_refused_by_its_name(given: dict[str, Any]):
    with pytest.raises(ValidationError, match=f"^1 validation error for Settings\n{next(iter(given))}"):
        Settings(**given)


def test_costs_are_by_the_longest_name_that_fits():
    assert cost_of("gpt-4o-mini-2024-07-18", 1_000_000, 1_000_000) == pytest.approx(0.75)
    assert cost_of("gpt-4o-2024-08-06", 1_000_000, 0) == pytest.approx(2.5)
    assert cost_of("somebody-s-own", 1_000_000, 1_000_000) == 0
