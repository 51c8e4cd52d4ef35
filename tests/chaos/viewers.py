"""Clients that watch a session and come back whenever they are sent away. What they are shown, they keep as it came."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

Gateway = Callable[[], str]
"""The address of one that takes clients."""
HINT = re.compile(r"retry-after=([0-9.]+)")


class Viewer:
    """A socket, at one gateway after the other. Fails at the first version that is missing or comes again."""

    def __init__(self, gateway: Gateway, session: str) -> None:
        self.session = session
        self.event_ids: list[str] = []
        """Of versions 1, 2, 3 …"""
        self.sent_away: Counter[str] = Counter()
        """Close codes, and how else connections ended."""
        self.hints: list[float] = []
        self._gateway = gateway

    async def watch(self) -> None:
        while True:
            wait = random.uniform(0.05, 0.3)
            try:
                await self._connection()
            except ConnectionClosed as closed:
                self.sent_away[str(closed.rcvd.code) if closed.rcvd else "lost"] += 1
                if closed.rcvd and (hint := HINT.search(closed.rcvd.reason)):
                    self.hints.append(wait := float(hint[1]))
            except InvalidStatus as refused:
                self.sent_away[f"HTTP {refused.response.status_code}"] += 1
            except (OSError, EOFError, TimeoutError, InvalidHandshake):
                self.sent_away["nobody there"] += 1
            await asyncio.sleep(wait)

    async def _connection(self) -> None:
        address = f"ws{self._gateway().removeprefix('http')}/ws/{self.session}?after={len(self.event_ids)}"
        async with connect(address, proxy=None, open_timeout=60, ping_interval=None, compression=None) as socket:
            while True:
                frame = json.loads(await socket.recv())
                if "event" in frame:
                    assert frame["version"] == len(self.event_ids) + 1, f"{frame['version']} of {self.session}"
                    self.event_ids.append(frame["event_id"])


class StreamViewer:
    """Server-sent events, as a browser takes them: it comes back with the last id that it had."""

    def __init__(self, gateway: Gateway, session: str) -> None:
        self.session = session
        self.told: list[tuple[str, str]] = []
        """Name and data. Those without an id count when an id comes after them: else they are told again."""
        self.sent_away: Counter[str] = Counter()
        self._gateway = gateway
        self._last = 0

    @property
    def turns(self) -> int:
        """How many turns are over."""
        return sum(name == "DONE" for name, _ in self.told)

    async def watch(self) -> None:
        async with httpx.AsyncClient(trust_env=False, timeout=httpx.Timeout(60.0, read=None)) as http:
            while True:
                try:
                    await self._connection(http)
                    self.sent_away["ended"] += 1
                except httpx.TransportError as error:
                    self.sent_away[type(error).__name__] += 1
                await asyncio.sleep(random.uniform(0.05, 0.3))

    async def _connection(self, http: httpx.AsyncClient) -> None:
        headers = {"Last-Event-ID": str(self._last)} if self._last else {}
        address = f"{self._gateway()}/sessions/{self.session}/stream"
        async with http.stream("GET", address, headers=headers) as answer:
            if answer.status_code != httpx.codes.OK:
                self.sent_away[f"HTTP {answer.status_code}"] += 1
                return
            event: dict[str, str] = {}
            waiting: list[tuple[str, str]] = []
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if line:
                    event[name] = value
                    continue
                if "data" in event:
                    waiting.append((event["event"], event["data"]))
                if "id" in event:
                    assert int(event["id"]) > self._last, f"{event['id']} of {self.session} comes again"
                    self._last = int(event["id"])
                    self.told += waiting
                    waiting.clear()
                event.clear()
