"""The event stream of a session as a client of source design 002 section 9 hears it."""

import asyncio

import httpx
import orjson

from tests.e2e.person import Json, Person


async def stream(person: Person, session: str, turns: int) -> list[tuple[str, Json]]:
    """What a client of the event stream is told, until so many turns are over."""
    seen: list[tuple[str, Json]] = []
    async with (
        asyncio.timeout(30),
        httpx.AsyncClient(base_url=person.url, trust_env=False, timeout=30, verify=False) as http,
        http.stream("GET", f"/sessions/{session}/stream") as answer,
    ):
        name = ""
        async for line in answer.aiter_lines():
            key, _, value = line.partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                seen.append((name, orjson.loads(value)))
                if [one for one, _ in seen].count("DONE") == turns:
                    return seen
    raise AssertionError(f"the stream ended after {seen}")
