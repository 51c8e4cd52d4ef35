"""Rules that compare the manifests with the code, both ways: settings, routes, tools, metrics, users of the bus."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from unittest import mock

from pydantic import ValidationError

from backbone.ledger.rights import ADMIN, LOGINS, PACKED
from backbone.settings import Settings
from tests.manifests.facts import DISPATCHER, UNSHOWN, Facts, family_of, names_in
from tests.manifests.objects import Manifests, Object, Pods, quantity, selects
from tests.manifests.rules import rule

OURS_ALONE = frozenset({"HOME"})
OF_OTHERS = ("DREAM_PACK_", "AWS_", "AZURE_", "GOOGLE_")
"""Settings of packs, and of the libraries of object stores."""
OF_THE_BUS = (
    "DREAM_ACK_WAIT_SECONDS",
    "DREAM_NATS_URL",
    "DREAM_BUS_MAX_BYTES",
    "DREAM_BUS_MAX_AGE_HOURS",
    "DREAM_PACKS",
)
"""What the administrator declares and services compare with their own."""
OPERATORS = {"dream-postgres-app"}
"""Logins that an operator makes."""
PROCESS_MB = 110
WORKERS = tuple(service for service in LOGINS if service != ADMIN)


@rule("settings")
def _settings(manifests: Manifests, facts: Facts) -> Iterator[str]:
    for pods in manifests.pods:
        if not pods.is_ours:
            continue
        for container in pods.containers:
            told = manifests.env(container)
            for name in sorted(told):
                if name not in facts.settings | OURS_ALONE and not name.startswith(OF_OTHERS):
                    yield f"{pods.name}: {name} is no setting"
            values = {name: value for name, value in told.items() if not name.endswith("_FILE")}
            with mock.patch.dict(os.environ, values, clear=True):
                try:
                    Settings()
                except ValidationError as error:
                    for one in error.errors(include_url=False, include_input=False):
                        yield f"{pods.name}: DREAM_{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}"


@rule("secrets-as-files")
def _files(manifests: Manifests, _: Facts) -> Iterator[str]:
    """A secret's variable names a file that the container has, and no secret stands in a variable."""
    for pods in manifests.pods:
        for container in pods.containers if pods.is_ours else ():
            files, told = set(_files_of(pods, container)), manifests.env(container)
            for name, value in told.items():
                if value and name.endswith("_FILE") and not any(fnmatch(value, file) for file in files):
                    yield f"{pods.name}, container {container['name']}: nothing is mounted for {name}, {value}"
                if re.search(r"://[^/]*:[^/]*@", value):
                    yield f"{pods.name}: {name} has a password in it"
            wanted = {"DREAM_DATABASE_URL_FILE", "DREAM_NATS_NKEY_FILE"}
            if pods.component.partition("-")[0] in PACKED or container["name"] == "migrate":
                wanted.add("DREAM_DATABASE_PACKS_SECRET_FILE")
            if container["name"] == "migrate":
                wanted |= {"DREAM_DATABASE_OWNER_URL_FILE", "DREAM_DATABASE_LOGINS"}
                folder = told.get("DREAM_DATABASE_LOGINS", "")
                for login in sorted({f"{folder}/{service}" for service in WORKERS} - files):
                    yield f"{pods.name}: migrations do not set the password of {login}, which is not mounted"
            if _prunes(pods):
                wanted = {"DREAM_DATABASE_URL_FILE", "DREAM_DATABASE_OWNER_URL_FILE"}  # it asks the database alone
            elif pods.owner["kind"] == "CronJob":
                wanted.remove("DREAM_DATABASE_URL_FILE")  # it asks the bus alone
            for name in sorted(wanted - {name for name, value in told.items() if value}):
                yield f"{pods.name}, container {container['name']}: {name} is missing"


def _files_of(pods: Pods, container: Object) -> Iterator[str]:
    """Files of Secrets that a container finds; a pattern where a whole Secret is mounted."""
    volumes = {one["name"]: one for one in pods.spec["volumes"]}
    for mount in container.get("volumeMounts", ()):
        volume = volumes.get(mount["name"], {})
        sources = [source["secret"] for source in volume.get("projected", {}).get("sources", ())]
        for source in [*sources, volume.get("secret")]:
            if source is not None:
                yield from (f"{mount['mountPath']}/{item['path']}" for item in source.get("items", [{"path": "*"}]))


def _prunes(pods: Pods) -> bool:
    return bool(pods.owner["kind"] == "CronJob" and "prune" in pods.main.get("command", ()))


@rule("projected")
def _projected(manifests: Manifests, _: Facts) -> Iterator[str]:
    """Each has its own identity: the login of its service, and the key of its user on the bus."""
    for pods in manifests.pods:
        if not pods.is_ours:
            continue
        volumes = [one["projected"]["sources"] for one in pods.spec["volumes"] if one["name"] == "secrets"]
        given = {source["secret"]["name"] for sources in volumes for source in sources} - OPERATORS
        service = pods.component.partition("-")[0]
        wanted = {f"dream-nats-{pods.component}"}
        if _prunes(pods):
            wanted = {f"dream-database-{service}"}
        elif pods.owner["kind"] != "CronJob":  # that one asks the bus alone
            wanted.add(f"dream-database-{service}")
            if service in (*PACKED, ADMIN):
                wanted.add("dream-database-packs")
        if pods.owner["kind"] == "Job":  # it gives each service's role its password
            wanted |= {f"dream-database-{name}" for name in WORKERS}
        if given != wanted:
            yield f"{pods.name} has the secrets {sorted(given)} instead of {sorted(wanted)}"


@rule("same-bus")
def _same_bus(manifests: Manifests, _: Facts) -> Iterator[str]:
    processes = [pods for pods in manifests.pods if pods.is_ours]
    for name in OF_THE_BUS:
        values = {manifests.env(container).get(name) for pods in processes for container in pods.containers}
        if len(values) > 1:
            yield f"{name} differs: {sorted(map(str, values))}"
    for pods in manifests.ours:
        if manifests.env(pods.main).get("DREAM_BUS_DECLARE") != "false":
            yield f"{pods.name} would declare streams and consumers: only the administrator may"


@rule("routes")
def _routes(manifests: Manifests, facts: Facts) -> Iterator[str]:
    """Every route of the built-in packs is served, by one Deployment with its name."""
    served = Counter(route for pods in manifests.ours for route in _served(manifests, pods))
    for route in sorted({*facts.routes, DISPATCHER} - served.keys()):
        yield f"nobody serves the route {route}"
    for route in sorted(served.keys() - facts.routes.keys() - {DISPATCHER}):
        yield f"{route!r} is no route of a pack"
    yield from (f"{route} is served by {count} Deployments" for route, count in served.items() if count > 1)
    for pods in manifests.ours:
        routes = _served(manifests, pods)
        if routes and pods.component != f"execution-{'-'.join(sorted(routes))}":
            yield f"{pods.name} serves {routes}"
    components = {pods.component.partition("-")[0] for pods in manifests.ours}
    yield from (f"there is no {name}" for name in sorted({"gateway", "cognitive", "planning", "response"} - components))


def _served(manifests: Manifests, pods: Pods) -> list[str]:
    told = manifests.env(pods.main).get("DREAM_EXECUTORS", "")
    return [route.strip() for route in told.split(",") if route.strip()]


@rule("own-image")
def _image(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods in manifests.pods:
        for container in pods.containers if pods.is_ours else ():
            name = container["image"].partition("@")[0].rpartition("/")[2].partition(":")[0]
            if name != pods.labels["app.kubernetes.io/name"]:
                yield f"{pods.name}, container {container['name']}: the image is {container['image']}"


@rule("tools")
def _tools(manifests: Manifests, facts: Facts) -> Iterator[str]:
    """A pod that is told to end waits for its longest tool; and its tools fit into its memory."""
    for pods in manifests.ours:
        env = manifests.env(pods.main)
        for route in _served(manifests, pods):
            if route not in facts.routes:
                continue
            tool = facts.routes[route]
            if float(env.get("DREAM_STOP_GRACE_SECONDS", "3")) < tool.longest:
                yield f"{pods.name}: DREAM_STOP_GRACE_SECONDS is below {tool.longest:.0f}, the longest tool of {route}"
            workers = int(env.get("DREAM_TOOL_PROCESSES", str(Settings.model_fields["tool_processes"].default)))
            wanted = (PROCESS_MB + workers * tool.memory_mb) * 1024**2
            if tool.memory_mb and (quantity(pods.main["resources"]["limits"]["memory"]) or 0) < wanted:
                yield f"{pods.name}: {workers} tools of {route} may take {wanted // 1024**2} MiB"


@rule("own-ports")
def _ports(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods in manifests.ours:
        setting, name = ("DREAM_PORT", "http") if pods.component == "gateway" else ("DREAM_HEALTH_PORT", "health")
        told = manifests.env(pods.main).get(setting)
        ports = {port["name"]: str(port["containerPort"]) for port in pods.main.get("ports", ())}
        if ports != {name: told}:
            yield f"{pods.name} listens on {setting}={told}, and says {ports}"
        if (host := manifests.env(pods.main).get("DREAM_HOST")) not in ("0.0.0.0", "::"):  # in a pod
            yield f"{pods.name} listens on {host}, where nobody outside of the pod comes"
    monitors = list(manifests.of("PodMonitor"))
    for pods in manifests.ours if monitors else ():
        named = {port["name"] for port in pods.main["ports"]}
        asked = [
            one["spec"]["podMetricsEndpoints"] for one in monitors if selects(one["spec"]["selector"], pods.labels)
        ]
        if [endpoint["port"] in named for endpoints in asked for endpoint in endpoints] != [True]:
            yield f"{pods.name}: one PodMonitor should ask for its metrics, {len(asked)} do"
    for monitor in monitors:
        for endpoint in monitor["spec"]["podMetricsEndpoints"]:
            if endpoint["port"] not in ("http", "health") or endpoint["path"] != "/metrics":
                yield f"PodMonitor {monitor['metadata']['name']}: {endpoint['port']}{endpoint['path']} has no metrics"


@rule("metrics")
def _metrics(manifests: Manifests, facts: Facts) -> Iterator[str]:
    """Rules and boards name what the code has, and the code has nothing that is nowhere shown."""
    for one in manifests.of("PrometheusRule"):
        if one["spec"] != facts.alerts:
            yield f"PrometheusRule {one['metadata']['name']} is not deploy/prometheus/alerts.yaml; run: make k8s-build"
        told = [each for group in one["spec"]["groups"] for each in group["rules"]]
        recorded = {each["record"] for each in told if "record" in each}
        asked: dict[str, tuple[str, ...]] = {each.get("alert", each.get("record")): (each["expr"],) for each in told}
        asked |= {f"the board {name}": queries for name, queries in facts.boards.items()}
        shown: set[str] = set()
        for who, queries in asked.items():
            named = {name for query in queries for name in names_in(query)}
            shown |= {family_of(name, facts.families) for name in named}
            for name in sorted(named - facts.metrics - recorded):
                yield f"{who} asks for {name}, which nobody exports"
        for name in sorted(facts.families - shown - UNSHOWN.keys()):
            yield f"{name} is in no board and no rule; show it, or give a reason in UNSHOWN"
