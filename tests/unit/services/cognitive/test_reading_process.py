"""The reading process: it answers as a thread would, and what a pack's code cannot end is ended by the kernel."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio

from backbone import packs
from backbone.errors import Retryable
from contracts.cognitive import FlowAct
from contracts.reading import Clause
from contracts.shape import JsonObject
from services.cognitive.flows import Flow, load_flows
from services.cognitive.reading_process import ReadingProcess
from services.cognitive.reads import InThread, Tangled
from understanding.offline.encoder import best_encoder
from understanding.port import Situation, UserTurn

pytestmark = [pytest.mark.timeout(240), pytest.mark.asyncio(loop_scope="module"), pytest.mark.processes]

NOW = datetime(2026, 3, 28, 22, 15, tzinfo=ZoneInfo("Europe/Berlin"))
KNOTS = '''
"""Reads knots: what a pack of strangers may do."""

import re
import time


def read(clause):
    if "fold" in clause.text:
        re.match(r"(?:x|xx)+$", "x" * 64 + "!")
    if "spin" in clause.text:
        while True:
            pass
    if "fail" in clause.text:
        raise KeyError("no such knot")
    return [{"knot": clause.text}]
'''
SENTENCES = {"ko": "매듭을 {} 묶어", "en": "tie the {} knot", "ja": "{}結び目を作って"}


@pytest.fixture(scope="module")
def knots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a pack whose reader never comes back."""
    folder = tmp_path_factory.mktemp("strangers") / "packs" / "knots"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "reading.py").write_text(KNOTS)
    (folder / "pack.yaml").write_text("name: knots\nversion: 1\ntitle: {en: Knots, ko: Knots, ja: Knots}\n")
    examples = "".join(
        f"    {language}: [{', '.join(said.format(word) for word in ('big', 'small', 'red', 'blue', 'loose', 'fast'))}]\n"
        for language, said in SENTENCES.items()
    )
    (folder / "intents.yaml").write_text(
        "- intent: KNOTS.tie\n  route: plan\n  tool: knots.tie\n  reader: packs.knots.reading:read\n"
        f"  label: intent.tie\n  examples:\n{examples}"
    )
    (folder / "texts").mkdir()
    for language in SENTENCES:
        (folder / "texts" / f"{language}.yaml").write_text("intent.tie: knot\n")
    (folder / "tools").mkdir()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DREAM_PACK_PATH", str(folder.parent))
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reads(knots: Path) -> AsyncIterator[ReadingProcess]:
    process = ReadingProcess(("transfer", "knots"), best_encoder().name)
    yield process
    await process.close()


@pytest.fixture(scope="module")
def transfer() -> Flow:
    return load_flows(packs.load(("transfer",)))["transfer"]


async def test_a_turn_is_read_as_it_is_in_a_thread(reads: ReadingProcess, transfer: Flow) -> None:
    text = "이모한테 내일 2만 5천원 보내줘"
    asked = Clause(text, "ko", NOW, expecting=("amount",), slots={"target": "이모"}, done={"amount": 3000})
    there, here = await reads.turn(transfer, asked), await InThread().turn(transfer, asked)
    assert (there.clause, list(there.tasks), there.unread) == (here.clause, list(here.tasks), 0)
    assert there.clause.now.tzinfo == NOW.tzinfo
    assert await reads.clause(text, NOW, "ko") == await InThread().clause(text, NOW, "ko")


@pytest.mark.parametrize(("text", "act"), [("그래 보내줘", "confirm"), ("내일 갈래", None), ("취소", "cancel")])
async def test_a_word_is_the_flows(reads: ReadingProcess, transfer: Flow, text: str, act: str | None) -> None:
    assert await reads.word(transfer, text) == (FlowAct(act) if act else None) == transfer.word(text)


async def test_what_was_done_is_recalled(reads: ReadingProcess, transfer: Flow) -> None:
    done: list[JsonObject] = [{"target": "고모", "amount": 81000}]
    key, values = await reads.recall(transfer, "고모한테 얼마 보냈지?", done, "ko")
    assert key == "flow.transfer.recall_target" and values["total"] == "8만 1,000원"


async def test_vectors_are_those_of_the_encoder(reads: ReadingProcess) -> None:
    (there,) = await reads.encode(["바다가 보이는 방"])
    assert there == pytest.approx(best_encoder().encode(["바다가 보이는 방"])[0].tolist(), abs=1e-5)


@pytest.mark.parametrize("how", ["fold", "spin"])
async def test_what_does_not_come_back_is_ended_and_everybody_else_is_served(
    reads: ReadingProcess, transfer: Flow, how: str
) -> None:
    """`fold` holds the interpreter within one pattern, where no handler of Python would run."""
    others = [asyncio.ensure_future(reads.word(transfer, "네")) for _ in range(3)]
    with pytest.raises(Tangled):
        await reads.understand(UserTurn(f"tie the {how} knot"), Situation(NOW))
    assert [await one for one in others] == [FlowAct.CONFIRM] * 3
    host = reads._host
    assert await reads.word(transfer, "응") is FlowAct.CONFIRM
    assert reads._host is host, "what was learned is not learned again"
    found = await reads.understand(UserTurn("tie the red knot"), Situation(NOW))
    assert found.intent.name == "KNOTS.tie"


async def test_the_loop_goes_on_meanwhile(reads: ReadingProcess) -> None:
    turn = asyncio.ensure_future(reads.understand(UserTurn("tie the fold knot"), Situation(NOW)))
    beats = 0
    while not turn.done():
        await asyncio.sleep(0.02)
        beats += 1
    assert isinstance(turn.exception(), Tangled) and beats > 10


async def test_what_a_reader_raises_is_told_and_harms_nobody(reads: ReadingProcess, transfer: Flow) -> None:
    with pytest.raises(RuntimeError, match="no such knot"):
        await reads.understand(UserTurn("tie the fail knot"), Situation(NOW))
    assert await reads.word(transfer, "네") is FlowAct.CONFIRM


async def test_who_gives_up_waiting_leaves_no_answer_behind(reads: ReadingProcess, transfer: Flow) -> None:
    gone = asyncio.ensure_future(reads.clause("1만원", NOW, "ko"))
    await asyncio.sleep(0)
    gone.cancel()
    assert await reads.word(transfer, "네") is FlowAct.CONFIRM
    assert (await reads.clause("2만원", NOW, "ko")).text == "2만원"


async def test_secrets_do_not_reach_it(knots: Path, monkeypatch: pytest.MonkeyPatch, reads: ReadingProcess) -> None:
    await reads.ready()
    assert reads._host is not None
    told = await asyncio.to_thread(Path(f"/proc/{reads._host.process.pid}/environ").read_bytes)
    assert b"DREAM_DATABASE" not in told and b"API_KEY" not in told


async def test_a_process_that_was_killed_is_started_again(reads: ReadingProcess, transfer: Flow) -> None:
    assert reads._host is not None
    os.killpg(reads._host.process.pid, signal.SIGKILL)
    with pytest.raises(Retryable):
        await reads.word(transfer, "네")
    assert await reads.word(transfer, "네") is FlowAct.CONFIRM


async def test_after_the_end_nothing_is_started(transfer: Flow) -> None:
    process = ReadingProcess(("transfer",), "char-ngrams")
    await process.close()
    with pytest.raises(Retryable):
        await process.word(transfer, "네")
