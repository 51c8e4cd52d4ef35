"""Rules about who scales what, on which figure."""

from collections.abc import Iterator
from typing import Any

from tests.manifests.facts import Facts
from tests.manifests.objects import Manifests, Object
from tests.manifests.rules import rule

SLOW = {"stabilizationWindowSeconds": 300, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}
BATCH = 256
"""Messages that a decision handler takes at once, at most."""
POOL_BESIDE = 2
"""Connections of a process beside its pool: what it leads, and the tables of packs."""


@rule("replicas")
def _replicas(manifests: Manifests, _: Facts) -> Iterator[str]:
    """A number in the manifest would take the autoscaler's back at every apply."""
    scaled = [one["spec"]["scaleTargetRef"]["name"] for one in manifests.of("ScaledObject", "HorizontalPodAutoscaler")]
    for one in manifests.of("Deployment"):
        if "replicas" in one["spec"]:
            yield f"Deployment {one['metadata']['name']} has replicas: its autoscaler's are taken back by every apply"
    there = {one["metadata"]["name"] for one in manifests.of("Deployment")}
    for name in sorted(set(scaled) - there):
        yield f"there is no Deployment {name} to scale"
    for name in sorted(there - set(scaled) if scaled else ()):
        yield f"nobody scales {name}"
    yield from (f"two scale {name}" for name in sorted({name for name in scaled if scaled.count(name) > 1}))


@rule("scale-in")
def _scale_in(manifests: Manifests, _: Facts) -> Iterator[str]:
    for one in manifests.of("ScaledObject", "HorizontalPodAutoscaler"):
        spec = one["spec"]
        behavior = spec.get("advanced", {}).get("horizontalPodAutoscalerConfig", spec).get("behavior", {})
        if behavior.get("scaleDown") != SLOW:
            yield f"{_name(one)} does not go down by one pod a minute after five quiet ones"
        if one["kind"] == "ScaledObject" and not spec.get("fallback"):
            yield f"{_name(one)} has no fallback for when NATS cannot be asked"
        pods = next((pods for pods in manifests.ours if _target(one) == pods.owner["metadata"]["name"]), None)
        if pods and (least := manifests.replicas(pods))[0] > least[1]:
            yield f"{_name(one)}: at least {least[0]}, at most {least[1]}"


@rule("consumers")
def _consumers(manifests: Manifests, facts: Facts) -> Iterator[str]:
    """Each consumer of the code is looked at by the Deployment that has it, and no other is."""
    if not list(manifests.of("ScaledObject")):
        return
    for component, durables in facts.consumers.items():
        scaler = next((one for one in manifests.of("ScaledObject") if _target(one) == f"dream-{component}"), None)
        told = {one["metadata"].get("consumer"): one["metadata"] for one in _triggers(scaler)}
        for name in sorted(durables.keys() - told.keys()):
            yield f"dream-{component} is not scaled on its consumer {name}"
        for name, trigger in told.items():
            if name not in durables:
                yield f"dream-{component} is scaled on {name!r}, which is no consumer of it"
            elif trigger["stream"] != facts.stream:
                yield f"dream-{component}: the stream is {facts.stream}, not {trigger['stream']!r}"
            elif not 0 < (threshold := int(trigger["lagThreshold"])) <= (hand := durables[name] or BATCH):
                yield f"dream-{component}: lagThreshold of {name} is {threshold}, a process has {hand} in hand at most"


@rule("keda-endpoint")
def _endpoint(manifests: Manifests, _: Facts) -> Iterator[str]:
    """Only the leader of a consumer knows its figures, and only the headless Service has names for each server."""
    known = {
        f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc.cluster.local:{port['port']}"
        for service in manifests.of("Service")
        for port in service["spec"]["ports"]
        if service["spec"].get("clusterIP") == "None" and port["name"] == "monitor"
    }
    accounts = any("accounts" in one.get("data", {}).get("authorization.conf", "") for one in manifests.of("ConfigMap"))
    for one in manifests.of("ScaledObject"):
        for trigger in _triggers(one):
            if (told := trigger["metadata"]["natsServerMonitoringEndpoint"]) not in known:
                yield f"{_name(one)}: {told} is no headless Service with the monitoring port"
            if not accounts and trigger["metadata"]["account"] != "$G":
                yield f"{_name(one)}: there is no account {trigger['metadata']['account']!r}"


@rule("connections")
def _connections(manifests: Manifests, _: Facts) -> Iterator[str]:
    """All processes that there may be have room in Postgres."""
    wanted = sum(
        manifests.replicas(pods)[1] * (int(manifests.env(pods.main).get("DREAM_DATABASE_POOL", "8")) + POOL_BESIDE)
        for pods in manifests.ours
    )
    given = [
        int(one["spec"]["postgresql"]["parameters"]["max_connections"])
        for one in manifests.of("Cluster")
        if one["apiVersion"].startswith("postgresql.cnpg.io")
    ]
    for pods in manifests.pods:
        arguments = pods.main.get("args", ())
        given += [int(one.partition("=")[2]) for one in arguments if str(one).startswith("max_connections=")]
    for limit in given:
        if wanted > limit:
            yield f"processes may open {wanted} connections; Postgres takes {limit}"


def _triggers(scaler: Object | None) -> list[Any]:
    return list(scaler["spec"]["triggers"]) if scaler else []


def _target(scaler: Object) -> str:
    return str(scaler["spec"]["scaleTargetRef"]["name"])


def _name(one: Object) -> str:
    return f"{one['kind']} {one['metadata']['name']}"
