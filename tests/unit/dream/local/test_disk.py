"""A disk that is full, files that may not be touched, servers that do not start: one sentence that says what to do."""

import errno
import io
import logging
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import nats
import pytest

from backbone.bus.jetstream import JetStreamBus
from backbone.bus.port import BusUnavailable
from dream.cli.error_messages import error_message
from dream.failures import DataDirUnusable, Exit
from dream.local import serverlog
from dream.local.data_dir import DataDir
from dream.local.embedded import EmbeddedNats, EmbeddedServerFailed
from dream.local.logfile import to_file
from dream.ops.database import DatabaseFailed
from dream.texts import Texts

FULL = os.strerror(errno.ENOSPC)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, FULL, "/data/postgres.pid"),
        EmbeddedServerFailed(f"initdb ended with 1: {FULL} (see /data/postgres.log)"),
        DatabaseFailed(f'could not extend file "base/5/2619": {FULL}', "53100"),
        DataDirUnusable(f"/data: {FULL}"),
    ],
)
def test_a_full_disk_says_how_much_to_free_whoever_has_met_it(error: Exception) -> None:
    told = error_message(error, Texts("en"))
    assert told is not None
    assert told.exit_code is Exit.FAILED
    assert told.message.startswith("No space is left on the disk: free at least 3 GB, or give a --data-dir")


async def test_a_disk_with_less_free_than_the_stream_may_become_is_told_of_as_full(tmp_path: Path) -> None:
    server = EmbeddedNats(tmp_path / "nats")
    server.start()
    try:
        client = await nats.connect(server.url)
        bus = JetStreamBus(client, may_create=True, max_bytes=1 << 60, max_age_seconds=60)
        with pytest.raises(BusUnavailable) as caught:
            await bus.epoch()
        await client.close()
    finally:
        server.stop()
    told = error_message(caught.value, Texts("en"))
    assert told is not None and told.message.startswith("No space is left on the disk")


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (f"FATAL:  could not write to file: {FULL}\ninitdb: removing contents of data directory\n", f": {FULL}"),
        ("LOG:  starting\nFATAL:  lock file exists\nDETAIL:  perhaps\nLOG:  shut down\n", ": lock file exists"),
        ("[1] 2026/11/22 [FTL] Can't start JetStream: no\n", ": Can't start JetStream: no"),
        ("LOG:  starting\n", ""),
        ("", ""),
    ],
)
def test_a_server_that_ends_is_told_of_in_its_own_words_since_it_was_started(
    log: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "postgres.log"
    file.write_text("FATAL:  of yesterday\n")
    since = serverlog.size(file)
    with file.open("a") as more:
        more.write(log)
    assert serverlog.reason(file, since) == said


def test_a_folder_that_cannot_be_written_is_named_with_the_reason_and_no_number(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataDirUnusable) as caught:
        to_file(DataDir(tmp_path / "file"))
    told = error_message(caught.value, Texts("en"))
    assert told is not None
    assert told.message.startswith(f"{tmp_path / 'file'}: Not a directory: give another --data-dir")


def test_a_log_that_cannot_be_written_is_told_of_once_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    full = io.TextIOWrapper(io.BufferedWriter(io.FileIO("/dev/full", "w"), buffer_size=1), write_through=True)
    try:
        to_file(DataDir(tmp_path / "data"))
        handler = root.handlers[0]
        assert isinstance(handler, logging.FileHandler)
        log, words = logging.getLogger("a.service"), handler.stream
        assert words is not None
        for _ in range(2):
            handler.setStream(full)
            for number in range(50):
                log.warning("line %d", number)
            handler.setStream(words)
            log.warning("there is room")
        log.warning("a bug of who logs: %d", "no number")
    finally:
        root.handlers[:] = before
        root.setLevel(level)
        handler.close()
        with suppress(OSError):
            full.close()
    told = capsys.readouterr().err.splitlines()
    sentence = f"The log {tmp_path}/data/logs/dream.log cannot be written: {FULL}. What happens now is missing there."
    assert told[:2] == [sentence, sentence]
    assert told[2] == "--- Logging error ---", "only a full disk is kept quiet about"
    assert (tmp_path / "data/logs/dream.log").read_text().count("there is room") == 2


def test_a_file_that_the_system_refuses_is_a_sentence_and_a_bug_is_none() -> None:
    told = error_message(PermissionError(errno.EACCES, "Permission denied", "/data/lock"), Texts("en"))
    assert told == ("/data/lock cannot be used: Permission denied. Give another path, or the right to use it.", 2, None)
    assert error_message(FileNotFoundError(errno.ENOENT, "No such file", "/x"), Texts("en")) is None
    assert error_message(ZeroDivisionError(FULL[:3]), Texts("en")) is None


def test_a_ctrl_c_while_the_command_is_imported_leaves_no_trace() -> None:
    script = "import sys, signal, os; sys.modules['typer'] = None\nimport dream.cli.interrupts\nos.kill(os.getpid(), signal.SIGINT)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=50)
    assert (ended.returncode, ended.stderr) == (-2, "")
    first = (Path(__file__).parents[4] / "dream" / "cli" / "app.py").read_text().splitlines()[2]
    assert first.startswith("import dream.cli.interrupts")
