"""The objects of one overlay as Kustomize builds them, and what rules ask of them again and again."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

Object = dict[str, Any]
JOBS = frozenset({"Job", "CronJob"})
TEMPLATES = frozenset({"Deployment", "StatefulSet", *JOBS})
OURS = "app.kubernetes.io/part-of"
_SUFFIXES = {"": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12} | {
    f"{sign}i": 1024.0**power for power, sign in enumerate("KMGT", 1)
}
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(m|[kMGT]|[KMGT]i)?")


def quantity(text: object) -> float | None:
    """A quantity of Kubernetes as a number, 1Gi say; None when it is none."""
    found = _QUANTITY.fullmatch(str(text))
    return float(found[1]) * _SUFFIXES[found[2] or ""] if found else None


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector, with expressions or plain, takes these labels. An empty one takes all."""
    for expression in (selector or {}).get("matchExpressions", ()):
        value, values = labels.get(expression["key"]), expression.get("values", ())
        taken = {"In": value in values, "NotIn": value not in values, "Exists": value is not None}
        if not taken.get(expression["operator"], value is None):
            return False
    return all(labels.get(key) == value for key, value in (selector or {}).get("matchLabels", {}).items())


@dataclass(frozen=True, slots=True)
class Pods:
    """Pods that a Deployment, StatefulSet, Job or CronJob makes."""

    owner: Object
    spec: Object
    labels: Mapping[str, str]

    @property
    def name(self) -> str:
        return f"{self.owner['kind']} {self.owner['metadata']['name']}"

    @property
    def component(self) -> str:
        """gateway, execution-data …: also the name of its NATS user."""
        return self.labels.get("app.kubernetes.io/component", "")

    @property
    def is_ours(self) -> bool:
        """Whether it runs code of this repository."""
        return any(one.get("name") == "dream" for one in self.spec.get("containers", ()))

    @property
    def containers(self) -> Sequence[Object]:
        return [*self.spec.get("initContainers", ()), *self.spec.get("containers", ())]

    @property
    def main(self) -> Object:
        found: Object = self.spec["containers"][0]
        return found


class Manifests:
    """All objects of an overlay, of their last build or changed by whoever plants mistakes."""

    def __init__(self, name: str, objects: Sequence[Object]) -> None:
        self.name = name
        self.objects = objects

    @classmethod
    def read(cls, path: Path) -> "Manifests":
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return cls(path.stem, [one for one in yaml.load_all(path.read_text("utf-8"), loader) if one])

    def of(self, *kinds: str) -> Iterator[Object]:
        return (one for one in self.objects if one.get("kind") in kinds)

    def named(self, kind: str, name: str) -> Object | None:
        return next((one for one in self.of(kind) if one["metadata"]["name"] == name), None)

    @cached_property
    def pods(self) -> Sequence[Pods]:
        found = []
        for owner in self.of(*TEMPLATES):
            job = owner["spec"].get("jobTemplate", owner)
            template = job["spec"]["template"]
            found.append(Pods(owner, template["spec"], template.get("metadata", {}).get("labels", {})))
        return found

    @cached_property
    def ours(self) -> Sequence[Pods]:
        """Deployments of our services; the administrator's Jobs are not among them."""
        return [pods for pods in self.pods if pods.is_ours and pods.owner["kind"] == "Deployment"]

    def env(self, container: Mapping[str, Any]) -> dict[str, str]:
        """What a container finds in its environment: its ConfigMaps, then its own variables."""
        found: dict[str, str] = {}
        for source in container.get("envFrom", ()):
            config = self.named("ConfigMap", source.get("configMapRef", {}).get("name", ""))
            found |= (config or {}).get("data", {})
        return found | {one["name"]: one["value"] for one in container.get("env", ()) if "value" in one}

    def replicas(self, pods: Pods) -> tuple[int, int]:
        """The least and the largest number of these pods that there may be."""
        name = pods.owner["metadata"]["name"]
        for scaler in self.of("ScaledObject", "HorizontalPodAutoscaler"):
            if scaler["spec"]["scaleTargetRef"]["name"] == name:
                spec = scaler["spec"]
                least = spec.get(
                    "minReplicaCount", spec.get("minReplicas", 0 if scaler["kind"] == "ScaledObject" else 1)
                )
                return int(least), int(spec.get("maxReplicaCount", spec.get("maxReplicas", 100)))
        count = int(pods.owner["spec"].get("replicas", 1))
        return count, count
