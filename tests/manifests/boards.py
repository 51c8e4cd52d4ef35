"""Panels and boards as deploy/grafana/boards.yaml tells them, and what grafana-foundation-sdk makes of them.

`python -m tests.manifests.boards` (make dashboards) writes that to deploy/grafana/dashboards."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

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
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from understanding.kit.data import read_data

GRAFANA = Path(__file__).parents[2] / "deploy/grafana"
METRICS = DataSourceRef(type_val="prometheus", uid="prometheus")
TRACES = DataSourceRef(type_val="tempo", uid="tempo")
"""Data sources have these uids wherever the boards are used: provisioning/datasources."""
RUN = "dream-run"
"""The board of a run and its trace; whoever has a trace's id gets there."""
WHOLE = 24
_ALL = VariableOption(selected=True, text="All", value="$__all")


class _Told(BaseModel):
    """A part of boards.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Query(_Told):
    """What is asked of Prometheus, and the legend of its answer; with `exemplars`, points that lead to traces."""

    expression: str
    legend: str = ""
    exemplars: bool = False


class Graph(_Told):
    """Lines over time."""

    kind: Literal["graph"]
    title: str
    unit: str
    queries: tuple[Query, ...]
    description: str = ""
    width: int = 8


class Figure(_Told):
    """One number, as it is now; orange and red from these values on."""

    kind: Literal["figure"]
    title: str
    unit: str
    query: Query
    description: str = ""
    limits: tuple[int | float, int | float] | None = None
    width: int = 4


class Trace(_Told):
    """The spans of the trace that the variable trace_id names."""

    kind: Literal["trace"]
    title: str


class Runs(_Told):
    """The newest traces of a search in TraceQL; each leads to its board."""

    kind: Literal["runs"]
    title: str
    search: str


class Services(_Told):
    """Who sends to whom, as Tempo's generator has seen it."""

    kind: Literal["services"]
    title: str


Panel = Annotated[Graph | Figure | Trace | Runs | Services, Field(discriminator="kind")]


class Row(_Told):
    """Panels below a heading."""

    title: str
    panels: tuple[Panel, ...]


class Board(_Told):
    """A page: rows of panels, and the variables that its queries name."""

    uid: str
    title: str
    description: str
    rows: tuple[Row, ...]
    choices: tuple[tuple[str, str], ...] = ()
    """Variables, each with the query of its values."""
    fields: tuple[tuple[str, str, str], ...] = ()
    """Variables to type into: name, label, what stands there first."""
    links: tuple[tuple[str, str], ...] = ()


def boards() -> tuple[Board, ...]:
    """All of boards.yaml."""
    return TypeAdapter(tuple[Board, ...]).validate_python(read_data(GRAFANA / "boards.yaml"))


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
    for row in board.rows:
        page = page.with_row(dashboard.Row(row.title))
        for panel in row.panels:
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


if __name__ == "__main__":
    for one in boards():
        (GRAFANA / "dashboards" / f"{one.uid}.json").write_text(rendered(one), "utf-8")
