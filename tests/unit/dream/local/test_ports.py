"""Ports for servers that begin to listen later."""

import socket
import sys
import time
from pathlib import Path

import pytest

from dream.cli.up import check_port
from dream.failures import CommandFailed
from dream.local import child, nats
from dream.local.data_dir import DataDir
from dream.local.embedded import EmbeddedServerFailed
from dream.local.orphans import end_orphans
from dream.texts import Texts


@pytest.mark.skipif(sys.platform != "linux", reason="reservations are names of sockets without a file")
def test_a_port_is_given_to_one_although_nobody_listens_on_it_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    port = nats.free_port()
    monkeypatch.setattr(nats, "_NOT_LENT", range(port, port + 40))
    others = {nats.free_port() for _ in range(3)}
    assert port not in others and len(others) == 3
    monkeypatch.setattr(nats, "_NOT_LENT", [port] * 40)
    with pytest.raises(EmbeddedServerFailed, match="no TCP port is free"):
        nats.free_port()


def test_who_starts_again_after_a_kill_has_the_port_that_its_own_services_hold(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = DataDir(tmp_path / "data")
    place.made()
    listens = f"import socket, time; s = socket.create_server(('127.0.0.1', {port})); print(flush=True); time.sleep(60)"
    with (tmp_path / "out").open("wb") as output:
        orphan = child.start([sys.executable, "-c", listens], record=place.record_of("gateway"), output=output)
    while not (tmp_path / "out").stat().st_size:
        time.sleep(0.01)
    with pytest.raises(CommandFailed, match=str(port)):
        check_port("127.0.0.1", port, Texts("en"))
    place.lock()
    end_orphans(DataDir(place.folder))
    assert orphan.process.poll() is None, "the folder is somebody's"
    place.unlock()
    end_orphans(DataDir(place.folder))
    assert orphan.process.poll() is not None
    check_port("127.0.0.1", port, Texts("en"))
    assert not place.record_of("gateway").exists()
