"""The boards are what boards.yaml makes of them, Grafana's schema takes them, and they ask for what exists."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from tests.manifests.boards import Board, boards, rendered
from tests.manifests.facts import BOARDS as FOLDER
from tests.manifests.facts import ROOT
from understanding.kit.data import read_data

BOARDS = boards()
SCHEMA = json.loads((ROOT / "deploy/schemas/grafana-dashboard.json").read_text("utf-8"))
each = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)


def panels(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for one in told["panels"]:
        yield one
        yield from one.get("panels") or ()


def sources(told: Any) -> Iterator[tuple[str, str]]:
    match told:
        case {"datasource": {"type": str(kind), "uid": str(uid)}, **rest}:
            yield kind, uid
            yield from sources(rest)
        case dict():
            for one in told.values():
                yield from sources(one)
        case list():
            for one in told:
                yield from sources(one)


@each
def test_a_board_is_written_and_as_grafana_wants_it(board: Board) -> None:
    text = rendered(board)
    assert (FOLDER / f"{board.uid}.json").read_text("utf-8") == text, "run: make dashboards"
    jsonschema.Draft7Validator(SCHEMA).validate(json.loads(text))


@pytest.mark.parametrize("wrong", [{"panles": []}, {"panels": [{"title": "no type"}]}, {"refresh": 30}])
def test_the_schema_refuses_what_grafana_does_not_know(wrong: dict[str, Any]) -> None:
    told = json.loads(rendered(BOARDS[0])) | wrong
    assert not jsonschema.Draft7Validator(SCHEMA).is_valid(told)


def test_nothing_else_lies_there() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {board.uid for board in BOARDS}


@each
def test_a_board_asks_the_sources_that_are_provisioned(board: Board) -> None:
    path = ROOT / "deploy/grafana/provisioning/datasources/dream.yaml"
    given = {(one["type"], one["uid"]) for one in read_data(path)["datasources"]}
    told = json.loads(rendered(board))
    assert set(sources(told)) and set(sources(told)) <= given
    assert all(panel.get("datasource") for panel in panels(told) if panel["type"] != "row")


@each
def test_a_board_has_the_variables_that_it_uses(board: Board) -> None:
    text = rendered(board)
    has = {one["name"] for one in json.loads(text)["templating"].get("list", ())}
    used = set(re.findall(r"\$\{?([a-z]\w*)", text)) - {"__rate_interval", "__value", "__all"}
    assert used == has


def test_every_run_leads_to_its_trace() -> None:
    told = json.loads(rendered(next(board for board in BOARDS if board.uid == "dream-run")))
    assert [panel["targets"][0]["query"] for panel in panels(told) if panel["type"] == "traces"] == ["${trace_id}"]
    links = [link["url"] for panel in panels(told) for link in panel.get("links") or ()]
    text = (FOLDER / "dream-run.json").read_text("utf-8")
    assert "${gateway}/runs?trace_id=${trace_id}" in text
    assert links == [] or all(url.startswith("/d/dream-run") for url in links)
    assert text.count("/d/dream-run?var-trace_id=${__value.raw}") == 2
