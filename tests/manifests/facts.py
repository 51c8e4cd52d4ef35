"""What the code says: its settings, routes, consumers, metrics and paths. Rules compare manifests with it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from prometheus_client import REGISTRY

from backbone import packs
from backbone.runner.handlers import WorkHandler
from backbone.settings import Settings
from backbone.telemetry import metrics
from contracts import subjects
from tests.support.composed import composed
from understanding.kit.data import read_data

ROOT = Path(__file__).parents[2]
DISPATCHER = "dispatcher"
UNSHOWN: Mapping[str, str] = {}
"""Metrics that no board and no rule shows, each with its reason."""
BOARDS = ROOT / "deploy/grafana/dashboards"


@dataclass(frozen=True, slots=True)
class Route:
    """An executor route: its longest tool, seconds, and the most memory of a tool in a process, MiB (0 = none)."""

    longest: float
    memory_mb: int


@dataclass(frozen=True, slots=True)
class Facts:
    """See the module."""

    settings: frozenset[str]
    """Variables of the environment, DREAM_…; those of packs begin with DREAM_PACK_."""
    routes: Mapping[str, Route]
    consumers: Mapping[str, Mapping[str, int]]
    """By component: durable -> messages in hand at once, 0 for decisions, which take all there are."""
    stream: str
    metrics: frozenset[str]
    """Every name under which the code has series."""
    families: frozenset[str]
    """The metrics of ours, each once."""
    boards: Mapping[str, tuple[str, ...]]
    """What they ask Prometheus, by board."""
    paths: frozenset[str]
    """Of the gateway."""
    alerts: Mapping[str, Any]
    """deploy/prometheus/alerts.yaml"""


@cache
def facts() -> Facts:
    catalogue = packs.load(())
    routes = {}
    for route in catalogue.executors:
        tools = [tool for tool in catalogue.tools.values() if tool.executor == route]
        isolated = [tool.memory_mb for tool in tools if tool.isolated]
        routes[route] = Route(max(tool.timeout_seconds for tool in tools), max(isolated, default=0))
    return Facts(
        frozenset(_settings()),
        routes,
        _consumers(),
        subjects.STREAM,
        frozenset(_metrics()),
        frozenset(one.name for one in REGISTRY.collect() if one.name.startswith("dream_")),
        {path.stem: tuple(_queries(json.loads(path.read_text("utf-8")))) for path in sorted(BOARDS.glob("*.json"))},
        frozenset(json.loads((ROOT / "docs/openapi.json").read_text("utf-8"))["paths"]),
        read_data(ROOT / "deploy/prometheus/alerts.yaml"),
    )


def _settings() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        variable = f"DREAM_{name.upper()}"
        yield variable
        if field.repr is False or "SecretStr" in str(field.annotation):
            yield f"{variable}_FILE"


def _metrics() -> Iterator[str]:
    assert metrics.RUNS_OPEN is not None  # importing them has registered them
    for one in REGISTRY.collect():
        yield from (one.name, *(f"{one.name}_{end}" for end in ("total", "bucket", "count", "sum")))


def _queries(told: Any) -> Iterator[str]:
    """Of panels and of variables."""
    match told:
        case {"expr": str(expression)} | {"type": "query", "query": str(expression)}:
            yield expression
        case dict():
            for one in told.values():
                yield from _queries(one)
        case list():
            for one in told:
                yield from _queries(one)


def _consumers() -> dict[str, dict[str, int]]:
    """As the services compose themselves, connected to nothing."""
    found: dict[str, dict[str, int]] = {}
    for layer, service in composed(Settings()).items():
        for handler in service.handlers:
            hand = handler.concurrency if isinstance(handler, WorkHandler) else 0
            routed = [take.route for take in handler.takes if take.route]
            component = f"execution-{routed[0] if routed else DISPATCHER}" if layer == "execution" else layer
            found.setdefault(component, {})[handler.name] = hand
    return found


def names_in(expression: str) -> set[str]:
    """The metrics of ours that a query names, recorded ones too (dream:…)."""
    return set(re.findall(r"\bdream[_:][a-z0-9_:]+", expression))


def family_of(name: str, families: frozenset[str]) -> str:
    """The metric to which a series belongs."""
    cut = [name.removesuffix(end) for end in ("_total", "_bucket", "_count", "_sum")]
    return next((one for one in (name, *cut) if one in families), name)
