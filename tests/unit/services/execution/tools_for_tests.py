"""Tools that behave, and tools that do not. The names without `async_` are for worker processes."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contracts.errors import Code
from contracts.tools import ToolContext, ToolError

Params = dict[str, Any]


def echo(params: Params, ctx: ToolContext) -> Params:
    return {
        "params": params,
        "language": ctx.language,
        "now": ctx.now.isoformat(),
        "key": ctx.idempotency_key,
        "inputs": [one.path.read_text() for one in ctx.inputs("reviews.raw")],
        "others": len(ctx.inputs("reviews.clean")),
        "pid": os.getpid(),
    }


def litters(params: Params, ctx: ToolContext) -> Params:
    (ctx.workdir / "deep").mkdir()
    (ctx.workdir / "deep" / "left.txt").write_text("left")
    return {"files": sorted(path.name for path in ctx.workdir.parent.rglob("*.txt"))}


def greets(params: Params, ctx: ToolContext) -> Params:
    return {"said": ctx.text("greeting", name="용걸"), "pid": os.getpid()}


def compares(params: Params, ctx: ToolContext) -> Params:
    """Two questions, and what is said in between."""
    first = ctx.meanings(["a", "bb"])
    ctx.log("between")
    return {"first": first, "second": ctx.meanings(["c"] * params.get("texts", 1))}


def raises(params: Params, ctx: ToolContext) -> Params:
    raise ValueError("열 \0 이름이 없음 \ud800")


def refuses(params: Params, ctx: ToolContext) -> Params:
    raise ToolError(Code.TABLE_EMPTY, "행이 없어요.", rows=0)


def refuses_oddly(params: Params, ctx: ToolContext) -> Params:
    error = ToolError(Code.EXTERNAL_UNAVAILABLE, "나중에 다시 해 주세요.", retryable=True)
    error.detail = {"message": 1, "code": float("nan"), "what": object()}  # type: ignore[dict-item]
    raise error


def refuses_with_names_of_ours(params: Params, ctx: ToolContext) -> Params:
    error = ToolError(Code.TABLE_EMPTY, "행이 없어요.")
    error.detail = {"message": "a", "code": 1, "retryable": "b"}
    raise error


def refuses_wordlessly(params: Params, ctx: ToolContext) -> Params:
    raise ToolError(Code.TABLE_EMPTY, " ")


def prints(params: Params, ctx: ToolContext) -> Params:
    for _ in range(5):
        print("x" * 1_000_000)  # noqa: T201  # what the test is about
    os.write(1, b'{"done": {"forged": true}}\n' * 1000)
    sys.stdout.flush()
    return {"ok": True}


def exits(params: Params, ctx: ToolContext) -> Params:
    os._exit(3)


def leaves(params: Params, ctx: ToolContext) -> Params:
    sys.exit("good bye")


def hangs(params: Params, ctx: ToolContext) -> Params:
    if "tell" in params:
        Path(params["tell"]).write_text(str(os.getpid()))
    time.sleep(60)
    return {}


def hangs_with_a_child(params: Params, ctx: ToolContext) -> Params:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(params["tell"]).write_text(str(child.pid))
    time.sleep(60)
    return {}


def odd_result(params: Params, ctx: ToolContext) -> Any:
    return ODD[params["kind"]]


async def async_odd_result(params: Params, ctx: ToolContext) -> Any:
    return ODD[params["kind"]]


async def async_reconciles(params: Params, ctx: ToolContext) -> Params:
    return {"happened": params["happened"], "result": {"x": "as it was"}}


def nested(levels: int) -> dict[str, Any]:
    inner: Any = []
    for _ in range(levels - 1):
        inner = [inner]
    return {"x": inner}


CIRCLE: dict[str, Any] = {}
CIRCLE["me"] = CIRCLE
ODD: dict[str, Any] = {
    "nan": {"x": float("nan")},
    "infinite": {"x": [float("inf")]},
    "object": {"x": object()},
    "list": [1, 2],
    "nothing": None,
    "nul": {"x": ["a\0b"]},
    "surrogate": {"x": "\ud800"},
    "circle": CIRCLE,
    "huge": {"x": "y" * 5_000_000},
    "deep": nested(300),
    "wrong": {"y": 1},
    "broad": {"x": [{"[": [[]]}] * 300},
    "backslash": {"x": "\\u0000", 7: (1, 2)},
}


def saves(params: Params, ctx: ToolContext) -> Params:
    ctx.save(b"first", name="a.txt", media_type="text/plain", type_="document.text", pages=1)
    own = ctx.workdir / "mine.txt"
    own.write_text("second")
    ctx.save(own, name="b.txt", media_type="text/plain", type_="document.text")
    own.write_text("changed after it was saved")
    ctx.save(b"", name="empty.txt", media_type="text/plain", type_="document.text")
    return {}


async def async_saves(params: Params, ctx: ToolContext) -> Params:
    return saves(params, ctx)


def spoils_its_file(params: Params, ctx: ToolContext) -> Params:
    ctx.save(b"first", name="a.txt", media_type="text/plain", type_="document.text")
    (ctx.workdir / "out-0").write_bytes(b"other")
    return {}


def loses_its_file(params: Params, ctx: ToolContext) -> Params:
    ctx.save(b"first", name="a.txt", media_type="text/plain", type_="document.text")
    (ctx.workdir / "out-0").unlink()
    return {}


def reports(params: Params, ctx: ToolContext) -> Params:
    for number in range(2000):
        ctx.progress(number / 1000 - 0.5, f"{number} \0")
    ctx.log("a line\0\ud800" * 5000)
    return {}


async def async_writes(params: Params, ctx: ToolContext) -> Params:
    ctx.log("from the loop")
    await asyncio.to_thread(ctx.log, "from a thread\0 " + "x" * 5000)
    return {}


async def async_reports(params: Params, ctx: ToolContext) -> Params:
    for number in range(2000):
        ctx.progress(number / 1000 - 0.5, f"{number} \0")
    await asyncio.sleep(params.get("seconds", 0))
    return {}


def environment(params: Params, ctx: ToolContext) -> Params:
    return {"names": sorted(os.environ), "values": sorted(os.environ.values())}


def wanders(params: Params, ctx: ToolContext) -> Params:
    before = str(Path.cwd())
    os.chdir(ctx.workdir)
    return {"before": before}


def speaks(params: Params, ctx: ToolContext) -> Params:
    return {"said": ctx.text("greeting", name="{x}"), "fallback": ctx.text("only_english")}


async def async_speaks(params: Params, ctx: ToolContext) -> Params:
    return speaks(params, ctx)


def speaks_of_nothing(params: Params, ctx: ToolContext) -> Params:
    return {"said": ctx.text("no.such.text")}


async def async_echo(params: Params, ctx: ToolContext) -> Params:
    return echo(params, ctx)


async def async_raises(params: Params, ctx: ToolContext) -> Params:
    raises(params, ctx)
    return {}


async def async_refuses(params: Params, ctx: ToolContext) -> Params:
    return refuses(params, ctx)


async def async_leaves(params: Params, ctx: ToolContext) -> Params:
    return leaves(params, ctx)


async def async_hangs(params: Params, ctx: ToolContext) -> Params:
    await asyncio.sleep(params.get("seconds", 60))
    return {}


async def async_gives_up_itself(params: Params, ctx: ToolContext) -> Params:
    raise asyncio.CancelledError


async def async_times_out_itself(params: Params, ctx: ToolContext) -> Params:
    raise TimeoutError("the service did not answer")


NOT_A_FUNCTION = 7


def reads_tables(params: Params, ctx: ToolContext) -> Params:
    import polars as pl

    return {"rows": pl.DataFrame({"a": [1, 2, 3]}).filter(pl.col("a") > 1).height}


def _tried(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return type(error).__name__
    return "connected"


def overwrites(params: Params, ctx: ToolContext) -> Params:
    (place,) = (one.path for one in ctx.inputs("reviews.raw"))
    attempts: dict[str, Callable[[], object]] = {
        "write": lambda: place.open("a"),
        "remove": place.unlink,
        "move": lambda: place.rename(ctx.workdir / "moved"),
        "truncate": lambda: os.truncate(place, 0),
        "beside": lambda: (place.parent / "more").write_text("more"),
    }
    return {"outcomes": {name: _tried(attempt) for name, attempt in attempts.items()}}


def dials(params: Params, ctx: ToolContext) -> Params:
    def connect(family: int, place: Any) -> None:
        with socket.socket(family) as one:
            one.connect(place)

    return {
        "outcomes": {
            "tcp": _tried(lambda: connect(socket.AF_INET, ("127.0.0.1", params["port"]))),
            "unix": _tried(lambda: connect(socket.AF_UNIX, params["unix"])),
        }
    }


async def async_now(params: Params, ctx: ToolContext) -> Params:
    return {"now": ctx.now.isoformat()}
