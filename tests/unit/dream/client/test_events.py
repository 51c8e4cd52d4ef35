"""`dream events` as people and scripts read it."""

import json

import pytest

from dream.client.events import events, gist, line
from dream.client.gateway_client import Refused
from dream.texts import Texts
from tests.unit.dream.fake_gateway import FakeGateway
from tests.unit.dream.scripts import approved_run


def played() -> FakeGateway:
    gateway = FakeGateway(approved_run())
    gateway._play()
    return gateway


async def test_json_lines_hold_every_event_over_all_pages(capsys: pytest.CaptureFixture[str]) -> None:
    with played() as gateway:
        await events(gateway.url, str(gateway.session), 2, follow=False, as_json=True, texts=Texts("en"))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["version"] for one in lines] == [3, 4, 5, 6, 7, 8]


async def test_the_table_names_the_events(capsys: pytest.CaptureFixture[str]) -> None:
    with played() as gateway:
        await events(gateway.url, str(gateway.session), 0, follow=False, as_json=False, texts=Texts("ko"))
    shown = capsys.readouterr().out
    assert "PlanningOutput" in shown
    assert "주체" in shown


async def test_an_unknown_session_is_refused() -> None:
    with played() as gateway:
        for follow in (False, True):
            with pytest.raises(Refused, match="no session"):
                await events(gateway.url, str(gateway.run), 0, follow=follow, as_json=True, texts=Texts("en"))


def test_a_line_is_short_however_much_there_is_to_tell() -> None:
    frame = {
        "version": 7,
        "recorded_at": "2026-01-01T10:20:30.123Z",
        "producer": "x",
        "event": "Y",
        "data": {"a": "b" * 999},
    }
    assert line(frame).startswith("    7  10:20:30.123  x          Y")
    assert len(gist(frame["data"])) == 100
