"""What one has to be to use an address. What is new and in no list is for nobody without a key."""

import pytest
from starlette.routing import Route

from backbone.access.keys import ApiKey, digest_of, new_key
from contracts.access import Principal, Role
from contracts.errors import Code
from services.gateway.domain.access import EVERYBODY, Asked, Need, asked, require_operator, user_of
from services.gateway.domain.refusal import Refused
from services.gateway.http.openapi import ROUTES

KIM = Principal(user="kim", role=Role.PERSON, key_id="a" * 12)
ONCALL = Principal(user="oncall", role=Role.OPERATOR, key_id="b" * 12)

WITHOUT_KEY = {
    "/", "/console", "/console/", "/console/icon.svg", "/console/assets/{name}", "/login", "/logout", "/me",
    "/health", "/health/live", "/health/ready", "/openapi.json", "/asyncapi.json", "/docs",
}  # fmt: skip
WITH_KEY = {"/agent/run", "/agent/run-async", "/agui", "/artifacts", "/artifacts/{artifact_id}",
            "/artifacts/{artifact_id}/profile", "/sessions"}  # fmt: skip
OPERATORS = {"/runs", "/runs/{run_id}", "/dead-letters", "/dead-letters/{letter_id}",
             "/dead-letters/{letter_id}/retry", "/dead-letters/{letter_id}/discard", "/metrics"}  # fmt: skip


def test_every_address_is_in_the_list_that_it_belongs_to() -> None:
    paths = {route.path for route in ROUTES if isinstance(route, Route)}
    of_sessions = {path for path in paths if path.startswith("/sessions/{session_id}")}
    assert paths == WITHOUT_KEY | WITH_KEY | OPERATORS | of_sessions
    for path in paths:
        needs = (
            Need.NOTHING if path in WITHOUT_KEY
            else Need.OPERATOR if path in OPERATORS
            else Need.READER if path in of_sessions
            else Need.KEY
        )  # fmt: skip
        assert asked(path).need is needs, path
        if path in of_sessions:
            assert asked(path, "POST").need is (Need.READER if path.endswith("/control") else Need.OWNER)
        else:
            assert asked(path, "POST").need is needs


@pytest.mark.parametrize(
    ("path", "needs"),
    [
        ("/sessions/abc", Asked(Need.READER, "abc")),
        ("/sessions/abc/runs/1/plan", Asked(Need.READER, "abc")),
        ("/ws/abc", Asked(Need.READER, "abc")),
        ("/sessions/", Asked(Need.READER, "")),
        ("/runs/", Asked(Need.OPERATOR)),
        ("/runsheet", Asked(Need.KEY)),
        ("/console/../runs", Asked(Need.KEY)),
        ("/console/assets", Asked(Need.KEY)),
        ("//health", Asked(Need.KEY)),
        ("/health/", Asked(Need.KEY)),
        ("/new/address", Asked(Need.KEY)),
    ],
)
def test_what_is_not_known_is_not_open(path: str, needs: Asked) -> None:
    assert asked(path) == needs


def test_a_session_is_of_whom_the_key_says() -> None:
    assert user_of(KIM, None) == "kim"
    assert user_of(KIM, "kim") == "kim"
    with pytest.raises(Refused, match="'lee'") as refused:
        user_of(KIM, "lee")
    assert refused.value.code is Code.FORBIDDEN
    assert user_of(EVERYBODY, "lee") == "lee"
    assert user_of(EVERYBODY, None) is None


def test_the_installation_is_looked_at_by_operators() -> None:
    require_operator(ONCALL)
    require_operator(EVERYBODY)
    with pytest.raises(Refused) as refused:
        require_operator(KIM)
    assert refused.value.code is Code.FORBIDDEN


def test_a_key_is_known_by_its_checksum_and_stored_as_a_hash() -> None:
    text = new_key()
    key = ApiKey.read(text)
    assert key is not None
    assert key.digest == digest_of(text)
    assert text not in repr(key)
    assert text.split("_")[2][:40] not in repr(key)
    assert new_key() != text
    for broken in (text[:-1], text + "0", text.replace("dream_", "dream-"), text.upper(), "", "dream__", f" {text}"):
        assert ApiKey.read(broken) is None
    swapped = text[:-9] + ("0" if text[-9] != "0" else "1") + text[-8:]
    assert ApiKey.read(swapped) is None
