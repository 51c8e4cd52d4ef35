"""One trace per run: real services, a real collector's protocol, and what happens when somebody dies in the middle."""

import asyncio
import os
import re
import signal
from importlib.resources import files
from pathlib import Path

import pytest

from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.test_main_job import SENTENCE, main_job
from tests.e2e.world import World, errand
from tests.support.collector import Collector, Received, drawn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BUDGET = 25.0
"""Seconds: grace of work, loops, connections and telemetry, on a machine that others use; 30 s were telemetry alone."""
COLLECTORS = ("hanging", "refusing", "nobody") if "DREAM_OPS" in os.environ else ("hanging",)
"""All of them in `make ops-test`; what each does to the sending alone is in tests/integration/backbone/test_outbox.py."""
EDGES = {
    ("dream-gateway", "dream-cognitive"), ("dream-cognitive", "dream-planning"), ("dream-gateway", "dream-planning"),
    ("dream-planning", "dream-execution"), ("dream-execution", "dream-response"),
}  # fmt: skip
"""Whom a run with a plan leads to whom."""
EXEMPLAR = re.compile(r'^dream_\w+_bucket\{.*\} [\d.]+ # \{trace_id="([0-9a-f]{32})"\} ', re.MULTILINE)
ERRAND = {"text": "/errand 1", "auto_approve": True}
LAYERS = {f"layer {name}" for name in ("cognitive", "planning", "execution", "response")}


def orphans(spans: list[Received], caller: str = "") -> list[Received]:
    known = {caller, *(span.span_id for span in spans)}
    return [span for span in spans if span.parent_id not in known and span.parent_id]


def edges(spans: list[Received]) -> set[tuple[str, str]]:
    """As Tempo draws them: a PRODUCER span with a CONSUMER child of another service."""
    by_id = {span.span_id: span for span in spans}
    pairs = [(by_id[span.parent_id], span) for span in spans if span.kind == "CONSUMER"]
    assert all(sent.kind == "PRODUCER" and sent.service != span.service for sent, span in pairs)
    return {(sent.service, span.service) for sent, span in pairs}


async def whole(collector: Collector, run: Json, *, caller: str = "") -> list[Received]:
    """The run's trace, once its root and all parents are there."""
    trace_id = str(run["trace_id"])

    async def look() -> list[Received] | None:
        spans = collector.trace(trace_id)
        ended = any(span.name == "invoke_workflow dream.run" for span in spans)
        return spans if ended and not orphans(spans, caller) else None

    try:
        return await eventually(look, "a whole trace", 60)
    except AssertionError:
        raise AssertionError(f"no whole trace:\n{drawn(collector.trace(trace_id))}") from None


async def test_the_main_job_is_one_connected_trace(person: Person, collector: Collector) -> None:
    run, events = await main_job(person, "ko")
    spans = await whole(collector, run)
    (root,) = [span for span in spans if not span.parent_id]
    assert (root.name, root.service, root.kind) == ("invoke_workflow dream.run", "dream-gateway", "INTERNAL")
    assert (root.attributes["dream.run.id"], root.trace_id) == (run["run_id"], str(run["run_id"]).replace("-", ""))
    await eventually(lambda: _true(edges(collector.trace(root.trace_id)) >= EDGES), "every edge between services")
    assert {span.name for span in spans} >= LAYERS
    tools = {span.name for span in spans if span.name.startswith("execute_tool marketing.")}
    assert len(tools) == 5
    by_id = {span.span_id: span for span in spans}
    for span in spans:
        if span.name in tools:
            attempt = by_id[span.parent_id]
            todo = by_id[attempt.parent_id]
            above = [one.name.split(" ")[0] for one in (attempt, todo, by_id[todo.parent_id])]
            assert above == ["attempt", "todo", "layer"]
    assert any(span.name.startswith("chat ") for span in spans)
    assert {"decision plan", "wait_for_person"} <= {span.name for span in spans}
    assert_no_result(spans, events, run)


def assert_no_result(spans: list[Received], events: list[Json], run: Json) -> None:
    """Nothing of what a whole run read and made leaves with its trace."""
    results = of(events, "TodoSucceeded", run)
    assert len(results) == 5 and all(result["result"] for result in results)
    said = "\n".join(text for span in spans for text in span.said)
    assert said.isascii(), "sentence, titles, reviews, report and answer are Korean"
    files = [file for event in events for file in event["data"].get("attachments", ())]
    named = {str(file[key]) for file in files for key in ("artifact_id", "name") if file.get(key)}
    assert len(named) > 3
    assert [found for found in (*named, "demo_reviews", ".csv", ".pdf", ".png", "anonymous") if found in said] == []


async def test_nothing_that_was_said_or_read_leaves_with_a_trace(collector: Collector, person: Person) -> None:
    word = "무지개떡"
    file = await person.upload("kim-minsu-reviews.csv", _data().replace("배송", word).encode())
    run = await person.say(f"{SENTENCE['ko']}, {word} 010-1234-5678", attachments=[file])
    question = await person.question(run["session_id"], seconds=120)
    await person.answer(run["session_id"], question, action="reject", reason=f"{word} 싫어요")
    await _cancel(person, run)
    spans = await whole(collector, run)
    said = "\n".join(text for span in spans for text in span.said)
    words = {word, "010-1234", "1234-5678", "minsu", "reviews", "감성", "리포트", "싫어요", "s3cret", "anonymous"}
    assert [found for found in words if found in said] == []
    known = ("dream.", "gen_ai.", "messaging.", "error.", "openinference.")
    assert [key for span in spans for key in span.attributes if not key.startswith(known)] == []


async def test_an_errand_with_a_kill_in_every_service_is_told_once_and_whole(
    house: World, person: Person, collector: Collector
) -> None:
    for name, point in (("planning", "appended"), ("execution", "published"), ("response", "published")):
        house.arm(name, point, 1)

    async def revived(name: str) -> None:
        await house.died(name, 60)
        await house.restart(name)

    revivals = [asyncio.create_task(revived(name)) for name in ("planning", "execution", "response")]
    run = await errand(person)
    await asyncio.gather(*revivals)
    await person.end_of(run, 120)
    spans = await whole(collector, run)
    assert [span.name for span in spans if not span.parent_id] == ["invoke_workflow dream.run"]
    for copies in collector.copies(str(run["trace_id"])).values():
        same = {(one.name, one.service, one.parent_id, one.kind) for one in copies}
        assert len(same) == 1, "whoever tells a span tells the same one"
    todos = [span for span in spans if span.name.startswith("todo ")]
    assert len({span.attributes["dream.todo.number"] for span in todos}) == len(todos) > 1


async def test_a_caller_who_traces_finds_the_run_below_its_own_span(person: Person, collector: Collector) -> None:
    caller = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
    headers = {"traceparent": f"00-{caller[0]}-{caller[1]}-01"}
    answer = await person.ask("POST", "/agent/run", json=ERRAND, headers=headers)
    assert answer.headers["x-trace-id"] == answer.json()["trace_id"] == caller[0]
    spans = await whole(collector, answer.json(), caller=caller[1])
    assert [span.name for span in spans if span.parent_id == caller[1]] == ["invoke_workflow dream.run"]
    found = await person.ask("GET", f"/runs?trace_id={caller[0]}")
    assert [run["run_id"] for run in found.json()["runs"]] == [answer.json()["run_id"]]


async def test_who_says_that_it_is_not_traced_is_not(person: Person, collector: Collector) -> None:
    trace_id = "5cf92f3577b34da6a3ce929d0e0e4736"
    headers = {"traceparent": f"00-{trace_id}-00f067aa0ba902b7-00"}
    answer = await person.ask("POST", "/agent/run", json=ERRAND, headers=headers)
    after = await person.say("/errand 1", auto_approve=True)
    await person.end_of(after)
    await whole(collector, after)
    assert (answer.status_code, collector.trace(trace_id)) == (200, [])


async def test_a_run_leads_to_its_trace_and_the_trace_to_its_run(person: Person, collector: Collector) -> None:
    run = await person.say("/errand 1", auto_approve=True)
    await person.end_of(run)
    shown = await person.ask("GET", f"/runs/{run['run_id']}")
    trace_id = shown.headers["x-trace-id"]
    assert shown.json()["trace_id"] == trace_id == run["trace_id"]
    assert shown.json()["trace_url"] == f"https://grafana.example/t/{trace_id}"
    back = await person.ask("GET", f"/runs?trace_id={trace_id.upper()}")
    assert [one["run_id"] for one in back.json()["runs"]] == [run["run_id"]]
    assert (await person.ask("GET", f"/runs?trace_id={'7' * 32}")).json()["runs"] == []
    wrong = await person.ask("GET", "/runs?trace_id=trace-1")
    assert (wrong.status_code, wrong.json()["code"]) == (400, 1009)


async def test_the_collector_is_given_its_headers_and_no_log_has_them(house: World, collector: Collector) -> None:
    given = {name.lower(): value for name, value in collector.headers[0].items()}
    assert (given["x-scope-orgid"], given["authorization"]) == ("tenant-7", "Bearer s3cret")
    log = await asyncio.to_thread((house.folder / "services.log").read_text)
    assert "s3cret" not in log


async def test_histograms_lead_to_traces_for_whoever_asks_in_openmetrics(
    person: Person, house: World, collector: Collector
) -> None:
    run = await person.say("/errand 1", auto_approve=True)
    await person.end_of(run)
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
    plain = await person.ask("GET", "/metrics")
    open_ = await person.ask("GET", "/metrics", headers=accept)
    assert plain.headers["content-type"].startswith("text/plain") and "# EOF" not in plain.text
    assert open_.headers["content-type"].startswith("application/openmetrics-text") and "# EOF" in open_.text

    address = f"http://127.0.0.1:{house.stack._health_ports['execution']}/metrics"

    async def led() -> list[str] | None:
        """Traces that the histograms of a service lead to."""
        metrics = await person.ask("GET", address, headers=accept)
        found = EXEMPLAR.findall(metrics.text)
        return found if any(collector.trace(trace_id) for trace_id in found) else None

    await eventually(led, "exemplars that lead to a trace")


@pytest.mark.parametrize("how", COLLECTORS)
async def test_a_service_stops_in_time_whatever_the_collector_does(house: World, person: Person, how: str) -> None:
    with Collector(hanging=how == "hanging", refusing=how == "refusing") as broken:
        address = broken.url if how != "nobody" else "http://127.0.0.1:9/v1/traces"
        await house.restart("planning", DREAM_OTLP_ENDPOINT=address)
        await house.stack.wait_ready()
        run = await person.say("/errand 1", auto_approve=True)
        await person.end_of(run)
        if how != "nobody":
            await eventually(lambda: _true(broken.requests > 0), "spans on their way")
        planning = house.stack._children["planning"]
        since = asyncio.get_running_loop().time()
        os.kill(planning.process.pid, signal.SIGTERM)
        code = await house.stack.wait_ended("planning", 60)
        assert code == 0
        assert asyncio.get_running_loop().time() - since < BUDGET
        await house.restart("planning")  # with its own collector again


async def _true(value: bool) -> bool | None:
    return value or None


async def _cancel(person: Person, run: Json) -> None:
    address = f"/sessions/{run['session_id']}/runs/{run['run_id']}/control"
    await person.ask("POST", address, json={"control": "cancel"})
    await person.end_of(run)


def _data() -> str:
    return Path(str(files("packs.marketing") / "data/demo_reviews_ko.csv")).read_text()
