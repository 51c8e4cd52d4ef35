"""What a container engine asks from inside: is this process ready?"""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from backbone import healthcheck


class Answers(BaseHTTPRequestHandler):
    status, body = 200, b'{"ready": true}'

    def do_GET(self) -> None:
        assert self.path == "/health/ready"
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        yield server.server_port
        server.shutdown()
        serving.join()


def test_a_layer_that_is_ready_is_healthy(port) -> None:
    assert healthcheck.main({"DREAM_HEALTH_PORT": str(port), "DREAM_PORT": "1"}) == 0


def test_the_gateway_is_asked_on_its_own_port(port) -> None:
    assert healthcheck.main({"DREAM_HEALTH_PORT": "0", "DREAM_PORT": str(port)}) == 0
    assert healthcheck.port({}) == 8765


def test_what_is_missing_is_told(port, monkeypatch, capsys) -> None:
    monkeypatch.setattr(Answers, "status", 503)
    monkeypatch.setattr(Answers, "body", b'{"problems": ["no ledger"]}')
    assert healthcheck.main({"DREAM_HEALTH_PORT": str(port)}) == 1
    assert "no ledger" in capsys.readouterr().out


def test_a_process_that_does_not_listen_is_not_healthy(port, capsys) -> None:
    assert healthcheck.main({"DREAM_HEALTH_PORT": "1"}) == 1
    assert "no answer" in capsys.readouterr().out
