"""`make observe-test`: five services as processes, a real Prometheus with our rules, an OTLP receiver. Runs a main job, a
transfer and failures, then asks what every panel and every rule asks. A query without data has its reason here, or it
is a mistake: exit 1."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import nats

from tests.e2e.person import Json, Person, eventually
from tests.e2e.scene import perform, todo
from tests.e2e.test_junk import JUNK
from tests.e2e.test_main_job import main_job
from tests.e2e.world import EFFECTS, STAGE, World, folder_for, running
from tests.manifests.facts import facts
from tests.support.collector import Collector, Received, drawn
from tests.support.prometheus import Prometheus, series_of, substituted, without_limit
from understanding.kit.data import read_data

RULES = Path(__file__).parents[2] / "deploy/prometheus/alerts.yaml"
REASONS: Mapping[str, str] = {
    "dream_bus_violations_total": "nothing has been refused by NATS in this run",
    "dream_bus_full_total": "the stream has not been full",
    "dream:certificate_days:min": "the embedded servers speak without TLS",
    "dream_certificate_days": "the embedded servers speak without TLS",
    "dream_dead_letters_passed_over_total": "strangers have sent less than is kept as dead letters",
    'outcome!="done"': "no message had to be handled again",
}
"""What has no data here, and why. One that has some all the same is no mistake."""
SETTLED = 75.0
"""Seconds for two looks at the ledger (each 15 s, in turn) and the scrapes and evaluations behind them."""
SERIES = 4000
"""Of all services together, at most: labels are bounded."""


@dataclass(frozen=True, slots=True)
class Row:
    """A query: who asks it, how many series came, and why none did."""

    who: str
    query: str
    found: int
    reason: str

    @property
    def missing(self) -> bool:
        return not self.found and not self.reason


async def observe() -> int:
    """Prints the table; returns how much is wrong."""
    wrong: list[str] = []
    with Collector() as collector:
        async with _product(collector) as (world, prometheus):
            await eventually(lambda: _all_up(prometheus), "all five are scraped", 60)
            async with Person(world.stack.url) as person:
                runs = await _life(world, person)
            rows = await _answered(prometheus)
            wrong += [f"no data: {row.who}: {row.query}" for row in rows if row.missing]
            wrong += [
                f"{rule['name']}: {rule['lastError']}" for rule in await prometheus.rules() if rule["health"] == "err"
            ]
            wrong += await _labels(prometheus)
            wrong += await _traces(prometheus, collector, runs)
    for row in rows:
        print(f"{row.found:6}  {row.who:42.42}  {row.query[:110]}{f'  [{row.reason}]' if not row.found else ''}")
    print(f"{len(rows)} queries, {sum(not row.found for row in rows)} without data, {len(wrong)} mistakes")
    print("\n".join(wrong), file=sys.stderr)
    return len(wrong)


@asynccontextmanager
async def _product(collector: Collector) -> AsyncIterator[tuple[World, Prometheus]]:
    """A model that nobody serves tells the results, so that each of its calls fails and `offline` does the work."""
    settings = {
        "DREAM_OTLP_ENDPOINT": collector.url,
        "DREAM_TRACES_PER_SECOND": "1000",  # each run is looked at
        "DREAM_MODEL_ROLES": '{"reporter": "openai:gpt-4o-mini"}',
        "DREAM_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
        "DREAM_MODEL_API_KEY": "none",
        "DREAM_MODEL_FALLBACKS": "offline",
        "DREAM_LEASE_SECONDS": "3",
    }
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(folder_for("observe"))
        world = await stack.enter_async_context(running(folder, f"marketing,transfer,{EFFECTS},{STAGE}", **settings))
        (place := folder / "prometheus").mkdir()
        ports = world.stack._health_ports
        prometheus = await stack.enter_async_context(Prometheus(place, ports, RULES))
        yield world, prometheus


async def _all_up(prometheus: Prometheus) -> bool:
    return len(await prometheus.up()) == 5


async def _life(world: World, person: Person) -> list[Json]:
    """Twice, so that whatever is counted grows between two scrapes; in between time for the gauges."""
    runs = []
    for number in (1, 2):
        job, _ = await main_job(person, "ko" if number == 1 else "en")
        asked = await person.say("엄마한테 만원 보내줘")
        await person.end_of(asked)
        paid = await person.say("확인", session_id=asked["session_id"])
        await person.end_of(paid)
        failing = await perform(
            person,
            todo("a", "moody", retries=1, on_error="retry"),
            todo("b", "fails", retries=1, on_error="retry"),
            language="ko",
        )
        await person.end_of(failing)
        await person.end_of(await perform(person, todo("a", "fails", on_error="fail"), language="ko"))
        await _junk(world)
        runs += [job, paid, failing]
        if number == 1:
            await asyncio.sleep(SETTLED)
    await asyncio.sleep(20)
    return runs


async def _junk(world: World) -> None:
    client = await nats.connect(world.stack.nats.url)
    try:
        for name, (subject, headers, body, *_) in JUNK.items():
            await client.jetstream().publish(subject, body + name.encode(), headers=headers)
    finally:
        await client.close()


async def _answered(prometheus: Prometheus) -> list[Row]:
    rows = []
    for board, queries in facts().boards.items():
        for query in queries:
            if query.startswith("label_values("):
                query = query.removeprefix("label_values(").partition(",")[0]  # noqa: PLW2901  # what is listed
            rows.append(await _row(prometheus, board, substituted(query)))
    told = read_data(RULES)
    for rule in (rule for group in told["groups"] for rule in group["rules"]):
        name = rule.get("alert") or rule["record"]
        rows.append(await _row(prometheus, name, without_limit(rule["expr"])))
    return rows


async def _row(prometheus: Prometheus, who: str, query: str) -> Row:
    found = len(await prometheus.asked(query))
    return Row(who, query, found, next((why for metric, why in REASONS.items() if metric in query), ""))


async def _labels(prometheus: Prometheus) -> list[str]:
    """Labels are bounded: few series, and no id and no sentence in their values."""
    series = await prometheus.asked('{__name__=~"dream_.*"}')
    wrong = [] if len(series) < SERIES else [f"{len(series)} series"]
    values = {value for one in series for value in series_of(one)}
    print(f"{len(series)} series with {len(values)} values of labels at {datetime.now(UTC):%H:%M:%S} UTC")
    return wrong + [f"a label has the value {value!r}" for value in sorted(values) if len(value) > 64 or _is_odd(value)]


def _is_odd(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return not value.isascii() or " " in value
    return True


async def _traces(prometheus: Prometheus, collector: Collector, runs: list[Json]) -> list[str]:
    """One connected trace per run, and points of histograms that lead to traces that are there."""
    wrong = []
    for run in runs:
        spans = collector.trace(str(run["trace_id"]))
        roots, known = [span for span in spans if not span.parent_id], {span.span_id for span in spans}
        orphans = [span for span in spans if span.parent_id and span.parent_id not in known]
        if len(roots) != 1 or orphans:
            wrong.append(f"the trace of {run['run_id']} has {len(roots)} roots:\n{drawn(spans)}")
    for metric in ("dream_handle_seconds_bucket", "dream_todo_seconds_bucket", "dream_model_seconds_bucket"):
        named = await prometheus.exemplars(metric)
        print(f"{len(named)} traces are named by points of {metric}")
        if not named:
            wrong.append(f"no point of {metric} leads to a trace")
        wrong += [
            f"a point of {metric} leads to {one}, which nobody has sent" for one in named - _sent(collector.spans)
        ]
    return wrong


def _sent(spans: list[Received]) -> set[str]:
    return {span.trace_id for span in spans}


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(observe()) else 0)
