"""Who may say and hear what on NATS: the rights of each service's user, worked out from what the service is made of.

docs/adr/0030-rights-on-the-bus.md. nats-server enforces them, embedded or not; backbone.bus.access looks whether they
are there."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contracts import subjects

ADMIN = "admin"
"""The user who declares stream and consumers and makes room in the stream; nobody else may."""
STATIONS = Path(__file__).parent / "stations.json"
"""The services as their code composes them; written by `make schemas`."""
EXECUTION, DISPATCHER = "execution", "dispatcher"
ROUTE = "{route}"
"""In names and filters of durables that each executor route has for itself."""
ANSWERS_MAX, ANSWERS_SECONDS = 1, 5


@dataclass(frozen=True, slots=True)
class Station:
    """What a service is on the bus. `durables` are consumers with their filters; `producers` those whose events it
    relays; `says`, `hears` and `answers` are subjects of core NATS."""

    service: str
    durables: Mapping[str, tuple[str, ...]]
    producers: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    user: str = ""
    """Of NATS, where it is not named as the service: a Deployment of some executor routes."""

    @property
    def name(self) -> str:
        return self.user or self.service


@dataclass(frozen=True, slots=True)
class Rights:
    """Subjects, with wildcards, that a user may publish and subscribe to; everything else is refused. Whoever
    `may_answer` may also publish one answer to each question that reached it."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    may_answer: bool = True


def rights_of(station: Station) -> Rights:
    """The rights of a service's user, and none beyond them."""
    stream = subjects.STREAM
    publish = [f"$JS.API.STREAM.INFO.{stream}"]
    for producer in station.producers:
        publish += [subjects.by_producer(producer), subjects.wake(producer)]
    for durable in sorted(station.durables):
        publish += [
            f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
            f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
            # nats-server's second form of acks has domain and account before the stream
            f"$JS.ACK.{stream}.{durable}.>",
            f"$JS.ACK.*.*.{stream}.{durable}.>",
        ]
    hears = [subjects.wake(producer) for producer in station.producers]
    hears += [subjects.status(station.service), *station.hears, *station.answers]
    return Rights((*publish, *station.says), (f"{inbox_of(station.name)}.>", *dict.fromkeys(hears)))


def inbox_of(user: str) -> str:
    """The first token of a user's inboxes: answers to one user are out of reach for the others."""
    return f"_INBOX_{user}"


def user_of(service: str, executors: Sequence[str]) -> str:
    """The NATS user of a service that serves these executor routes, or all of them when none are named."""
    return f"{service}-{executors[0]}" if service == EXECUTION and len(executors) == 1 else service


def matches(pattern: str, subject: str) -> bool:
    """NATS subject matching: `*` is one token, `>` is the rest. The subject may be a pattern itself."""
    wanted, there = pattern.split("."), subject.split(".")
    for index, part in enumerate(wanted):
        if part == ">":
            return len(there) > index
        if index >= len(there) or part not in ("*", there[index]):
            return False
    return len(wanted) == len(there)


def stations(routes: Iterable[str], *, split: bool = False) -> tuple[Station, ...]:
    """The stations of all services, with these executor routes. `split`: each route is a Deployment with a user of its
    own, the dispatcher as well; else one user has all."""
    found = [_read(told) for told in json.loads(STATIONS.read_text(encoding="utf-8"))]
    return tuple(one for station in found for one in _with_routes(station, sorted(set(routes)), split=split))


def rights_by_user(routes: Iterable[str], *, split: bool = False) -> dict[str, Rights]:
    """NATS user -> rights, for these executor routes; see `stations`."""
    return {station.name: rights_of(station) for station in stations(routes, split=split)}


def _with_routes(station: Station, routes: Sequence[str], *, split: bool) -> list[Station]:
    if station.service != EXECUTION:
        return [station]
    own = {name: filters for name, filters in station.durables.items() if ROUTE not in name}
    of_route = {name: filters for name, filters in station.durables.items() if ROUTE in name}
    by_route = {
        route: {
            name.replace(ROUTE, route): tuple(one.replace(ROUTE, route) for one in filters)
            for name, filters in of_route.items()
        }
        for route in routes
    }
    if not split:
        return [replace(station, durables=own | {name: to for one in by_route.values() for name, to in one.items()})]
    users = {DISPATCHER: own, **by_route}
    return [replace(station, durables=to, user=user_of(EXECUTION, (route,))) for route, to in users.items()]


def _read(told: Mapping[str, Any]) -> Station:
    durables = {name: tuple(filters) for name, filters in told["durables"].items()}
    producers, says, hears, answers = (tuple(told[name]) for name in ("producers", "says", "hears", "answers"))
    return Station(told["service"], durables, producers, says, hears, answers)


def as_json(rights: Mapping[str, Rights], keys: Mapping[str, str]) -> str:
    """User -> its rights, and its public key where that is known: for what manifests and policies need."""
    told = {
        user: {**({"nkey": keys[user]} if user in keys else {}), **_permissions(one)} for user, one in rights.items()
    }
    return json.dumps(told, indent=2) + "\n"


def as_conf(rights: Mapping[str, Rights], keys: Mapping[str, str], more: Sequence[str] = ()) -> str:
    """The `authorization` block of a nats-server: each user with its public key. `more` are users written out. JSON is
    valid there, and quotes what it has to."""
    users = [json.dumps({"nkey": keys[user], "permissions": _permissions(one)}) for user, one in rights.items()]
    if ADMIN in keys:
        users.append(json.dumps({"nkey": keys[ADMIN]}))
    lines = "\n".join(f"    {user}" for user in (*users, *more))
    return f"authorization {{\n  users: [\n{lines}\n  ]\n}}\n"


def _permissions(rights: Rights) -> dict[str, Any]:
    answers = {"allow_responses": {"max": ANSWERS_MAX, "ttl": f"{ANSWERS_SECONDS}s"}} if rights.may_answer else {}
    return {"publish": {"allow": rights.publish}, "subscribe": {"allow": rights.subscribe}, **answers}
