"""A model of OpenAI's interface that refuses in its stream: its words are in `delta.refusal`, and the end is a plain stop."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from langchain_core.messages import AIMessageChunk

from backbone.model.chat.provider import ChatProvider
from backbone.model.chat.refusals import refusal_in
from backbone.model.faults import ModelDeclined
from backbone.model.port import ModelRequest
from contracts.errors import Code
from contracts.model import ModelRole
from tests.conformance.model_conformance import Answer, AskedOfModel
from tests.support.llm import OPENAI

SAID = ("I cannot ", "help with that.")
Served = tuple[str, list[dict[str, object]]]


@pytest.fixture
def refusing() -> Iterator[Served]:
    """Its address, and the requests that it got."""
    requests: list[dict[str, object]] = []

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            deltas = [{"role": "assistant", "content": ""}, *({"refusal": part} for part in SAID), {}]
            for number, delta in enumerate(deltas, 1):
                choice = {"index": 0, "delta": delta, "finish_reason": "stop" if number == len(deltas) else None}
                chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", requests
        finally:
            server.shutdown()
            thread.join()


async def test_it_is_a_refusal_and_not_asked_again(refusing: Served, provider_for: Callable[..., ChatProvider]) -> None:
    url, requests = refusing
    with pytest.raises(ModelDeclined) as raised:
        await provider_for(OPENAI, model_base_url=url).ask(
            ModelRequest(ModelRole.SOLVER, "test.count@1", AskedOfModel(), Answer)
        )
    assert (raised.value.code, len(requests)) == (Code.MODEL_REFUSED, 1)
    called = raised.value.called
    assert called is not None
    assert called.error is not None
    assert (called.error.code, called.repaired, called.attempts) == (Code.MODEL_REFUSED, False, 1)


@pytest.mark.parametrize(
    ("chunk", "said"),
    [
        (AIMessageChunk(content=[{"type": "refusal", "refusal": "No."}]), "No."),
        (AIMessageChunk(content="", additional_kwargs={"refusal": "No."}), "No."),
        (AIMessageChunk(content=[{"type": "text", "text": "refusal"}]), ""),
        (AIMessageChunk(content="refusal"), ""),
    ],
)
def test_a_refusal_is_found_wherever_an_interface_has_it(chunk: AIMessageChunk, said: str) -> None:
    assert refusal_in(chunk) == said
