"""Forecasts over HTTP: a real server in the place of Open-Meteo, good ones and bad ones."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from packs.devices.tools import weather

DAY = {
    "time": ["2026-11-23"],
    "temperature_2m_min": [-1.25],
    "temperature_2m_max": [8.0],
    "precipitation_probability_max": [35],
}


@asynccontextmanager
async def service(status: int, body: bytes, asked: list[str]) -> AsyncIterator[str]:
    """Answers every request with this, and keeps what was asked."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head.split()[1].decode())
        writer.write(b"HTTP/1.1 %d X\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % (status, len(body)) + body)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/forecast"


async def told_by(status: int, body: bytes, context: Any, asked: list[str]) -> tuple[str, str]:
    async with service(status, body, asked) as url:
        context.config = {"ONLINE": "1", "URL": url}
        told = await weather.run({"place": "Seoul", "date": "2026-11-23"}, context)
    return str(told["source"]), str(told["summary"])


async def test_a_forecast_is_told_for_the_place_and_the_day(context):
    asked: list[str] = []
    source, summary = await told_by(200, json.dumps({"daily": DAY}).encode(), context, asked)
    assert source == "forecast"
    assert all(part in summary for part in ("11월 23일", "\N{MINUS SIGN}1.2℃", "8℃", "35%"))
    query = parse_qs(urlparse(asked[0]).query)
    assert (query["latitude"], query["start_date"]) == (["37.5665"], ["2026-11-23"])


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (400, b'{"reason": "out of range"}', "HTTP 400"),
        (503, b"", "HTTP 503"),
        (200, b"<html>", "알아볼 수 없어서"),
        (200, json.dumps({"daily": DAY | {"time": ["2026-11-24"]}}).encode(), "알아볼 수 없어서"),
        (200, json.dumps({"daily": DAY | {"temperature_2m_max": [None]}}).encode(), "알아볼 수 없어서"),
        (200, b" " * 100_000, "알아볼 수 없어서"),
    ],
)
async def test_whatever_the_service_says_else_the_normal_is_told_with_the_reason(status, body, why, context):
    source, summary = await told_by(status, body, context, [])
    assert source == "normal" and why in summary and "7.5℃" in summary


async def test_without_a_connection_the_normal_is_told_with_the_reason(context):
    async with service(200, b"", []) as url:
        pass
    context.config = {"ONLINE": "true", "URL": url}
    told = await weather.run({"place": "Seoul"}, context)
    assert told["source"] == "normal" and "연결하지 못해서" in str(told["summary"])
