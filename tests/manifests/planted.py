"""Mistakes that people make in manifests, each planted into the built objects by itself: the rule named here has to
find it. What `schemas` has to find needs the tools, the rest does not."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from tests.manifests.facts import facts
from tests.manifests.objects import Manifests, Object
from tests.manifests.rules import found_by

SCHEMAS = "schemas"
GONE = object()
"""In the place of a value: the field is not there."""
Value = Any


@dataclass(frozen=True, slots=True)
class Mistake:
    """Who has to find it, and where it is planted: an object (kind/name, * for a hash), a path in it, a value."""

    rule: str
    where: str
    path: str
    value: Value
    overlay: str = "prod"

    def __str__(self) -> str:
        told = "nothing" if self.value is GONE else repr(self.value)
        return f"{self.overlay}: {self.where}: {self.path} is {told}"


ROOM = "spec/jobTemplate/spec/template/spec"
POD, MAIN = "spec/template/spec", "spec/template/spec/containers/0"
FIRST, SECOND = "spec/triggers/0/metadata", "spec/triggers/1/metadata"
DATA, GATEWAY, PLANNING = "Deployment/dream-execution-data", "Deployment/dream-gateway", "Deployment/dream-planning"
COGNITIVE, ADMIN, NATS = "Deployment/dream-cognitive", "Job/dream-admin-*", "StatefulSet/dream-nats"
SCALED, ROUTE, SETTINGS = "ScaledObject/dream-cognitive", "HTTPRoute/dream-gateway", "ConfigMap/dream-settings-*"
COMPONENT, NAME = "app.kubernetes.io~component", "app.kubernetes.io~name"
MISTAKES: Sequence[Mistake] = (
    # what the schemas of Kubernetes and of custom resources, CEL and KEDA's fields show
    Mistake(SCHEMAS, PLANNING, f"{MAIN}/imagePullPolice", "Always"),
    Mistake(SCHEMAS, PLANNING, f"{POD}/terminationGracePeriodSeconds", "60"),
    Mistake(SCHEMAS, GATEWAY, f"{MAIN}/env/DREAM_PORT/value", 8765),
    Mistake(SCHEMAS, "Service/dream-gateway", "spec/ports/0/port", "eighty"),
    Mistake(SCHEMAS, "HorizontalPodAutoscaler/dream-gateway", "spec/maxReplicas", GONE),
    Mistake(SCHEMAS, "NetworkPolicy/default-deny", "spec/podSelektor", {}),
    Mistake(SCHEMAS, SCALED, "spec/coolDownPeriod", 300),
    Mistake(SCHEMAS, SCALED, "spec/maxReplicaCount", "6"),
    Mistake(SCHEMAS, SCALED, f"{FIRST}/stream", GONE),
    Mistake(SCHEMAS, SCALED, f"{FIRST}/lagTreshold", "64"),
    Mistake(SCHEMAS, SCALED, "spec/triggers/0/type", "nats-jetsream"),
    Mistake(SCHEMAS, ROUTE, "spec/rules/0/matches/0/path/value", "ws"),
    Mistake(SCHEMAS, ROUTE, "spec/rules/1/timeouts/request", "five minutes"),
    Mistake(SCHEMAS, "Cluster/dream-postgres", "spec/instances", 0),
    Mistake(SCHEMAS, "Cluster/dream-postgres", "spec/primaryUpdateStrategy", "carefully"),
    Mistake(SCHEMAS, "Certificate/dream-nats", "spec/secretName", GONE),
    Mistake(SCHEMAS, "PodMonitor/dream-layers", "spec/podMetricsEndpoints/0/intervall", "15s"),
    Mistake(SCHEMAS, "ExternalSecret/dream-nats-gateway", "spec/secretStoreRef/kind", "Vault"),
    # what validates, and an API server or a node refuses
    Mistake("selector-labels", DATA, f"spec/selector/matchLabels/{COMPONENT}", "execution-dato"),
    Mistake("selector-labels", DATA, f"spec/selector/matchLabels/{COMPONENT}", GONE),
    Mistake("one-probe-handler", COGNITIVE, f"{MAIN}/livenessProbe/tcpSocket", {"port": 8080}),
    Mistake("probe-port", COGNITIVE, f"{MAIN}/readinessProbe/httpGet/port", "heatlh"),
    Mistake("probe-port", NATS, f"{MAIN}/livenessProbe/httpGet/port", 8223),
    Mistake("volumes", PLANNING, f"{MAIN}/volumeMounts/secrets/name", "secret"),
    Mistake("volumes", "StatefulSet/dream-postgres", "spec/volumeClaimTemplates", [], "dev"),
    Mistake("volumes", GATEWAY, f"{POD}/securityContext/fsGroup", GONE),
    Mistake("resources", COGNITIVE, f"{MAIN}/resources/requests/memory", "2Gi"),
    Mistake("resources", COGNITIVE, f"{MAIN}/resources/limits/memory", "1GB"),
    Mistake("resources", PLANNING, f"{MAIN}/resources/limits", GONE),
    Mistake("stop-budget", GATEWAY, f"{MAIN}/lifecycle/preStop/sleep/seconds", 60),
    Mistake("stop-budget", DATA, f"{POD}/terminationGracePeriodSeconds", 300),
    Mistake("restricted", COGNITIVE, f"{POD}/securityContext/runAsNonRoot", GONE),
    Mistake("restricted", NATS, f"{MAIN}/securityContext/allowPrivilegeEscalation", value=True),
    Mistake("restricted", ADMIN, f"{POD}/securityContext/seccompProfile", GONE),
    Mistake("restricted", GATEWAY, f"{MAIN}/securityContext/capabilities", {"drop": ["ALL"], "add": ["NET_ADMIN"]}),
    Mistake("restricted", DATA, f"{POD}/hostNetwork", value=True),
    Mistake("ports", GATEWAY, f"{MAIN}/ports/http/containerPort", 99999),
    Mistake("ports", NATS, f"{MAIN}/ports/client/name", "client-connections"),
    Mistake("budget", "PodDisruptionBudget/dream-gateway", "spec/minAvailable", 1),
    Mistake("budget", SCALED, "spec/minReplicaCount", 1),
    Mistake("namespace", "Service/dream-gateway", "metadata/namespace", "default"),
    Mistake("namespace", "Namespace/dream", "metadata/labels/pod-security.kubernetes.io~enforce", "baseline"),
    Mistake("env-twice", GATEWAY, f"{MAIN}/env/DREAM_ALLOWED_HOSTS", {"name": "DREAM_PORT", "value": "8766"}),
    # what is applied, and does not run or not for long
    Mistake("writable", COGNITIVE, f"{MAIN}/volumeMounts/tmp/mountPath", "/scratch"),
    Mistake("writable", PLANNING, f"{MAIN}/securityContext/readOnlyRootFilesystem", value=False),
    Mistake("scratch", PLANNING, f"{MAIN}/resources/limits/ephemeral-storage", "1Gi"),
    Mistake("scratch", GATEWAY, f"{POD}/volumes/tmp/emptyDir/sizeLimit", "256Mi"),
    Mistake("probes", PLANNING, f"{MAIN}/livenessProbe/httpGet/path", "/health/ready"),
    Mistake("probes", GATEWAY, f"{MAIN}/startupProbe", GONE),
    Mistake("no-token", PLANNING, f"{POD}/automountServiceAccountToken", value=True),
    Mistake("no-token", GATEWAY, f"{POD}/enableServiceLinks", GONE),
    Mistake("image", COGNITIVE, f"{MAIN}/image", "registry.example.com:5000/dream-cognitive"),
    Mistake("image", NATS, f"{MAIN}/image", "nats:latest", "dev"),
    Mistake("spread", PLANNING, f"{POD}/topologySpreadConstraints", []),
    Mistake("spread", NATS, f"{POD}/topologySpreadConstraints/0/labelSelector/matchLabels/{NAME}", "nats"),
    Mistake("service", "Service/dream-nats", f"spec/selector/{NAME}", "nats"),
    Mistake("service", "Service/dream-gateway", "spec/ports/0/targetPort", 8080),
    Mistake("references", PLANNING, f"{MAIN}/envFrom/0/configMapRef/name", "dream-settings"),
    Mistake("references", NATS, f"{POD}/volumes/users/secret/secretName", "dream-nats-user"),
    Mistake("references", ADMIN, f"{POD}/serviceAccountName", "admin"),
    Mistake("references", COGNITIVE, f"{POD}/volumes/artifacts/persistentVolumeClaim/claimName", "artifacts", "dev"),
    Mistake("admin-job", ADMIN, "metadata/name", "dream-admin"),
    Mistake("admin-job", ADMIN, f"{MAIN}/command", ["dream", "admin", "bus", "diff"]),
    Mistake("admin-room", "CronJob/dream-room", f"{ROOM}/containers/0/command", ["dream", "admin", "bus", "keep"]),
    Mistake("admin-room", "CronJob/dream-room", "spec/concurrencyPolicy", "Allow"),
    Mistake(
        "admin-room", "CronJob/dream-prune", f"{ROOM}/containers/0/command", ["dream", "admin", "prune", "--dry-run"]
    ),
    Mistake("projected", "CronJob/dream-prune", f"{ROOM}/volumes/secrets/projected/sources", []),
    Mistake("references", "CronJob/dream-room", f"{ROOM}/volumes/secrets/projected/sources/0/secret/name", "admin"),
    Mistake("http-route", ROUTE, "spec/rules/0/timeouts/request", "30s"),
    Mistake("http-route", ROUTE, "spec/rules/1/matches/1/path/value", "/metrics"),
    Mistake("http-route", ROUTE, "spec/rules/1/matches/3/path/type", "PathPrefix"),
    Mistake("http-route", ROUTE, "spec/rules/1/matches/2/path/type", "Exact"),
    Mistake("http-route", ROUTE, "spec/hostnames/0", "www.example.com"),
    Mistake("http-route", ROUTE, "spec/parentRefs/0/sectionName", "http"),
    Mistake("http-route", SETTINGS, "data/DREAM_PUBLIC_URL", GONE),
    Mistake("service", "Service/dream-gateway", "spec/ports/0/port", 80000),
    Mistake("http-route", ROUTE, "spec/rules/1/backendRefs/0/port", 8765),
    Mistake("certificate", "Certificate/dream-nats", "spec/dnsNames/0", "nats"),
    Mistake("certificate", "Certificate/dream-nats", "spec/issuerRef/name", "dream-authority"),
    Mistake("replicas", DATA, "spec/replicas", 2),
    Mistake("replicas", SCALED, "spec/scaleTargetRef/name", "cognitive"),
    Mistake("scale-in", SCALED, "spec/advanced/horizontalPodAutoscalerConfig/behavior/scaleDown/policies/0/value", 4),
    Mistake("scale-in", SCALED, "spec/fallback", GONE),
    Mistake(
        "keda-endpoint", SCALED, f"{FIRST}/natsServerMonitoringEndpoint", "dream-nats.dream.svc.cluster.local:8222"
    ),
    Mistake("keda-endpoint", "Service/dream-nats-headless", "spec/ports/monitor/name", "monitoring"),
    Mistake("keda-endpoint", SCALED, f"{FIRST}/account", "DREAM"),
    Mistake("connections", SCALED, "spec/maxReplicaCount", 60),
    Mistake("connections", "StatefulSet/dream-postgres", f"{MAIN}/args/1", "max_connections=100", "dev"),
    # who may speak to whom
    Mistake("default-deny", "NetworkPolicy/default-deny", "spec/policyTypes", ["Ingress"]),
    Mistake("edges", "NetworkPolicy/nats-keda", "spec/ingress/0/ports/0/port", 4222),
    Mistake("edges", "NetworkPolicy/dns", "spec/egress/0/ports/0/protocol", "TCP"),
    Mistake("edges", "NetworkPolicy/nats-routes", "spec/policyTypes", ["Ingress"]),
    Mistake("edges", "NetworkPolicy/models", "spec/podSelector", {}),
    Mistake("edges", "NetworkPolicy/web", "spec/egress/0/to/0", {"ipBlock": {"cidr": "0.0.0.0/0"}}),
    Mistake("edges", "NetworkPolicy/nats-clients", "spec/podSelector/matchExpressions/0/values/3", "dream-gatway"),
    Mistake("edges", "NetworkPolicy/postgres-instances", "spec/ingress/0/ports/1/port", 8001),
    Mistake("edges", SETTINGS, "data/DREAM_OTLP_ENDPOINT", "http://otel-collector.monitoring.svc:4317/v1/traces"),
    # what the code has otherwise
    Mistake("settings", SETTINGS, "data/DREAM_DATABASE_POOLS", "6"),
    Mistake("settings", SETTINGS, "data/DREAM_DATABASE_POOL", "0"),
    Mistake("settings", DATA, f"{MAIN}/env/DREAM_STOP_GRACE_SECONDS/name", "DREAM_STOP_GRACE"),
    Mistake("secrets-as-files", SETTINGS, "data/DREAM_NATS_URL", "tls://dream:secret@dream-nats:4222"),
    Mistake("secrets-as-files", SETTINGS, "data/DREAM_DATABASE_URL_FILE", "/run/secrets/database_url"),
    Mistake("secrets-as-files", ADMIN, f"{POD}/volumes/secrets/projected/sources/8/secret/items/0/path", "owner"),
    Mistake("secrets-as-files", ADMIN, f"{POD}/volumes/secrets/projected/sources/2/secret/items/0/path", "logins/x"),
    Mistake("secrets-as-files", COGNITIVE, f"{MAIN}/env/DREAM_DATABASE_PACKS_SECRET_FILE", GONE),
    Mistake("projected", PLANNING, f"{POD}/volumes/secrets/projected/sources/0/secret/name", "dream-database-gateway"),
    Mistake("projected", PLANNING, f"{POD}/volumes/secrets/projected/sources/1/secret/name", "dream-database-packs"),
    Mistake("projected", DATA, f"{POD}/volumes/secrets/projected/sources/2/secret/name", "dream-nats-admin"),
    Mistake(
        "same-bus", DATA, f"{MAIN}/env/DREAM_MODEL_API_KEY_FILE", {"name": "DREAM_ACK_WAIT_SECONDS", "value": "60"}
    ),
    Mistake("same-bus", SETTINGS, "data/DREAM_BUS_DECLARE", "true"),
    Mistake("routes", DATA, f"{MAIN}/env/DREAM_EXECUTORS/value", "insight"),
    Mistake("own-image", COGNITIVE, f"{MAIN}/image", "registry.example.com/dream-planning:0.1.0"),
    Mistake("own-image", ADMIN, f"{POD}/initContainers/migrate/image", "registry.example.com/admin:0.1.0"),
    Mistake("own-ports", SETTINGS, "data/DREAM_HOST", GONE),
    Mistake("own-ports", "PodMonitor/dream-gateway", f"spec/selector/matchLabels/{NAME}", "gateway"),
    Mistake("bus-address", SETTINGS, "data/DREAM_NATS_URL", "tls://nats:4222"),
    Mistake("bus-address", SETTINGS, "data/DREAM_NATS_URL", GONE, "dev"),
    Mistake("bus-cluster", NATS, "spec/replicas", 5),
    Mistake("bus-cluster", SETTINGS, "data/DREAM_BUS_REPLICAS", GONE),
    Mistake("bus-cluster", "Service/dream-nats-headless", "spec/clusterIP", GONE),
    Mistake("tools", DATA, f"{MAIN}/env/DREAM_STOP_GRACE_SECONDS/value", "120"),
    Mistake("tools", DATA, f"{MAIN}/resources/limits/memory", "2Gi"),
    Mistake("own-ports", PLANNING, f"{MAIN}/env/DREAM_HEALTH_PORT/value", "8081"),
    Mistake("own-ports", "PodMonitor/dream-layers", "spec/podMetricsEndpoints/0/port", "metrics"),
    Mistake("consumers", SCALED, f"{SECOND}/consumer", "cognitive-desk"),
    Mistake("consumers", SCALED, f"{FIRST}/stream", "EVENTS"),
    Mistake("consumers", "ScaledObject/dream-execution-data", f"{FIRST}/lagThreshold", "1000"),
    Mistake("metrics", "PrometheusRule/dream", "spec/groups/0/rules/0/expr", "sum(dream_runs_stuck) > 0"),
    Mistake("bus-store", SETTINGS, "data/DREAM_BUS_MAX_BYTES", str(20 * 1024**3)),
    Mistake("bus-store", NATS, f"{POD}/volumes/data/emptyDir/sizeLimit", "2Gi", "dev"),
    Mistake("bus-users", "ConfigMap/dream-nats-*", "data/authorization.conf", "authorization { users: [] }"),
)


def plant(manifests: Manifests, mistake: Mistake) -> Manifests:
    """The overlay with the mistake; objects that it is not in are the same. Raises LookupError where it cannot be."""
    objects = list(manifests.objects)
    for index, one in enumerate(objects):
        if fnmatch(f"{one['kind']}/{one['metadata']['name']}", mistake.where):
            objects[index] = changed(one, mistake.path, mistake.value)
            return Manifests(manifests.name, objects)
    raise LookupError(f"{mistake}: there is no such object")


def changed(one: Object, path: str, value: Value) -> Object:
    """A copy with another value at a path; ~ stands for a slash in a key."""
    copy = deepcopy(one)
    *steps, last = (step.replace("~", "/") for step in path.split("/"))
    place: Any = copy
    for step in steps:
        place = place[_key(place, step)]
    key = _key(place, last)
    if value is GONE:
        del place[key]
    else:
        place[key] = value
    return copy


def _key(place: Any, step: str) -> Any:
    """Of a list the index, told as it is or by the name of what is there."""
    if not isinstance(place, list):
        return step
    return int(step) if step.isdigit() else [one.get("name") for one in place].index(step)


def missed(built: Mapping[str, Manifests]) -> list[str]:
    """Mistakes that the rule which has to find them does not find. Those of the schemas are not among them."""
    ours = [mistake for mistake in MISTAKES if mistake.rule != SCHEMAS]
    return [
        f"{mistake.rule} does not find: {mistake}"
        for mistake in ours
        if not found_by(mistake.rule, plant(built[mistake.overlay], mistake), facts())
    ]


def of_schemas() -> list[Mistake]:
    return [mistake for mistake in MISTAKES if mistake.rule == SCHEMAS]
