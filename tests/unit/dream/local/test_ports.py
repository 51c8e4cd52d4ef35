"""Ports for servers that begin to listen later."""

import sys

import pytest

from dream.local import nats
from dream.local.embedded import EmbeddedServerFailed


@pytest.mark.skipif(sys.platform != "linux", reason="reservations are names of sockets without a file")
def test_a_port_is_given_to_one_although_nobody_listens_on_it_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    port = nats.free_port()
    monkeypatch.setattr(nats, "_NOT_LENT", range(port, port + 40))
    others = {nats.free_port() for _ in range(3)}
    assert port not in others and len(others) == 3
    monkeypatch.setattr(nats, "_NOT_LENT", [port] * 40)
    with pytest.raises(EmbeddedServerFailed, match="no TCP port is free"):
        nats.free_port()
