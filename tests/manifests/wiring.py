"""Rules about what objects say of each other: names, ports, keys and hosts that have to be there."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.manifests.facts import Facts
from tests.manifests.objects import Manifests, Object, Pods, selects
from tests.manifests.rules import rule

CLUSTER_WIDE = frozenset({"Namespace"})
MADE_BY_HAND = re.compile(r"dream-(database-[a-z]+|nats-(users|[a-z-]+)|postgres|model)")
"""Secrets that `make k8s-secrets` makes, or external-secrets, or the operator's own; deploy/README.md."""
REFERENCES = {
    "configMapRef": "configMap",
    "configMapKeyRef": "configMap",
    "secretRef": "secret",
    "secretKeyRef": "secret",
}
LEVELS = ("enforce", "warn", "audit")
HASHED = re.compile(r"-[0-9a-z]{10}$")
OPEN_ENDED = ("/ws", "/sessions", "/agent")
"""Sockets, event streams, and answers that wait for a run."""
INSIDE = ("/health", "/metrics", "/dead-letters")
"""For probes, Prometheus and operators alone."""


@rule("namespace")
def _namespace(manifests: Manifests, _: Facts) -> Iterator[str]:
    spaces = {one["metadata"]["name"]: one["metadata"].get("labels", {}) for one in manifests.of("Namespace")}
    for one in manifests.objects:
        if one["kind"] not in CLUSTER_WIDE and one["metadata"].get("namespace") not in spaces:
            yield f"{_name(one)} is in the namespace {one['metadata'].get('namespace')!r}, which is not made"
    for name, labels in spaces.items():
        for level in LEVELS:
            if labels.get(f"pod-security.kubernetes.io/{level}") != "restricted":
                yield f"namespace {name} does not {level} restricted pods"
    names = Counter((one["kind"], one["metadata"]["name"]) for one in manifests.objects)
    yield from (f"{kind} {name} twice" for (kind, name), count in names.items() if count > 1)


@rule("service")
def _service(manifests: Manifests, _: Facts) -> Iterator[str]:
    for service in manifests.of("Service"):
        behind = [one for one in manifests.pods if selects({"matchLabels": service["spec"]["selector"]}, one.labels)]
        if not behind:
            yield f"{_name(service)} selects no pods"
        for port in service["spec"]["ports"]:
            if not 0 < port["port"] < 65536:
                yield f"{_name(service)}: port {port['port']}"
        for pods in behind:
            for port in service["spec"]["ports"]:
                if not _has_port(pods, target := port.get("targetPort", port["port"])):
                    yield f"{_name(service)} leads to port {target!r}, which {pods.name} has not"
    for one in manifests.of("StatefulSet"):
        if not manifests.named("Service", one["spec"]["serviceName"]):
            yield f"{_name(one)} has no Service {one['spec']['serviceName']!r}"


def _has_port(pods: Pods, wanted: object) -> bool:
    ports = [port for container in pods.containers for port in container.get("ports", ())]
    return any(wanted in (port.get("name"), port["containerPort"]) for port in ports)


@rule("references")
def _references(manifests: Manifests, _: Facts) -> Iterator[str]:
    """ConfigMaps, Secrets, claims and accounts that pods name."""
    made = {one["metadata"]["name"]: one for one in manifests.of("ConfigMap")}
    secrets = _secrets(manifests)
    claims = {one["metadata"]["name"] for one in manifests.of("PersistentVolumeClaim")}
    for pods in manifests.pods:
        for kind, name, items in _named(pods):
            if kind == "configMap" and name not in made:
                yield f"{pods.name}: there is no ConfigMap {name!r}"
            elif kind == "secret" and name not in secrets:
                yield f"{pods.name}: nobody makes the Secret {name!r}"
            elif kind == "claim" and name not in claims:
                yield f"{pods.name}: there is no claim {name!r}"
            elif kind == "configMap" and (missing := set(items) - made[name].get("data", {}).keys()):
                yield f"{pods.name}: ConfigMap {name} has no {sorted(missing)}"
        account = pods.spec.get("serviceAccountName", "default")
        if not manifests.named("ServiceAccount", account):
            yield f"{pods.name}: there is no ServiceAccount {account!r}"


def _named(pods: Pods) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, name and keys of all that the pods want to be there."""
    for container in pods.containers:
        sources = [*container.get("envFrom", ()), *(one.get("valueFrom", {}) for one in container.get("env", ()))]
        for key, told in ((key, told) for source in sources for key, told in source.items()):
            if kind := REFERENCES.get(key):
                yield kind, told["name"], [told["key"]] if "key" in told else []
    for volume in pods.spec.get("volumes", ()):
        if claim := volume.get("persistentVolumeClaim"):
            yield "claim", claim["claimName"], []
        for source in (volume, *volume.get("projected", {}).get("sources", ())):
            for kind in source.keys() & {"configMap", "secret"}:
                told = source[kind]
                yield kind, told.get("secretName") or told["name"], [item["key"] for item in told.get("items", ())]


def _secrets(manifests: Manifests) -> set[str]:
    """Those that something in the overlay makes; where no store is asked, those that people make."""
    found = {one["spec"]["target"]["name"] for one in manifests.of("ExternalSecret")}
    found |= {one["spec"]["secretName"] for one in manifests.of("Certificate")}
    for cluster in manifests.of("Cluster"):
        found |= {f"{cluster['metadata']['name']}-{end}" for end in ("app", "ca", "server", "replication")}
    if manifests.named("ExternalSecret", "dream-nats-users"):
        return found | {"dream-model"}
    named = {name for pods in manifests.pods for kind, name, _ in _named(pods) if kind == "secret"}
    return found | {name for name in named if MADE_BY_HAND.fullmatch(name)}


@rule("admin-job")
def _job(manifests: Manifests, _: Facts) -> Iterator[str]:
    jobs = list(manifests.of("Job"))
    if len(jobs) != 1:
        yield f"there are {len(jobs)} Jobs instead of the administrator's"
    for job in jobs:
        spec = job["spec"]["template"]["spec"]
        if not HASHED.search(job["metadata"]["name"]):
            yield f"{_name(job)} has no hash in its name: a Job cannot be changed"
        if spec.get("restartPolicy") not in ("Never", "OnFailure"):
            yield f"{_name(job)}: restartPolicy {spec.get('restartPolicy')!r}"
        commands = [" ".join(one.get("command", ())) for one in (*spec.get("initContainers", ()), *spec["containers"])]
        if commands != ["dream admin migrate", "dream admin bus declare"]:
            yield f"{_name(job)} does {commands}"


@rule("admin-room")
def _room(manifests: Manifests, _: Facts) -> Iterator[str]:
    """A stream that nobody makes room in is full one day, and takes nothing more; a ledger that nobody prunes grows."""
    commands = [" ".join(pods.main.get("command", ())) for pods in manifests.pods if pods.owner["kind"] == "CronJob"]
    if sorted(commands) != ["dream admin bus make-room", "dream admin prune --json"]:
        yield f"CronJobs do {commands}"
    for one in manifests.of("CronJob"):
        if one["spec"].get("concurrencyPolicy") != "Forbid":
            yield f"{_name(one)} may run twice at once"
        if one["spec"]["jobTemplate"]["spec"]["template"]["spec"].get("restartPolicy") not in ("Never", "OnFailure"):
            yield f"{_name(one)}: restartPolicy is neither Never nor OnFailure"


@rule("budget")
def _budget(manifests: Manifests, _: Facts) -> Iterator[str]:
    for one in manifests.of("PodDisruptionBudget"):
        spec = one["spec"]
        if len({"minAvailable", "maxUnavailable"} & spec.keys()) != 1:
            yield f"{_name(one)} needs either minAvailable or maxUnavailable"
        behind = [pods for pods in manifests.pods if selects(spec["selector"], pods.labels)]
        if len(behind) != 1:
            yield f"{_name(one)} selects {[pods.name for pods in behind]}"
        for pods in behind:
            if (least := manifests.replicas(pods)[0]) < 2:
                yield f"{_name(one)}: of {pods.name} there may be {least}, so that a node could never be drained"


@rule("http-route")
def _route(manifests: Manifests, facts: Facts) -> Iterator[str]:
    """Every path that clients may call, and no other, leads to the gateway; what stays open has no time-out."""
    for route in manifests.of("HTTPRoute"):
        led: list[Object] = []
        for number, one in enumerate(route["spec"]["rules"]):
            paths = [match["path"]["value"] for match in one["matches"]]
            led += [match["path"] for match in one["matches"]]
            ends = {name: value for name, value in one.get("timeouts", {}).items() if value != "0s"}
            if set(paths) & set(OPEN_ENDED) and (ends or not one.get("timeouts")):
                yield f"{_name(route)}, rule {number}: {paths} end after {ends or 'what the proxy likes'}"
            yield from _backends(manifests, route, one)
        for path in sorted(facts.paths):
            inside = path.startswith(INSIDE)
            if inside is any(_leads(match, path) for match in led):
                yield f"{_name(route)}: {path} {'is led outside' if inside else 'cannot be reached'}"
        for match in led:
            if not any(_leads(match, path) for path in (*facts.paths, "/ws/{session_id}")):
                yield f"{_name(route)}: the gateway has nothing at {match['value']}"
        yield from _entry(manifests, route)


def _leads(match: Object, path: str) -> bool:
    """Whether a match of the Gateway API takes the path; one of a prefix takes whole segments."""
    start = match["value"]
    prefix = match.get("type", "PathPrefix") == "PathPrefix"
    return path == start or (prefix and path.startswith(f"{start.rstrip('/')}/"))


def _entry(manifests: Manifests, route: Object) -> Iterator[str]:
    """The listener that the route hangs on, and whether the gateway knows itself by the route's names."""
    listeners = {
        (gateway["metadata"]["name"], listener["name"]): listener.get("hostname")
        for gateway in manifests.of("Gateway")
        for listener in gateway["spec"]["listeners"]
    }
    for parent in route["spec"]["parentRefs"]:
        if (entry := (parent["name"], parent.get("sectionName"))) not in listeners:
            yield f"{_name(route)}: there is no Gateway with a listener {entry}"
        elif listeners[entry] not in (None, *route["spec"]["hostnames"]):
            yield f"{_name(route)}: the listener is for {listeners[entry]}"
    for pods in manifests.ours:
        if pods.component == "gateway":
            env = manifests.env(pods.main)
            public = env.get("DREAM_PUBLIC_URL", "").partition("://")[2].partition("/")[0].partition(":")[0]
            for host in route["spec"]["hostnames"]:
                if host not in (public, *env.get("DREAM_ALLOWED_HOSTS", "").split(",")):
                    yield f"{_name(route)}: the gateway refuses requests for {host} (DREAM_PUBLIC_URL)"


def _backends(manifests: Manifests, route: Object, told: Mapping[str, Any]) -> Iterator[str]:
    for backend in told["backendRefs"]:
        service = manifests.named("Service", backend["name"])
        if not service or backend["port"] not in {port["port"] for port in service["spec"]["ports"]}:
            yield f"{_name(route)}: there is no Service {backend['name']} with port {backend['port']}"


@rule("certificate")
def _certificate(manifests: Manifests, _: Facts) -> Iterator[str]:
    """Hosts that are reached by TLS stand in a certificate."""
    wanted = {name for route in manifests.of("HTTPRoute") for name in route["spec"]["hostnames"]}
    for pods in manifests.ours:
        scheme, rest = manifests.env(pods.main).get("DREAM_NATS_URL", "://").split("://")
        if scheme == "tls":
            wanted.add(rest.rpartition("@")[2].partition(":")[0])
    named = {name for one in manifests.of("Certificate") for name in one["spec"].get("dnsNames", ())}
    yield from (f"no certificate has the name {name}" for name in sorted(wanted - named))
    issuers = {one["metadata"]["name"] for one in manifests.of("Issuer")}
    for one in manifests.of("Certificate", "Issuer"):
        issuer = one["spec"].get("issuerRef", {})
        if issuer.get("kind") == "Issuer" and issuer["name"] not in issuers:
            yield f"{_name(one)}: there is no Issuer {issuer['name']!r}"


def _name(one: Object) -> str:
    return f"{one['kind']} {one['metadata']['name']}"
