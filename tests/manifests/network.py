"""Who may speak to whom: what the NetworkPolicies allow is what the code does, no edge less and none more."""

from collections.abc import Iterable, Iterator
from typing import Any

from tests.manifests.facts import Facts
from tests.manifests.objects import Manifests, Object, Pods, selects
from tests.manifests.rules import rule

Edge = tuple[str, str, str, str]
"""Direction, image or kind of whose it is, peer, port."""
LAYERS = ("dream-cognitive", "dream-execution", "dream-planning", "dream-response")
SERVICES = (*LAYERS, "dream-gateway")
CLIENTS = (*SERVICES, "dream-admin")
OUTSIDE = "the internet"
WEB = ("execution-data", "execution-devices", "execution-google")
"""Components whose tools read the web."""
INSTANCES = "cnpg"
DNS = ("53", "53/UDP")


@rule("default-deny")
def _default(manifests: Manifests, _: Facts) -> Iterator[str]:
    for one in manifests.of("NetworkPolicy"):
        spec = one["spec"]
        if spec == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}:
            return
    yield "no policy denies all that no other allows"


@rule("edges")
def _edges(manifests: Manifests, _: Facts) -> Iterator[str]:
    allowed, wanted = set(_allowed(manifests)), set(_wanted(manifests))
    yield from (
        f"{who}: {way} {peer}, port {port}, is not allowed" for way, who, peer, port in sorted(wanted - allowed)
    )
    yield from (
        f"{who}: {way} {peer}, port {port}, is allowed to no end" for way, who, peer, port in sorted(allowed - wanted)
    )


def _wanted(manifests: Manifests) -> Iterator[Edge]:
    """What the code does in this overlay, from what is deployed and how it is set."""
    components = {pods.component: pods for pods in manifests.pods}
    bus, ledger = "dream-nats", INSTANCES if list(manifests.of("Cluster")) else "dream-postgres"
    for component, pods in components.items():
        name = pods.labels["app.kubernetes.io/name"]
        yield from (("to", component, "dns", port) for port in DNS)
        if name not in CLIENTS:
            continue
        env = manifests.env(pods.main)
        yield "to", component, bus, "4222"
        yield "from", "nats", name, "4222"
        yield "to", component, ledger, "5432"
        yield "from", ledger.removeprefix("dream-"), name, "5432"
        if "DREAM_OTLP_ENDPOINT" in env and name in SERVICES:
            yield "to", component, "monitoring", _port(env["DREAM_OTLP_ENDPOINT"])
        if name in LAYERS and "DREAM_MODEL" in env:
            yield "to", component, OUTSIDE, "443"
        if not env.get("DREAM_ARTIFACTS_URL", "file:").startswith("file:"):
            yield "to", component, OUTSIDE, "443"
        if component in WEB:
            yield from (("to", component, OUTSIDE, port) for port in ("80", "443"))
        if list(manifests.of("PodMonitor")) and name in SERVICES:
            yield "from", component, "monitoring", env["DREAM_PORT" if component == "gateway" else "DREAM_HEALTH_PORT"]
    yield "from", "gateway", "gateway-system", manifests.env(components["gateway"].main)["DREAM_PORT"]
    if list(manifests.of("ScaledObject")):
        yield "from", "nats", "keda", "8222"
    if manifests.replicas(components["nats"])[1] > 1:
        yield from (("from", "nats", bus, "6222"), ("to", "nats", bus, "6222"))
    if ledger == INSTANCES:
        for port in ("5432", "8000"):
            yield "from", ledger, "cnpg-system", port
            yield from ((way, ledger, ledger, port) for way in ("from", "to"))
        yield from (("to", ledger, "dns", port) for port in DNS)
        yield from (("to", ledger, "anybody", port) for port in ("443", "6443"))


def _port(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].rpartition(":")[2]


def _allowed(manifests: Manifests) -> Iterator[Edge]:
    for policy in manifests.of("NetworkPolicy"):
        spec = policy["spec"]
        for who, pods in _selected(manifests, spec["podSelector"]):
            for way, key, peers in (("to", "Egress", "to"), ("from", "Ingress", "from")):
                # rules of a type that the policy does not name are not looked at
                for one in spec.get(key.lower(), ()) if key in spec["policyTypes"] else ():
                    for peer in _peers(manifests, one.get(peers)):
                        for port in one.get("ports", [{"port": "any"}]):
                            # named ports of a rule out are those of the peer, and not known here
                            number = _number(pods, port["port"]) if way == "from" else str(port["port"])
                            yield way, who, peer, number + ("/UDP" if port.get("protocol") == "UDP" else "")


def _selected(manifests: Manifests, selector: Object) -> Iterator[tuple[str, Pods | None]]:
    for pods in manifests.pods:
        if selects(selector, pods.labels):
            yield pods.component, pods
    if list(manifests.of("Cluster")) and selects(selector, {"cnpg.io/cluster": "dream-postgres"}):
        yield INSTANCES, None


def _number(pods: Pods | None, port: Any) -> str:
    ports = pods.main.get("ports", ()) if pods else ()
    return str(next((one["containerPort"] for one in ports if one.get("name") == port), port))


def _peers(manifests: Manifests, told: Iterable[Any] | None) -> Iterator[str]:
    if told is None:
        yield "anybody"
    for peer in told or ():
        if block := peer.get("ipBlock"):
            yield (
                "dns"
                if block["cidr"].startswith("169.254.20.10/")
                else OUTSIDE
                if block.get("except")
                else block["cidr"]
            )
            continue
        space = peer.get("namespaceSelector")
        if space is not None:
            name = space.get("matchLabels", {}).get("kubernetes.io/metadata.name", "anybody")
            yield "dns" if name == "kube-system" and peer.get("podSelector") else name
            continue
        found = {
            pods.labels["app.kubernetes.io/name"]
            for pods in manifests.pods
            if selects(peer["podSelector"], pods.labels)
        }
        if list(manifests.of("Cluster")) and selects(peer["podSelector"], {"cnpg.io/cluster": "dream-postgres"}):
            found.add(INSTANCES)
        yield from sorted(found) or ["nobody"]
