"""The rules can be read; they speak of metrics, labels and runbook sections that exist; each has tests for promtool."""

import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from backbone.liveness.view import State
from backbone.telemetry import metrics
from tests.manifests.facts import names_in
from understanding.kit.data import read_data

ROOT = Path(__file__).parents[3]
RULES: list[dict[str, Any]] = [
    rule for group in read_data(ROOT / "deploy/prometheus/alerts.yaml")["groups"] for rule in group["rules"]
]
ALERTS = [rule for rule in RULES if "alert" in rule]
RECORDS = {rule["record"]: rule["expr"] for rule in RULES if "record" in rule}
CASES: list[dict[str, Any]] = read_data(ROOT / "deploy/prometheus/alerts.test.yaml")["tests"]
HEADINGS = {
    re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-")
    for line in (ROOT / "docs/runbook.md").read_text("utf-8").splitlines()
    if line.startswith("#")
}
LABELS = {
    "code": "numbers of contracts.errors", "direction": "input and output", "handler": "names in the services' code",
    "kind": "of a refusal", "outcome": "of handling, todos, runs, and names of error codes", "peer": "nats and postgres",
    "pool": "of backbone.ledger", "producer": "of contracts.subjects", "provider": "settings of whoever operates it",
    "reason": "of a lost span", "role": "contracts.model.ModelRole", "service": "the five",
    "state": "of runs, decisions, leases, connections", "table": "of the schema ledger",
    "tool": "catalogues of packs and of configured MCP servers", "type": "events of contracts.timers",
}  # fmt: skip
"""Where the values of each label come from: from nothing that a person says or sends."""
each = pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])


def families() -> list[Any]:
    assert metrics.RUNS_OPEN is not None
    return [one for one in REGISTRY.collect() if one.name.startswith("dream_")]


def names() -> set[str]:
    """Everything that our metrics module exports."""
    ends = ("", "_total", "_bucket", "_count", "_sum")
    return {f"{one.name}{end}" for one in families() for end in ends} | RECORDS.keys()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.get("alert") or rule["record"])
def test_a_rule_is_about_metrics_that_exist(rule: dict[str, Any]) -> None:
    used = names_in(rule["expr"])
    assert used
    assert used <= names()
    if "dream_runs_open" in used:
        assert set(re.findall(r'state="(\w+)"', rule["expr"])) <= {*State}


@each
def test_an_alert_says_how_long_what_and_where_to_read_on(rule: dict[str, Any]) -> None:
    assert re.fullmatch(r"\d+[smh]", rule["for"])
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert rule["annotations"]["summary"] and rule["annotations"]["description"]
    page, _, section = rule["annotations"]["runbook"].partition("#")
    assert page == "docs/runbook.md"
    assert section in HEADINGS
    assert f"`{rule['alert']}`" in (ROOT / page).read_text("utf-8"), "the runbook's table names it"


@each
def test_what_an_alert_says_has_the_labels_that_its_expression_leaves(rule: dict[str, Any]) -> None:
    told = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    whole = " ".join([rule["expr"], *(RECORDS[name] for name in names_in(rule["expr"]) & RECORDS.keys())])
    left = {name.strip() for group in re.findall(r"by \(([^)]*)\)", whole) for name in group.split(",")}
    assert told <= left


@each
def test_promtool_lets_an_alert_fire_and_keep_silent(rule: dict[str, Any]) -> None:
    mine = {case["name"]: case["promql_expr_test"] for case in CASES if case["name"].split(" ")[0] == rule["alert"]}
    assert sorted(mine) == [f"{rule['alert']} fires", f"{rule['alert']} is silent"]
    for name, tests in mine.items():
        assert [f'alertname="{rule["alert"]}"' in one["expr"] for one in tests] == [True]
        assert bool(tests[0]["exp_samples"]) == name.endswith("fires")


def test_nobody_chooses_the_values_of_labels() -> None:
    ours = [one for one in REGISTRY._collector_to_names if getattr(one, "_name", "").startswith("dream_")]
    known = {label for one in ours for label in getattr(one, "_labelnames", ())}
    assert known
    assert known <= LABELS.keys()
    assert not known & {"session", "session_id", "run", "run_id", "user", "trace_id", "name", "path", "text"}
