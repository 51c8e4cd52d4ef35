"""What `make k8s-check` shows of the overlays without its tools: our rules over the objects as they were last built."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from backbone.ledger.logins import login_of, role_of_service
from backbone.ledger.rights import LOGINS
from deploy import credentials
from deploy.manifests import OVERLAYS
from tests.manifests import RULES, findings, planted
from tests.manifests.__main__ import check, read
from tests.manifests.facts import ROOT, Facts, Route, facts
from tests.manifests.objects import Manifests, quantity, selects
from understanding.kit.data import read_data


@pytest.fixture(scope="module")
def built() -> dict[str, Manifests]:
    return {one.name: one for one in read()}


def found(manifests: Manifests, told: Facts) -> list[str]:
    return [str(finding) for finding in findings(manifests, told)]


def test_no_rule_finds_anything(built) -> None:
    assert check(list(built.values())) == []
    assert set(built) == set(OVERLAYS)


def test_each_planted_mistake_is_found_by_the_rule_that_has_to(built) -> None:
    assert planted.missed(built) == []


def test_every_rule_has_a_mistake_that_it_finds() -> None:
    assert set(RULES) == {mistake.rule for mistake in planted.MISTAKES} - {planted.SCHEMAS}
    assert len(planted.MISTAKES) > 25


def test_a_mistake_that_cannot_be_planted_is_an_error_of_the_table(built) -> None:
    with pytest.raises(LookupError, match="dream-nobody"):
        planted.plant(built["prod"], planted.Mistake("image", "Deployment/dream-nobody", "spec", 1))


# Functions of what the code says now, which takes seconds to work out: not while tests are collected.
CHANGES: dict[str, Callable[[Facts], dict[str, Any]]] = {
    "nobody serves the route stage": lambda now: {"routes": {**now.routes, "stage": Route(30, 0)}},
    "below 4000, the longest tool of ops": lambda now: {"routes": {**now.routes, "ops": Route(4000, 2048)}},
    "2 tools of insight may take 18110 MiB": lambda now: {"routes": {**now.routes, "insight": Route(600, 9000)}},
    "its consumer planning-clerk": lambda now: {"consumers": {**now.consumers, "planning": {"planning-clerk": 8}}},
    "DREAM_EXECUTORS is no setting": lambda now: {"settings": now.settings - {"DREAM_EXECUTORS"}},
    "/films cannot be reached": lambda now: {"paths": now.paths | {"/films"}},
    "the gateway has nothing at /openapi.json": lambda now: {"paths": now.paths - {"/openapi.json"}},
    "dream_runs_open, which nobody exports": lambda now: {"metrics": now.metrics - {"dream_runs_open"}},
    "the board dream-gateway asks for dream_sockets, which": lambda now: {"metrics": now.metrics - {"dream_sockets"}},
    "dream_films is in no board and no rule": lambda now: {"families": now.families | {"dream_films"}},
    "the stream is FACTS, not 'EVT'": lambda _: {"stream": "FACTS"},
}


@pytest.mark.parametrize("told", CHANGES)
def test_what_the_code_changes_the_manifests_have_to_follow(built, told) -> None:
    now = facts()
    assert any(told in finding for finding in found(built["prod"], replace(now, **CHANGES[told](now))))


def test_the_secrets_that_are_printed_are_those_that_pods_want(built) -> None:
    logins = credentials.databases("dream-postgres", "owner", "", "dream")
    made = {one["metadata"]["name"]: set(one["stringData"]) for one in logins}
    made |= {f"dream-nats-{user}": {"seed"} for user in credentials.users()}
    made |= {"dream-nats-users": {"users.conf"}, "dream-postgres": {"password"}}
    wanted: dict[str, set[str]] = {}
    for pods in built["dev"].pods:
        for volume in pods.spec["volumes"]:
            for source in volume.get("projected", {}).get("sources", ()):
                keys = {item["key"] for item in source["secret"]["items"]}
                wanted.setdefault(source["secret"]["name"], set()).update(keys)
            if "secret" in volume:
                wanted.setdefault(volume["secret"]["secretName"], set())
    assert wanted.keys() == made.keys()
    assert [(name, keys - made[name]) for name, keys in wanted.items() if keys - made[name]] == []


def test_every_login_that_is_printed_is_a_role_of_its_own() -> None:
    made = credentials.databases("host", "owner", "", "dream")
    urls = {one["metadata"]["name"]: one["stringData"]["url"] for one in made if "url" in one["stringData"]}
    assert {name: login_of(url)[0] for name, url in urls.items()} == {
        f"dream-database-{service}": role_of_service(service) for service in LOGINS
    }
    assert len({login_of(url)[1] for url in urls.values()}) == len(LOGINS)


def test_a_password_of_any_signs_fits_into_the_owners_url() -> None:
    admin = credentials.databases("host", "a/b@c:d?e#f%", "?sslmode=require", "dream")[-1]
    assert (
        admin["stringData"]["owner_url"]
        == "postgresql://dream:a%2Fb%40c%3Ad%3Fe%23f%25@host:5432/dream?sslmode=require"
    )


def test_the_dev_overlay_needs_no_operator(built) -> None:
    groups = {one["apiVersion"].partition("/")[0] for one in built["dev"].objects}
    assert groups == {"v1", "apps", "batch", "networking.k8s.io"}


def test_every_reason_for_what_checkov_may_say_is_a_sentence() -> None:
    accepted = read_data(ROOT / "tests/manifests/checkov.yaml")
    assert all(set(one) <= {"why", "only"} and len(one["why"]) > 40 for one in accepted.values())


@pytest.mark.parametrize(
    ("text", "value"), [("64Mi", 64 * 1024**2), ("250m", 0.25), ("1", 1), ("1GB", None), ("", None)]
)
def test_a_quantity_is_read_as_kubernetes_does(text, value) -> None:
    assert quantity(text) == value


def test_a_selector_takes_what_all_of_it_takes() -> None:
    labels = {"name": "nats", "tier": "bus"}
    among = {"matchExpressions": [{"key": "name", "operator": "In", "values": ["nats", "postgres"]}]}
    assert selects(None, labels)
    assert selects(among, labels)
    assert not selects({**among, "matchLabels": {"tier": "ledger"}}, labels)
    assert not selects({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, labels)
