"""What a conversation of 50 turns takes on disk, tables and indexes: all that the product keeps of it, beside the
checkpoints that LangGraph keeps of the same turns on the same Postgres. Once when it is over, and once when it is idle
and `dream admin prune` has been there: sealed, with what was handled of it forgotten."""

import argparse
import asyncio
import json
import operator
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import asyncpg
import httpx
import websockets
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from backbone.ledger.retention import retention
from bench.overhead import SERVICES, peer_database
from dream.local.processes import ProcessStack

TURNS, SESSIONS = 50, 4
KB = 1024
SENTENCES = (
    "오늘 {city} 날씨 어때?", "내일 오후 {hour}시에 {errand} 일정 넣어줘", "{day} 일정 알려줘",
    "엄마한테 {hour}만원 보내줘",
    "아니다 그만둘래", "잔액 얼마야?", "What can you do?", "remind me at {hour} tomorrow to call {who}",
    "what's on {on}?", "{place}までの道を教えて",
)  # fmt: skip
"""Said again and again with other words in them, but for those without any: as people repeat themselves."""
_WORDS = {
    "city": ("서울", "부산", "제주", "대구", "광주"),
    "hour": ("3", "4", "5", "6", "7"),
    "errand": ("치과", "미용실", "회의", "운동", "은행"),
    "day": ("내일", "모레", "이번 주", "금요일", "다음 주"),
    "who": ("Ann", "Bob", "the dentist", "mum", "Jisoo"),
    "on": ("tomorrow", "Friday", "Monday", "next week", "the weekend"),
    "place": ("高尾山", "東京駅", "浅草寺", "羽田空港", "横浜駅"),
}
_SIZES = """select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid) as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')"""
Turn = tuple[str, str]


async def measure() -> dict[str, Any]:
    """Bytes of a conversation, ours and the peer's, and where ours are."""
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        every = {name: {"DREAM_LOG_LEVEL": "WARNING"} for name in SERVICES}
        async with ProcessStack(Path(folder), environment=every) as stack:
            url = stack.postgres.admin_url
            # as many as are measured: room that their sealing leaves is taken by the next
            for _ in range(SESSIONS):
                await _talk(stack.url, _sentences())
            await _idle(url)
            before = await _sizes(url)
            told = [await _talk(stack.url, _sentences()) for _ in range(SESSIONS)]
            await asyncio.sleep(3)  # what is remembered of a conversation is written a moment later
            over = _grown(before, await _sizes(url))
            await _idle(url)
            idle = _grown(before, await _sizes(url))
            theirs = await _peer(await peer_database(url), told)
    return {"turns": TURNS, "langgraph_kb": round(theirs / 1024)} | {
        f"{name}_{what}": figure
        for name, grown in (("over", over), ("idle", idle))
        for what, figure in _told(grown, theirs).items()
    }


def _told(grown: dict[str, int], theirs: int) -> dict[str, Any]:
    ours = sum(grown.values())
    largest = sorted(grown.items(), key=lambda one: -abs(one[1]))
    return {
        "kb": round(ours / 1024),
        "ratio": round(ours / theirs, 3),
        "by_table_kb": {name: round(size / 1024, 1) for name, size in largest if abs(size) >= KB // 2},
    }


def _grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: (size - before.get(name, 0)) // SESSIONS for name, size in after.items()}


async def _idle(url: str) -> None:
    """Weeks later: reminders have come."""
    later = datetime.now(UTC) + timedelta(days=60)
    async with retention(url) as ledger:
        await ledger.connection.execute("update ledger.timers set due_at = now()")
        await asyncio.sleep(10)  # they fire, and relays save how far they are
        async for ended in ledger.idle_since(later):
            await ledger.seal(ended)
        await ledger.prune_inbox(later)
    await _packed(url)


def _sentences() -> list[str]:
    said = [
        template.format(**{name: words[number] for name, words in _WORDS.items()})
        for number in range(len(_WORDS["hour"]))
        for template in SENTENCES
    ]
    assert len(said) == TURNS
    return said


async def _talk(url: str, sentences: Sequence[str]) -> list[Turn]:
    """What was said and answered in a session of a person's own, turn by turn."""
    body = {"text": "안녕", "auto_approve": True, "user": f"storage-{uuid4()}"}
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as http:
        begun = (await http.post("/agent/run-async", json=body)).raise_for_status().json()
    told: list[Turn] = []
    async with websockets.connect(f"{url.replace('http', 'ws', 1)}/ws/{begun['session_id']}?after=0") as socket:
        await _answer(socket)
        for sentence in sentences:
            await socket.send(json.dumps({"type": "message", "text": sentence, "auto_approve": True}))
            told.append((sentence, await _answer(socket)))
    return told


async def _answer(socket: websockets.ClientConnection) -> str:
    """The text of a run's answer, at its end."""
    text = ""
    while True:
        frame = json.loads(await socket.recv())
        if frame["type"] == "response":
            text = str(frame["data"].get("text", ""))
        elif frame["type"] == "complete":
            return text


async def _sizes(url: str) -> dict[str, int]:
    connection = await asyncpg.connect(url)
    try:
        return {row["name"]: row["bytes"] for row in await connection.fetch(_SIZES)}
    finally:
        await connection.close()


class State(TypedDict, total=False):
    """What an agent's graph carries on: the conversation, and what the layers have made of the last turn."""

    messages: Annotated[list[dict[str, str]], operator.add]
    answer: str
    cognitive: dict[str, Any]
    todos: list[dict[str, Any]]
    results: dict[str, Any]


async def _peer(url: str, conversations: Sequence[Sequence[Turn]]) -> int:
    """Bytes of a conversation: the four layers as nodes, a thread for each session, durability sync."""
    graph: Any = StateGraph(State)
    made = {
        "cognitive": lambda _: {"cognitive": {"intent": "small.talk", "entities": []}},
        "planning": lambda _: {"todos": [{"id": "t1", "tool": "answer"}]},
        "execution": lambda _: {"results": {"t1": {"ok": True}}},
        "response": lambda state: {"messages": [{"role": "assistant", "content": state["answer"]}]},
    }
    names = list(made)
    for name, node in made.items():
        graph.add_node(name, node)
    for start, end in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(start, end)
    async with await AsyncConnection.connect(
        url, autocommit=True, prepare_threshold=0, row_factory=dict_row
    ) as connection:
        saver = AsyncPostgresSaver(connection)
        await saver.setup()
        app = graph.compile(checkpointer=saver)
        before = sum((await _sizes(url)).values())
        for turns in conversations:
            thread = {"configurable": {"thread_id": str(uuid4())}}
            for text, answer in turns:
                said = {"messages": [{"role": "user", "content": text}], "answer": answer}
                await app.ainvoke(said, thread, durability="sync")
    await _packed(url)
    return (sum((await _sizes(url)).values()) - before) // len(conversations)


async def _packed(url: str) -> None:
    """Free room is not a conversation's: the next one takes it."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("vacuum full")
    finally:
        await connection.close()


def main(argv: Sequence[str]) -> int:
    """python -m bench storage [--json]"""
    parser = argparse.ArgumentParser(prog="python -m bench storage", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    figures = asyncio.run(measure())
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return 0
    sys.stdout.writelines(f"{name}: {value}\n" for name, value in figures.items())
    return 0
