"""The alerting rules can be read, and speak of metrics and of runbook sections that exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from backbone.liveness.view import State
from backbone.telemetry import metrics

ROOT = Path(__file__).parents[3]
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((ROOT / "deploy/prometheus/alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
]
HEADINGS = {
    re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-")
    for line in (ROOT / "docs/runbook.md").read_text().splitlines()
    if line.startswith("#")
}
each = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])


def names() -> set[str]:
    """Everything that our metrics module exports."""
    assert metrics.RUNS_OPEN is not None
    return {sample for one in REGISTRY.collect() for sample in (one.name, f"{one.name}_total", f"{one.name}_bucket")}


@each
def test_an_alert_is_about_metrics_that_exist(rule: dict[str, Any]) -> None:
    used = set(re.findall(r"dream_[a-z_]+", rule["expr"]))
    assert used
    assert used <= names()
    assert set(re.findall(r'state="(\w+)"', rule["expr"])) <= {*State}


@each
def test_an_alert_says_how_long_what_and_where_to_read_on(rule: dict[str, Any]) -> None:
    assert re.fullmatch(r"\d+[smh]", rule["for"])
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert rule["annotations"]["summary"]
    page, _, section = rule["annotations"]["runbook"].partition("#")
    assert page == "docs/runbook.md"
    assert section in HEADINGS
