"""Tools that do what no tool should."""

import asyncio
import os
import sys
import time

from contracts.shape import JsonObject
from contracts.tools import ToolContext

MB = 1024 * 1024


async def lie(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Returns what its schema forbids."""
    return {"nonsense": 1}


async def stumble(params: JsonObject, ctx: ToolContext) -> JsonObject:
    raise ZeroDivisionError("a mistake of its author")


def crash(params: JsonObject, ctx: ToolContext) -> JsonObject:
    os._exit(3)


def hang(params: JsonObject, ctx: ToolContext) -> JsonObject:
    while True:
        time.sleep(1)


async def wait(params: JsonObject, ctx: ToolContext) -> JsonObject:
    await asyncio.Event().wait()
    return {}


def shout(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Prints 200 MB, on both channels and past Python."""
    line = b"a" * MB
    for _ in range(100):
        os.write(1, line)
        sys.stdout.write(line.decode())
    return {}


def hoard(params: JsonObject, ctx: ToolContext) -> JsonObject:
    return {"all": "a" * 50 * MB}


def gorge(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Takes more memory than it may, and goes on taking it."""
    taken = []
    for _ in range(400):
        taken.append(bytearray(os.urandom(1) * MB))
        time.sleep(0.005)
    return {"taken": len(taken)}
