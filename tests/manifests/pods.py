"""Rules about single pods: what validates and does not run, and what must not run."""

from collections import Counter
from collections.abc import Iterator

from backbone.settings import Settings
from backbone.stopping import MARGIN_SECONDS, stop_budget
from tests.manifests.facts import Facts
from tests.manifests.objects import JOBS, OURS, Manifests, Object, Pods, quantity, selects
from tests.manifests.rules import rule

PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
HANDLERS = frozenset({"httpGet", "tcpSocket", "exec", "grpc"})
CACHE_BYTES = 2 * 1024**3
SPARE_BYTES = 1024**3


def _each(manifests: Manifests) -> Iterator[tuple[Pods, Object, str]]:
    for pods in manifests.pods:
        for container in pods.containers:
            yield pods, container, f"{pods.name}, container {container['name']}"


@rule("selector-labels")
def _selector(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods in manifests.pods:
        selector = pods.owner["spec"].get("selector")
        if pods.owner["kind"] not in JOBS and not (selector and selects(selector, pods.labels)):
            yield f"{pods.name} does not select its own pods"
        twins = [one for one in manifests.pods if one is not pods and selector and selects(selector, one.labels)]
        for twin in twins:
            yield f"{pods.name} selects the pods of {twin.name}"


@rule("one-probe-handler")
def _handlers(manifests: Manifests, _: Facts) -> Iterator[str]:
    for _pods, container, where in _each(manifests):
        for probe in PROBES:
            if (told := container.get(probe)) is not None and len(HANDLERS & told.keys()) != 1:
                yield f"{where}: {probe} needs one handler, and has {sorted(HANDLERS & told.keys())}"


@rule("probe-port")
def _probe_port(manifests: Manifests, _: Facts) -> Iterator[str]:
    for _pods, container, where in _each(manifests):
        ports = container.get("ports", ())
        known = {port.get("name") for port in ports} | {port["containerPort"] for port in ports}
        for probe in PROBES:
            for handler in ("httpGet", "tcpSocket"):
                if (told := container.get(probe, {}).get(handler)) and told["port"] not in known:
                    yield f"{where}: {probe} asks at port {told['port']!r}, which is not there"


@rule("probes")
def _probes(manifests: Manifests, _: Facts) -> Iterator[str]:
    """A process that is started again because its database is away comes back into the same outage."""
    paths = {"startupProbe": "/health/live", "livenessProbe": "/health/live", "readinessProbe": "/health/ready"}
    for pods in manifests.ours:
        for probe, path in paths.items():
            asked = pods.main.get(probe, {}).get("httpGet", {}).get("path")
            if asked != path:
                yield f"{pods.name}: {probe} asks {asked!r} instead of {path!r}"


@rule("volumes")
def _volumes(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods in manifests.pods:
        claims = pods.owner["spec"].get("volumeClaimTemplates", ())
        there = [one["name"] for one in (*pods.spec.get("volumes", ()), *(claim["metadata"] for claim in claims))]
        mounted = [mount for container in pods.containers for mount in container.get("volumeMounts", ())]
        yield from (f"{pods.name}: two volumes {name!r}" for name, count in Counter(there).items() if count > 1)
        for name in sorted({mount["name"] for mount in mounted} - set(there)):
            yield f"{pods.name} mounts {name!r}, which is no volume of it"
        for name in sorted(set(there) - {mount["name"] for mount in mounted}):
            yield f"{pods.name}: nobody mounts the volume {name!r}"
        modes = [
            told.get("defaultMode", 0o644)
            for one in pods.spec.get("volumes", ())
            for told in one.values()
            if told is not one["name"] and told
        ]
        if any(not mode & 0o004 for mode in modes) and "fsGroup" not in pods.spec.get("securityContext", {}):
            yield f"{pods.name} cannot read its own secrets: they are the group's, and there is no fsGroup"
        for container in pods.containers:
            places = Counter(mount["mountPath"] for mount in container.get("volumeMounts", ()))
            yield from (f"{pods.name}: two mounts at {path}" for path, count in places.items() if count > 1)


@rule("resources")
def _resources(manifests: Manifests, _: Facts) -> Iterator[str]:
    for _pods, container, where in _each(manifests):
        told = container.get("resources", {})
        requests, limits = told.get("requests", {}), told.get("limits", {})
        for name, text in (*requests.items(), *limits.items()):
            if quantity(text) is None:
                yield f"{where}: {name} {text!r} is no quantity"
        for name in requests.keys() & limits.keys():
            if (quantity(requests[name]) or 0) > (quantity(limits[name]) or 0):
                yield f"{where} requests more {name} ({requests[name]}) than its limit ({limits[name]})"
        for missing in {"cpu", "memory"} - requests.keys():
            yield f"{where} requests no {missing}"
        if "memory" not in limits:
            yield f"{where} has no limit of memory"


@rule("stop-budget")
def _stop(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods in manifests.pods:
        given = pods.spec.get("terminationGracePeriodSeconds", 30)
        before = pods.main.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        if before >= given:
            yield f"{pods.name}: preStop sleeps {before} s of the {given} s that it has to end"
        if pods in manifests.ours:
            grace = float(manifests.env(pods.main).get("DREAM_STOP_GRACE_SECONDS", "3"))
            if given < before + (needs := _seconds_to_stop(pods.component, grace)):
                yield f"{pods.name} has {given} s to end; preStop takes {before}, the process {needs:.0f}"


def _seconds_to_stop(component: str, grace: float) -> float:
    """From SIGTERM to the end at its longest, as the code adds it up, with a margin."""
    return stop_budget(component.partition("-")[0], grace).seconds + MARGIN_SECONDS


@rule("restricted")
def _restricted(manifests: Manifests, _: Facts) -> Iterator[str]:
    """Pod Security `restricted`: the API server only warns of a Deployment, and refuses its pods."""
    for pods in manifests.pods:
        ours = pods.spec.get("securityContext", {})
        for forbidden in {"hostNetwork", "hostPID", "hostIPC"} & pods.spec.keys():
            yield f"{pods.name} has {forbidden}"
        for volume in pods.spec.get("volumes", ()):
            kinds = {
                "configMap",
                "csi",
                "downwardAPI",
                "emptyDir",
                "ephemeral",
                "persistentVolumeClaim",
                "projected",
                "secret",
            }
            yield from (f"{pods.name}: volume {kind} is not allowed" for kind in volume.keys() - kinds - {"name"})
        for container in pods.containers:
            own = container.get("securityContext", {})
            told = ours | own
            wanted = {
                "runAsNonRoot": told.get("runAsNonRoot") is True,
                "runAsUser": (told.get("runAsUser") or 0) > 0,
                "allowPrivilegeEscalation": own.get("allowPrivilegeEscalation") is False,
                "capabilities": own.get("capabilities") == {"drop": ["ALL"]},
                "seccompProfile": told.get("seccompProfile") in ({"type": "RuntimeDefault"}, {"type": "Localhost"}),
                "privileged": not own.get("privileged"),
                "hostPort": not any(port.get("hostPort") for port in container.get("ports", ())),
            }
            yield from (
                f"{pods.name}, container {container['name']}: {name}" for name, kept in wanted.items() if not kept
            )


@rule("writable")
def _writable(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods, container, where in _each(manifests):
        if container.get("securityContext", {}).get("readOnlyRootFilesystem") is not True:
            yield f"{where}: its root can be written"
        places = {mount["mountPath"]: mount for mount in container.get("volumeMounts", ())}
        if pods.is_ours and ("/tmp" not in places or places["/tmp"].get("readOnly")):  # a volume of its own
            yield f"{where} has no /tmp to write to"
        for volume in pods.spec.get("volumes", ()):
            if "emptyDir" in volume and not (volume["emptyDir"] or {}).get("sizeLimit"):
                yield f"{pods.name}: emptyDir {volume['name']!r} has no sizeLimit"


@rule("scratch")
def _scratch(manifests: Manifests, _: Facts) -> Iterator[str]:
    """A pod is evicted when its folders and logs take more than its limit; copies of artifacts have room in /tmp."""
    copies = Settings.model_fields.get("artifacts_cache_bytes")
    for pods in manifests.pods:
        folders = {one["name"]: one["emptyDir"] or {} for one in pods.spec.get("volumes", ()) if "emptyDir" in one}
        sizes = {name: quantity(one.get("sizeLimit")) or 0 for name, one in folders.items() if "medium" not in one}
        limits = [one.get("resources", {}).get("limits", {}).get("ephemeral-storage") for one in pods.containers]
        if all(limits) and (room := sum(quantity(one) or 0 for one in limits)) < sum(sizes.values()):
            yield f"{pods.name} may write {sum(sizes.values()):.0f} bytes into its folders, and has {room:.0f}"
        told = manifests.env(pods.main).get("DREAM_ARTIFACTS_CACHE_BYTES", copies.default if copies else CACHE_BYTES)
        if pods in manifests.ours and sizes.get("tmp", 0) < int(told) + SPARE_BYTES:
            yield f"{pods.name}: /tmp has no room for {told} bytes of artifacts and the work in hand"


@rule("no-token")
def _token(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods in manifests.pods:
        if pods.spec.get("automountServiceAccountToken") is not False:
            yield f"{pods.name} gets a token of the API server"
        if pods.spec.get("enableServiceLinks") is not False:
            yield f"{pods.name}: Services become variables DREAM_…, which are settings"


@rule("image")
def _image(manifests: Manifests, _: Facts) -> Iterator[str]:
    for _pods, container, where in _each(manifests):
        name, *digest = str(container.get("image", "")).split("@")
        tag = name.rpartition("/")[2].partition(":")[2]
        if not digest and tag in ("", "latest"):
            yield f"{where}: image {name!r} has neither tag nor digest"


@rule("ports")
def _ports(manifests: Manifests, _: Facts) -> Iterator[str]:
    for _pods, container, where in _each(manifests):
        ports = container.get("ports", ())
        for port in ports:
            if not 0 < port["containerPort"] < 65536 or len(port.get("name", "")) > 15:
                yield f"{where}: port {port}"
        names = Counter(port.get("name") for port in ports)
        yield from (f"{where}: two ports {name!r}" for name, count in names.items() if count > 1)


@rule("env-twice")
def _twice(manifests: Manifests, _: Facts) -> Iterator[str]:
    for _pods, container, where in _each(manifests):
        names = Counter(one["name"] for one in container.get("env", ()))
        yield from (f"{where}: {name} twice" for name, count in names.items() if count > 1)


@rule("spread")
def _spread(manifests: Manifests, _: Facts) -> Iterator[str]:
    for pods in manifests.pods:
        constraints = pods.spec.get("topologySpreadConstraints", ())
        if manifests.replicas(pods)[1] > 1 and not constraints:
            yield f"{pods.name} may run all on one node"
        for one in constraints:
            if not selects(one.get("labelSelector"), pods.labels):
                yield f"{pods.name}: a spread constraint does not select its own pods"
        if OURS not in pods.labels:
            yield f"{pods.name} lacks the label {OURS}"
