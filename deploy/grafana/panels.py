"""Panels and boards as they are told, and what grafana-foundation-sdk makes of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grafana_foundation_sdk.builders import dashboard, nodegraph, prometheus, stat, table, tempo, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DashboardLinkType,
    DataSourceRef,
    Threshold,
    ThresholdsMode,
    VariableOption,
)

METRICS = DataSourceRef(type_val="prometheus", uid="prometheus")
TRACES = DataSourceRef(type_val="tempo", uid="tempo")
"""Data sources have these uids wherever the boards are used: provisioning/datasources."""
RUN = "dream-run"
"""The board of a run and its trace; whoever has a trace's id gets there."""
WHOLE = 24
_ALL = VariableOption(selected=True, text="All", value="$__all")


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of Prometheus, and the legend of its answer; with `exemplars`, points that lead to traces."""

    expression: str
    legend: str = ""
    exemplars: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """Lines over time."""

    title: str
    unit: str
    queries: Sequence[Query]
    description: str = ""
    width: int = 8


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, as it is now; orange and red from these values on."""

    title: str
    unit: str
    query: Query
    description: str = ""
    limits: tuple[float, float] | None = None
    width: int = 4


@dataclass(frozen=True, slots=True)
class Trace:
    """The spans of the trace that the variable trace_id names."""

    title: str


@dataclass(frozen=True, slots=True)
class Runs:
    """The newest traces of a search in TraceQL; each leads to its board."""

    title: str
    search: str


@dataclass(frozen=True, slots=True)
class Services:
    """Who sends to whom, as Tempo's generator has seen it."""

    title: str


Panel = Graph | Figure | Trace | Runs | Services


@dataclass(frozen=True, slots=True)
class Board:
    """A page: rows of panels, and the variables that its queries name."""

    uid: str
    title: str
    description: str
    rows: Sequence[tuple[str, Sequence[Panel]]]
    choices: Sequence[tuple[str, str]] = ()
    """Variables, each with the query of its values."""
    fields: Sequence[tuple[str, str, str]] = ()
    """Variables to type into: name, label, what stands there first."""
    links: Sequence[tuple[str, str]] = field(default=())


def rendered(board: Board) -> str:
    """The board as Grafana reads it."""
    page = (
        dashboard.Dashboard(board.title)
        .uid(board.uid)
        .description(board.description)
        .tags(["dream-agent"])
        .refresh("30s")
        .time("now-3h", "now")
        .timezone("browser")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .link(_others())
    )
    for title, url in board.links:
        page = page.link(dashboard.DashboardLink(title).type(DashboardLinkType.LINK).url(url).target_blank(True))
    for name, label, first in board.fields:
        page = page.with_variable(dashboard.TextBoxVariable(name).label(label).default_value(first))
    for name, query in board.choices:
        choice = dashboard.QueryVariable(name).query(query).datasource(METRICS)
        page = page.with_variable(choice.multi(True).include_all(True).all_value(".*").current(_ALL))
    for title, panels in board.rows:
        page = page.with_row(dashboard.Row(title))
        for panel in panels:
            page = page.with_panel(_built(panel))
    told: dict[str, Any] = json.loads(JSONEncoder().encode(page.build()))
    return json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _others() -> dashboard.DashboardLink:
    others = dashboard.DashboardLink("Dream Agent").type(DashboardLinkType.DASHBOARDS).tags(["dream-agent"])
    return others.as_dropdown(True).keep_time(True)


def _target(query: Query, *, now: bool = False) -> prometheus.Dataquery:
    target = prometheus.Dataquery().expr(query.expression).legend_format(query.legend or "__auto").datasource(METRICS)
    target = target.exemplar(query.exemplars)
    return target.instant() if now else target.range()


def _built(panel: Panel) -> Any:
    match panel:
        case Graph():
            made = timeseries.Panel().title(panel.title).description(panel.description).unit(panel.unit).min(0)
            for query in panel.queries:
                made = made.with_target(_target(query))
            return made.datasource(METRICS).span(panel.width).height(8)
        case Figure():
            shown = stat.Panel().title(panel.title).description(panel.description).unit(panel.unit)
            if panel.limits:
                shown = shown.thresholds(_steps(*panel.limits))
            return shown.datasource(METRICS).with_target(_target(panel.query, now=True)).span(panel.width).height(4)
        case Trace():
            spans = tempo.TempoQuery().query("${trace_id}").query_type("traceql").datasource(TRACES)
            traced = dashboard.Panel().type("traces").title(panel.title)  # which has no builder of its own
            return traced.datasource(TRACES).with_target(spans).span(WHOLE).height(24)
        case Runs():
            found = tempo.TempoQuery().query(panel.search).query_type("traceql").limit(50).datasource(TRACES)
            listed = table.Panel().title(panel.title).datasource(TRACES).with_target(found)
            leads = dashboard.DashboardLink("the run").url(f"/d/{RUN}?var-trace_id=${{__value.raw}}")
            return listed.data_links([leads]).span(WHOLE).height(10)
        case Services():
            drawn = tempo.TempoQuery().query_type("serviceMap").datasource(TRACES)
            return nodegraph.Panel().title(panel.title).datasource(TRACES).with_target(drawn).span(WHOLE).height(14)


def _steps(orange: float, red: float) -> dashboard.ThresholdsConfig:
    steps = [Threshold(0, "green"), Threshold(orange, "orange"), Threshold(red, "red")]
    return dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps)
