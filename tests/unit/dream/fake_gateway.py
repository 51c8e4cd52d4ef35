"""A gateway that plays a script: real HTTP and WebSocket, docs/protocol.md, no services behind it."""

import asyncio
import contextlib
import hashlib
import mimetypes
import socket
import threading
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID, uuid4

import uvicorn
from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, Response

Frame = dict[str, Any]
Step = tuple[str, dict[str, Any]]
TYPES = {"PlanningOutput": "plan", "DecisionRequested": "hitl_request", "ResponseOutput": "response"}
LAYERS = {
    "MessageReceived": "cognitive",
    "CognitiveOutput": "planning",
    "PlanApproved": "execution",
    "ExecutionOutput": "response",
}


def problem(status: int, code: int, detail: str) -> JSONResponse:
    body = {"type": "about:blank", "title": "no", "status": status, "detail": detail, "code": code}
    return JSONResponse(body, status, media_type="application/problem+json")


@dataclass
class FakeGateway:
    """`steps` are played when a message arrives, up to each DecisionRequested, which waits for its answer.

    A cancel ends the run. `cut_after`: versions after which a socket is broken, once each, with the reason `cut_with`.
    `refusals`: what the next answers get.
    `lines`: log frames that follow a version, for sockets that asked for them."""

    steps: list[Step]
    answers_take: float = 0.0
    cut_after: set[int] = field(default_factory=set)
    cut_with: str = ""
    refusals: list[tuple[int, int, str]] = field(default_factory=list)
    session: UUID = field(default_factory=uuid4)
    run: UUID = field(default_factory=uuid4)
    frames: list[Frame] = field(default_factory=list)
    messages: list[Frame] = field(default_factory=list)
    answers: list[Frame] = field(default_factory=list)
    controls: list[Frame] = field(default_factory=list)
    edits: list[Frame] = field(default_factory=list)
    reminders: list[Frame] = field(default_factory=list)
    seen: list[tuple[str, str]] = field(default_factory=list)
    open_runs: list[UUID] = field(default_factory=list)
    artifacts: dict[str, bytes] = field(default_factory=dict)
    connections: list[int] = field(default_factory=list)
    lines: dict[int, list[Frame]] = field(default_factory=dict)
    url: str = ""

    def __enter__(self) -> Self:
        listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(self._app(), log_config=None, lifespan="off", ws="websockets-sansio")
        self._server = uvicorn.Server(config)
        self._server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]  # a thread has none
        self._thread = threading.Thread(target=self._server.run, args=([listener],))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()

    def store(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.artifacts[digest] = data
        return digest

    def _append(self, event: str, data: dict[str, Any], producer: str = "fake") -> None:
        version = len(self.frames) + 1
        kind = "layer_start" if event in LAYERS else TYPES.get(event, "event")
        self.frames.append(
            {"type": kind, "version": version, "event": event, "event_id": str(uuid4()), "run_id": str(self.run),
             "producer": producer, "layer": LAYERS.get(event), "recorded_at": "2026-01-01T00:00:00.000000Z", "data": data}
        )  # fmt: skip

    def _play(self) -> None:
        while self.steps:
            event, data = self.steps.pop(0)
            self._append(event, data)
            if event == "DecisionRequested":
                return

    def _app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/health")
        async def health() -> dict[str, str]:
            return {"status": "ok"}

        @app.post("/agent/run-async", status_code=202)
        async def run(request: Request) -> Frame:
            self.messages.append(await request.json())
            if not self.frames:
                self._append("SessionOpened", {})
            self._append("MessageReceived", {"text": self.messages[-1]["text"]})
            version = len(self.frames)
            self._play()
            path = f"/ws/{self.session}"
            return {"session_id": str(self.session), "run_id": str(self.run), "websocket_url": path, "version": version}

        @app.post("/artifacts", status_code=201)
        async def upload(request: Request, name: str, session_id: str | None = None) -> Frame:
            data = await request.body()
            return {"artifact_id": self.store(data), "name": name, "media_type": mimetypes.guess_type(name)[0],
                    "size": len(data), "type": "file.table"}  # fmt: skip

        @app.get("/artifacts/{artifact_id}")
        async def download(artifact_id: str, name: str = "") -> Response:
            return Response(self.artifacts[artifact_id], media_type="application/octet-stream")

        @app.get("/sessions/{session_id}")
        async def state(session_id: UUID) -> Any:
            if session_id != self.session:
                return problem(404, 3000, f"no session {session_id}")
            return {"session_id": str(session_id), "version": len(self.frames),
                    "runs": [{"run_id": str(self.run)}] if self.frames else [], "open_decisions": [],
                    "reminders": self.reminders}  # fmt: skip

        @app.get("/sessions/{session_id}/events")
        async def events(session_id: UUID, after: int = 0, limit: int = 500) -> Any:
            if session_id != self.session:
                return problem(404, 3000, f"no session {session_id}")
            page = self.frames[after : after + min(limit, 2)]  # small pages, so that a client has to turn them
            return {"session_id": str(session_id), "version": len(self.frames), "events": page}

        @app.post("/sessions/{session_id}/decisions/{decision_id}")
        async def answer(session_id: UUID, decision_id: str, request: Request) -> Any:
            if self.refusals:
                return problem(*self.refusals.pop(0))
            self.answers.append((await request.json())["answer"])
            self._append("DecisionAnswered", {"decision_id": decision_id, "kind": "plan", "answer": self.answers[-1]})
            self._play()
            await asyncio.sleep(self.answers_take)
            return {"decision_id": decision_id, "version": len(self.frames)}

        self._add_controls(app)
        app.add_api_websocket_route("/ws/{session_id}", self._socket)
        return app

    def _add_controls(self, app: FastAPI) -> None:
        @app.get("/runs")
        async def open_runs() -> Frame:
            return {
                "runs": [{"run_id": str(run), "session_id": str(self.session)} for run in self.open_runs],
                "next": None,
            }

        @app.post("/sessions/{session_id}/runs/{run_id}/control", status_code=202)
        async def control(session_id: UUID, run_id: UUID, request: Request) -> Any:
            if self.refusals:
                return problem(*self.refusals.pop(0))
            self.controls.append(await request.json())
            wanted = self.controls[-1]["control"]
            self._append("RunControlRequested", {"control": wanted})
            if wanted == "cancel":
                self._append("RunCancelled", {"reason": "requested"})
            elif wanted == "resume":
                self._play()
            return {"run_id": str(run_id), "control": wanted, "version": len(self.frames)}

        @app.post("/sessions/{session_id}/reminders/{reminder_id}/seen")
        async def seen(session_id: UUID, reminder_id: str, request: Request) -> Any:
            if self.refusals:
                return problem(*self.refusals.pop(0))
            self.seen.append((reminder_id, (await request.json())["due_at"]))
            return {"reminder_id": reminder_id, "version": len(self.frames)}

        @app.patch("/sessions/{session_id}/runs/{run_id}/plan")
        async def edit(session_id: UUID, run_id: UUID, request: Request) -> Any:
            if self.refusals:
                return problem(*self.refusals.pop(0))
            self.edits.append(await request.json())
            (plan,) = [frame["data"]["plan"] for frame in self.frames if frame["event"] == "PlanningOutput"]
            return {"run_id": str(run_id), "version": 9, "plan": {**plan, "version": 2}}

    async def _socket(self, websocket: WebSocket) -> None:
        after = int(websocket.query_params.get("after", 0))
        self.connections.append(after)
        await websocket.accept()
        if websocket.path_params["session_id"] != str(self.session):
            await websocket.send_json({"type": "error", "code": 3000, "message": "no such session"})
            await websocket.close(4404)
            return
        await websocket.send_json(
            {"type": "session_state", "session_id": str(self.session), "version": len(self.frames)}
        )
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while not self._server.should_exit:
                for frame in self.frames[after:]:
                    after = frame["version"]
                    await websocket.send_json(frame)
                    for line in self.lines.get(after, ()) if websocket.query_params.get("log") == "1" else ():
                        await websocket.send_json({"type": "log", "run_id": str(self.run), **line})
                    if after in self.cut_after:
                        self.cut_after.discard(after)
                        await websocket.close(1012, self.cut_with)
                        return
                await asyncio.sleep(0.01)
