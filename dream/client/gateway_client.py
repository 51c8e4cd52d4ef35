"""A client of the public protocol (docs/protocol.md): REST by httpx, the stream of frames by WebSocket."""

import asyncio
import json
import logging
import os
import random
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlparse

import httpx
import websockets.asyncio.client as websocket
import websockets.exceptions

from backbone.secret_files import value_of

log = logging.getLogger(__name__)

Frame = dict[str, Any]
Attachment = dict[str, Any]

GIVE_UP_SECONDS = 60.0
"""So long a server may be gone before following it ends."""
FIRST_DELAY, LAST_DELAY = 0.1, 2.0
STEADY_SECONDS = 5.0
RESTART = 1012
RETURN_AFTER = re.compile(r"retry-after=(\d{1,2}(?:\.\d+)?)")
"""In the reason of a close: the gateway restarts, and spreads its clients' return over some seconds."""
WS_REFUSALS = (400, 401, 403, 404, 421, 422)
CLOSE_CODES = 4000
"""A close code of 4404 stands for HTTP's 404."""
CHUNK = 1 << 20
_WS_ERRORS = (OSError, TimeoutError, websockets.exceptions.WebSocketException)


class ServerGone(Exception):
    """The server cannot be reached, or stopped answering for too long."""


class Refused(Exception):
    """The server said no: status, code (contracts/errors.py) and its sentence."""

    def __init__(self, status: int, code: int | None, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail


class _Restarts(Exception):
    """The gateway of a socket restarts, and says when to come back."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Client:
    """One server. `async with Client(url) as client:`"""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        # a proxy in the environment is for other machines
        self._near = urlparse(url).hostname in ("127.0.0.1", "localhost", "::1")
        timeout = httpx.Timeout(30.0, connect=5.0)
        key = value_of("DREAM_API_KEY", os.environ)
        self._key = {"Authorization": f"Bearer {key}"} if key else {}
        # authorities are read for https alone, which takes longer than a request
        checked = urlparse(url).scheme == "https"
        self._http = httpx.AsyncClient(
            base_url=self.url, trust_env=not self._near, timeout=timeout, verify=checked, headers=self._key
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def _call(self, method: str, path: str, **how: Any) -> Frame:
        try:
            answer = await self._http.request(method, path, **how)
        except httpx.TransportError as error:
            raise ServerGone(f"{self.url}: {str(error) or type(error).__name__}") from error
        told: Frame = _checked(answer).json()
        return told

    async def healthy(self) -> bool:
        """Whether GET /health answers 200."""
        try:
            return (await self._http.get("/health", timeout=3.0)).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    async def upload(self, file: Path, session: str | None = None) -> Attachment:
        """Stores a file; returns the Attachment to send with a message or an answer."""
        query = {"name": file.name} | ({"session_id": session} if session else {})
        size = (await asyncio.to_thread(file.stat)).st_size
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        return await self._call(
            "POST", "/artifacts", params=query, headers=headers, content=_chunks(file), timeout=None
        )

    async def run(self, body: Frame, key: str) -> Frame:
        """Starts a run; `key` makes a repetition harmless. Returns session_id, run_id, websocket_url, version."""
        return await self._call("POST", "/agent/run-async", json=body, headers={"Idempotency-Key": key})

    async def session(self, session: str) -> Frame:
        """session_id, version, runs, open_decisions."""
        return await self._call("GET", f"/sessions/{session}")

    async def events(self, session: str, after: int = 0, limit: int = 500) -> Frame:
        """One page of history: session_id, version, events."""
        return await self._call("GET", f"/sessions/{session}/events", params={"after": after, "limit": limit})

    async def answer(self, session: str, decision: str, answer: Frame) -> None:
        """Answers a decision. Raises Refused: 409 when it is not open, 4xx with 5002 when the answer does not fit."""
        await self._call("POST", f"/sessions/{session}/decisions/{decision}", json={"answer": answer})

    async def seen(self, session: str, reminder: str, due_at: str) -> None:
        """The person has seen a reminder, up to this time of it. Raises Refused."""
        await self._call("POST", f"/sessions/{session}/reminders/{reminder}/seen", json={"due_at": due_at})

    async def feedback(self, session: str, body: Frame) -> Frame:
        """What the person thinks of a run (run_id, rating, comment, correction); returns run_id, version."""
        return await self._call("POST", f"/sessions/{session}/feedback", json=body)

    async def control(self, session: str, run: str, control: str, reason: str = "") -> Frame:
        """pause, resume, interrupt or cancel; returns run_id, control, version. Raises Refused."""
        body = {"control": control, "reason": reason}
        return await self._call("POST", f"/sessions/{session}/runs/{run}/control", json=body)

    async def edit_plan(self, session: str, run: str, plan_version: int, patch: list[Frame]) -> Frame:
        """Edits the plan of a paused run; returns run_id, version, plan. Raises Refused."""
        body = {"plan_version": plan_version, "patch": patch}
        return await self._call("PATCH", f"/sessions/{session}/runs/{run}/plan", json=body)

    async def open_runs(self, *, only_stuck: bool = False, before: str | None = None, limit: int = 500) -> Frame:
        """One page of the open runs, the newest first: runs, next."""
        query: Frame = {"limit": limit, "stuck": str(only_stuck).lower()} | ({"before": before} if before else {})
        return await self._call("GET", "/runs", params=query)

    async def profile(self, artifact_id: str, name: str = "") -> Frame:
        """What was found in a file when it arrived: artifact_id, found."""
        params = {"name": name} if name else {}
        return await self._call("GET", f"/artifacts/{artifact_id}/profile", params=params)

    async def dead_letters(self, state: str | None = None) -> Frame:
        """The newest thousand, of one state if given."""
        return await self._call("GET", "/dead-letters", params={"limit": 1000} | ({"state": state} if state else {}))

    async def dead_letter(self, letter: str) -> Frame:
        """One of them, with headers and body."""
        return await self._call("GET", f"/dead-letters/{letter}")

    async def settle_letter(self, letter: str, verb: str) -> Frame:
        """retry or discard. Raises Refused: 409 with the reason when that cannot be (any more)."""
        return await self._call("POST", f"/dead-letters/{letter}/{verb}")

    async def download(self, artifact: Attachment, to: Path) -> None:
        """Writes an artifact to a file that must not exist."""
        path = f"/artifacts/{artifact['artifact_id']}"
        try:
            async with self._http.stream("GET", path, params={"name": artifact["name"]}, timeout=None) as answer:
                if answer.is_error:
                    await answer.aread()
                _checked(answer)
                with to.open("xb") as file:
                    async for chunk in answer.aiter_bytes(CHUNK):
                        await asyncio.to_thread(file.write, chunk)
        except httpx.TransportError as error:
            raise ServerGone(f"{self.url}: {str(error) or type(error).__name__}") from error

    async def follow(
        self, session: str, after: int = 0, *, log_lines: bool = False, patience: float = GIVE_UP_SECONDS
    ) -> AsyncGenerator[Frame, None]:
        """Every event frame with version > after, each once and in order, over as many connections as it takes; with
        `log_lines` also the frames of type log between them, as far as they come.

        Raises ServerGone when the server cannot be reached for `patience` seconds."""
        clock = asyncio.get_running_loop().time
        delay, heard = FIRST_DELAY, clock()
        while True:
            known, since, told = after, clock(), None
            try:
                async with aclosing(self._connection(session, after, log_lines=log_lines)) as frames:
                    async for frame in frames:
                        if "event" in frame and frame["version"] > after:
                            after = frame["version"]
                            yield frame
                        elif log_lines and frame.get("type") == "log":
                            yield frame
            except _Restarts as restart:
                told = restart.seconds
            if after > known or clock() - since > STEADY_SECONDS:
                # it brought something, or was quietly there until now; one that only greets and breaks is no good
                heard, delay = clock(), FIRST_DELAY
            elif clock() - heard > patience:
                raise ServerGone(f"{self.url} has not answered for {patience:.0f} s")
            if told is None:  # many lose the same gateway at the same moment
                told = delay * random.uniform(0.5, 1.0)  # noqa: S311  # jitter, not a secret
            await asyncio.sleep(told)
            delay = min(delay * 2, LAST_DELAY)

    async def _connection(self, session: str, after: int, *, log_lines: bool) -> AsyncGenerator[Frame, None]:
        """The frames of one connection, until it breaks. Raises Refused when another one would fare no better,
        _Restarts when the gateway says when to come back."""
        address = f"ws{self.url.removeprefix('http')}/ws/{session}?after={after}{'&log=1' if log_lines else ''}"
        options: dict[str, Any] = {"additional_headers": self._key} | ({"proxy": None} if self._near else {})
        try:
            async with websocket.connect(address, max_size=None, open_timeout=5, ping_interval=10, **options) as socket:
                async for text in socket:
                    yield json.loads(text)
        except websockets.exceptions.InvalidStatus as error:
            if error.response.status_code in WS_REFUSALS:
                raise _refused(error) from error
            log.info("websocket: %r", error)
        except websockets.exceptions.ConnectionClosed as error:
            status = (error.rcvd.code if error.rcvd else 0) - CLOSE_CODES
            if status in WS_REFUSALS:
                raise Refused(status, None, f"{session}: {error}") from error
            log.info("websocket: %r", error)
            if error.rcvd and error.rcvd.code == RESTART and (hint := RETURN_AFTER.search(error.rcvd.reason)):
                raise _Restarts(float(hint[1])) from error
        except _WS_ERRORS as error:
            log.info("websocket: %r", error)


def _refused(error: websockets.exceptions.InvalidStatus) -> Refused:
    body = bytes(error.response.body or b"")
    try:
        told = json.loads(body)
    except ValueError:
        told = {}
    return Refused(error.response.status_code, told.get("code"), str(told.get("detail") or error))


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    try:
        told = answer.json()
    except ValueError:
        told = {}
    if not isinstance(told, dict):
        told = {}
    detail = told.get("detail") or told.get("title") or answer.text[:300] or f"HTTP {answer.status_code}"
    raise Refused(answer.status_code, told.get("code"), str(detail))


async def _chunks(file: Path) -> AsyncIterator[bytes]:
    with file.open("rb") as source:
        while chunk := await asyncio.to_thread(source.read, CHUNK):
            yield chunk
