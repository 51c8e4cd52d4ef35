"""Settings that cannot be used end a command with the name of the variable, and nothing secret."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from pydantic_settings import SettingsError

from backbone.model.faults import ModelMisconfigured
from backbone.settings import Settings
from dream.cli.error_messages import error_message
from dream.cli.running import Interrupts
from dream.cli.up import Options, up
from dream.failures import DataDirUnusable, Exit
from dream.ops.database import database_errors
from dream.texts import Texts


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DREAM_MODEL", "gpt-5", "'gpt-5'"),
        ("DREAM_MODEL_ROLES", '{"planer": "offline"}', "planner"),
        ("DREAM_MODEL_ROLES", "{x", "JSON"),
        ("DREAM_TIMEZONE", "Asia/Soul", "Asia/Seoul"),
        ("DREAM_MCP_SERVERS", "/nonexistent.yaml", "/nonexistent.yaml"),
        ("DREAM_LOG_LEVEL", "LOUD", "'LOUD'"),
    ],
)
def test_a_setting_that_is_wrong_is_named_also_where_a_database_is_spoken_to(
    name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises((ValidationError, SettingsError)) as caught, database_errors():
        Settings()
    told = error_message(caught.value, Texts("en"))
    assert told is not None
    assert told.exit_code is Exit.USAGE
    assert told.message.startswith(name)
    assert said in told.message


def test_a_secret_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DREAM_MODEL_API_KEY", "sk-very-secret")
    monkeypatch.setenv("DREAM_MODEL", "gpt-5")
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert "very-secret" not in str(error_message(caught.value, Texts("ko")))


def test_a_model_that_cannot_be_used_is_one_sentence() -> None:
    told = error_message(ModelMisconfigured("'nosuch:x' cannot be used"), Texts("en"))
    assert told == ("'nosuch:x' cannot be used", Exit.USAGE, None)


@pytest.mark.parametrize("processes", [False, True])
async def test_up_tells_of_a_model_before_it_starts_anything(
    processes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_MODEL", "nosuch:model")
    options = Options(tmp_path / "data", "127.0.0.1", 0, processes=processes, verbose=False)
    with pytest.raises(ModelMisconfigured, match="nosuch:model"):
        await up(options, Texts("en"), Interrupts())
    assert not (tmp_path / "data").exists()


async def test_a_data_directory_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    options = Options(tmp_path / "file", "127.0.0.1", 0, processes=False, verbose=False)
    with pytest.raises(DataDirUnusable) as caught:
        await up(options, Texts("en"), Interrupts())
    told = error_message(caught.value, Texts("en"))
    assert told is not None
    assert (told.exit_code, str(tmp_path / "file") in told.message) == (Exit.USAGE, True)
