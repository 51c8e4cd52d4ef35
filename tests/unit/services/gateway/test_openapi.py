"""The OpenAPI document says what any route may answer before it is reached, once."""

import json
from typing import Any

import pytest

from services.gateway.http import openapi as documents
from services.gateway.http import system
from services.gateway.http.openapi import openapi, page
from services.gateway.http.shared_responses import EVERYTHING

OPERATIONS = [
    pytest.param(operation, id=f"{method} {path}")
    for path, operations in openapi()["paths"].items()
    for method, operation in operations.items()
]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_says_what_the_front_door_may_answer(operation: dict[str, Any]) -> None:
    answers = operation["responses"]
    assert {"400", "403", "408", "421", "431", "500", "503"} <= set(answers)
    assert "requestBody" not in operation or {"413", "415"} <= set(answers)
    responses = openapi()["components"]["responses"]
    for answer in answers.values():
        if "$ref" in answer:
            assert answer["$ref"].removeprefix("#/components/responses/") in responses


def test_each_is_described_once() -> None:
    text = json.dumps(openapi())
    for anywhere in EVERYTHING.values():
        assert text.count(anywhere.why) == 1
        assert text.count(f"#/components/responses/{anywhere.name}") > 1


def test_each_is_a_problem_document() -> None:
    responses = openapi()["components"]["responses"]
    assert len(responses) == len(EVERYTHING)
    for response in responses.values():
        assert response["content"] == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    assert "Retry-After" in responses["NotNow"]["headers"]


def test_the_page_names_every_address_and_shape_and_brings_no_script() -> None:
    html = page(openapi())
    for path, operations in openapi()["paths"].items():
        assert all(f"<code>{method.upper()} {path}</code>" in html for method in operations)
    assert all(f'<details id="{name}">' in html for name in openapi()["components"]["schemas"])
    assert "<script" not in html
    assert "http-equiv" not in html
    assert page({**openapi(), "info": {"title": "<b>", "description": "&"}}).count("&lt;b&gt;") == 2


async def test_what_anybody_may_ask_for_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asking = (documents.docs, documents.document, system.asyncapi)
    first = [bytes((await ask()).body) for ask in asking]
    assert all(first)

    def again(*_: object) -> None:
        raise AssertionError("made anew")

    monkeypatch.setattr(documents, "page", again)
    monkeypatch.setattr(documents, "openapi", again)
    monkeypatch.setattr(system, "ASYNCAPI", None)
    assert [bytes((await ask()).body) for ask in asking] == first
