"""Problem documents, and that what is served is what is described."""

from pathlib import Path
from unittest.mock import sentinel

import orjson
import pytest
from pydantic import ValidationError

from backbone.artifacts.local import LocalArtifacts
from backbone.service import Backbone
from backbone.settings import Settings
from contracts.errors import Code
from services.gateway.app import GatewayService
from services.gateway.commands.sessions import RunRequest
from services.gateway.domain.refusal import Refused
from services.gateway.http.openapi import openapi
from services.gateway.http.problems import MEDIA_TYPE, STATUS, problem, refusal


def test_a_problem_is_that_of_rfc_9457_with_a_code() -> None:
    refused = Refused(Code.DECISION_ANSWER_INVALID, "it does not fit", errors=[{"path": "/a", "message": "no"}])
    answer = problem(refused)
    assert (answer.status_code, answer.media_type) == (422, MEDIA_TYPE)
    assert orjson.loads(bytes(answer.body)) == {
        "type": "urn:dream-agent:error:5002",
        "title": "Decision answer invalid",
        "status": 422,
        "detail": "it does not fit",
        "code": 5002,
        "errors": [{"path": "/a", "message": "no"}],
    }


def test_what_may_pass_by_itself_says_when_to_come_back() -> None:
    assert problem(Refused(Code.LEDGER_UNAVAILABLE, "away")).headers["retry-after"] == "1"


@pytest.mark.parametrize("code", STATUS)
def test_a_code_keeps_to_the_statuses_of_its_category(code: Code) -> None:
    asked_wrongly = code in (Code.DEAD_LETTER_UNKNOWN, Code.DEAD_LETTER_CLOSED)
    internal = (code.category == 9 and not asked_wrongly) or code is Code.RUN_TIMEOUT
    assert (STATUS[code] >= 500) == internal


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ('{"text": "' + "x" * 20_000 + '"}', Code.TEXT_TOO_LONG, "20,000"),
        ('{"text": "a", "language": "' + "x" * 500 + '"}', Code.LANGUAGE_UNSUPPORTED, "(502 characters)"),
        ('{"text": 7}', Code.INVALID_REQUEST, "it is 7"),
        ('{"text": "a", "colour": "red"}', Code.INVALID_REQUEST, "colour"),
        ('{"text": "a", "auto_approve": "perhaps"}', Code.INVALID_REQUEST, "auto_approve"),
        ('{"text": "a", "auto_approve": "yes"}', Code.INVALID_REQUEST, "auto_approve"),
        ('{"text": "a", "auto_approve": 1}', Code.INVALID_REQUEST, "auto_approve"),
        ('{"text": "a", "session_id": 5}', Code.IDENTIFIER_MALFORMED, "5"),
        ("", Code.INVALID_REQUEST, "not JSON"),
    ],
)
def test_a_refusal_names_the_value_and_stays_short(body: str, code: Code, says: str) -> None:
    with pytest.raises(ValidationError) as error:
        RunRequest.model_validate_json(body)
    refused = refusal(error.value, Code.INVALID_REQUEST)
    assert refused.code is code
    assert says in refused.message
    assert len(refused.message) < 300


def test_the_document_describes_exactly_the_addresses_that_are_served(tmp_path: Path) -> None:
    stores = (sentinel.ledger, LocalArtifacts(tmp_path), sentinel.toolbox, sentinel.pool, sentinel.tables)
    backbone = Backbone(Settings(port=0), *stores)
    app = GatewayService(backbone).app
    served = {
        (method, route.path)  # type: ignore[attr-defined]  # all of ours have one
        for route in app.routes
        for method in getattr(route, "methods", None) or ()
        if method != "HEAD"
    }
    described = {(method.upper(), path) for path, methods in openapi()["paths"].items() for method in methods}
    assert served == described


def test_every_reference_in_the_document_leads_somewhere() -> None:
    text = orjson.dumps(openapi()).decode()
    schemas = openapi()["components"]["schemas"]
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= set(schemas)
    assert {"RunRequest", "RunResult", "EventPage", "Problem", "Attachment"} <= named
