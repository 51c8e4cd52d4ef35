"""Settings that cannot be used keep a service from starting: all of them at once, with exit code 78 and nothing secret."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backbone.configuration import EX_CONFIG, Misconfigured, configured, unknown
from backbone.settings import Settings


def problems(**variables: str) -> list[str]:
    """What `configured` says of an environment with nothing of ours but these."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("DREAM_")]:
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        try:
            configured()
        except Misconfigured as error:
            return error.problems
    return []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DREAM_HEALTH_PORT", "65536", "'65536'"),
        ("DREAM_STOP_GRACE_SECONDS", "soon", "'soon'"),
        ("DREAM_LOG_FORMAT", "xml", "'xml'"),
        ("DREAM_SESSION_BUDGET", "{'tokens': 1}", "it is not JSON"),
        ("DREAM_MODEL_ROLES", '{"planner": ', "it is not JSON"),
        ("DREAM_RUN_BUDGET", '{"tokens": -1}', "DREAM_RUN_BUDGET"),
        ("DREAM_DATABASE_URL", "mysql://us:gEheim@db/dream", "mysql://db/dream (without its login)"),
        ("DREAM_DATABASE_URL", "postgresql://us:gEheim@db:54x2/dream", "its port is no number"),
        ("DREAM_NATS_URL", "http://us:gEheim@bus:4222", "its scheme is 'http', not one of nats, tls, ws, wss"),
        ("DREAM_NATS_URL", "nats://us:gEheim/x@bus:4222", "not percent-encoded"),
        ("DREAM_DATABASE_URL_FILE", "/nowhere/at/all", "DREAM_DATABASE_URL_FILE is '/nowhere/at/all', which cannot"),
        ("DREAM_MODEL_API_KEY_FILE", "/tmp", "Is a directory"),
        ("DREAM_PORT", "tcp://10.96.7.1:8765", "enableServiceLinks: false"),
        ("DREAM_MODEL", "nosuch:model", "'nosuch:model'"),
    ],
)
def test_each_is_named_with_its_value_and_what_is_expected(name: str, value: str, said: str) -> None:
    (problem,) = problems(**{name: value})
    assert name.removesuffix("_FILE") in problem or name == "DREAM_MODEL"
    assert said in problem
    assert "gEheim" not in problem
    assert "Expected: " in problem or name == "DREAM_MODEL"


def test_all_are_told_at_once_also_those_that_only_fail_together() -> None:
    found = problems(
        DREAM_PORT="many", DREAM_ACK_WAIT_SECONDS="0", DREAM_TIMEZONE="Mars/Olympus", DREAM_RUN_BUDGET="[",
        DREAM_NATS_URL="ftp://x", DREAM_MODEL="nosuch:model", DREAM_DATABASE_URL_FILE="/dev/null",
    )  # fmt: skip
    for name in ("PORT", "ACK_WAIT_SECONDS", "TIMEZONE", "RUN_BUDGET", "NATS_URL", "DATABASE_URL_FILE"):
        assert len([one for one in found if one.startswith(f"DREAM_{name} is ")]) == 1, name
    assert len(found) == 7 and "nosuch:model" in found[-1]


def test_a_secret_in_a_file_loses_the_newline_at_its_end_and_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    file.write_text("first \r\n")
    monkeypatch.setenv("DREAM_MODEL_API_KEY_FILE", str(file))
    settings = Settings()
    assert settings.model_api_key is not None
    assert settings.model_api_key.get_secret_value() == "first " == settings.current("model_api_key")
    file.write_text("second\n")
    assert settings.current("model_api_key") == "second"
    file.unlink()
    assert settings.current("model_api_key") == "first ", "what cannot be read is as it was"
    assert "first" not in repr(settings)
    assert Settings(model_api_key=None).model_api_key is None, "who says it in the code has the last word"


def test_a_variable_and_its_file_are_one_too_many(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("postgresql://db/dream")
    (problem,) = problems(DREAM_DATABASE_URL="postgresql://other/dream", DREAM_DATABASE_URL_FILE=str(file))
    assert problem == "DREAM_DATABASE_URL and DREAM_DATABASE_URL_FILE are both set: keep one of them"


@pytest.mark.parametrize(("content", "said"), [("", "which is empty"), ("\n\n", "which is empty"), (b"\xff", "text")])
def test_a_file_without_a_secret_is_one_line(content: str | bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    (problem,) = problems(DREAM_NATS_URL_FILE=str(file))
    assert said in problem and "\n" not in problem


def test_variables_that_nobody_reads_are_named_with_the_nearest_that_is_read() -> None:
    environment = dict.fromkeys(
        (
            "DREAM_NATS_ULR", "DREAM_DATABASE_URL_FILES", "DREAM_XYZZY", "DREAM_PORT", "DREAM_MODEL_API_KEY_FILE",
            "DREAM_PACK_DEVICES_URL", "DREAM_GATEWAY_SERVICE_HOST", "DREAM_GATEWAY_PORT_8765_TCP_ADDR", "PATH",
            "DREAM_URL", "DREAM_PORT_FILE",
        ),
        "x",
    )  # fmt: skip
    assert list(unknown(environment)) == [
        "DREAM_DATABASE_URL_FILES is not a setting: did you mean DREAM_DATABASE_URL_FILE?",
        "DREAM_NATS_ULR is not a setting: did you mean DREAM_NATS_URL?",
        "DREAM_PORT_FILE is not a setting: did you mean DREAM_PORT?",
        "DREAM_XYZZY is not a setting",
    ]


async def test_a_service_ends_with_78_and_a_line_for_each() -> None:
    environment = {
        **os.environ, "DREAM_NATS_URL": "gopher://u:gEheim@h", "DREAM_BUS_MAX_BYTES": "12", "DREAM_LIVE_SECONDS": "0",
    }  # fmt: skip
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-m", "services.response"], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == EX_CONFIG == 78
    first, *rest = done.stderr.splitlines()
    assert first == "response cannot start: 3 of its settings cannot be used"
    assert [line.split()[0] for line in rest] == ["DREAM_NATS_URL", "DREAM_LIVE_SECONDS", "DREAM_BUS_MAX_BYTES"]
    assert "gEheim" not in done.stderr and "Traceback" not in done.stderr
