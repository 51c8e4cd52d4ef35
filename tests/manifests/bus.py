"""Rules about NATS: where services look for it, how its servers find each other, what they store, who its users are."""

import re
from collections.abc import Iterator

from backbone.settings import Settings
from tests.manifests.facts import Facts
from tests.manifests.objects import Manifests, Pods, quantity
from tests.manifests.rules import rule

BYTES = int(Settings.model_fields["bus_max_bytes"].default)
CLIENT = 4222


def _servers(manifests: Manifests) -> Pods | None:
    return next((pods for pods in manifests.pods if pods.component == "nats"), None)


@rule("bus-address")
def _address(manifests: Manifests, _: Facts) -> Iterator[str]:
    """Where there is a NATS in the overlay, it is the one that is asked."""
    if not _servers(manifests):
        return
    for pods in manifests.pods:
        for container in pods.containers if pods.is_ours else ():
            url = manifests.env(container).get("DREAM_NATS_URL", "")
            host, port = (*url.partition("://")[2].split(":"), "")[:2]
            service = manifests.named("Service", host.partition(".")[0])
            if not service or (port or str(CLIENT)) not in {str(one["port"]) for one in service["spec"]["ports"]}:
                yield f"{pods.name}, container {container['name']}: there is no Service for {url!r}"


@rule("bus-cluster")
def _cluster(manifests: Manifests, _: Facts) -> Iterator[str]:
    """Servers of a cluster have a route to each pod, by names of the headless Service, and as many keep the stream."""
    if not (servers := _servers(manifests)):
        return
    count = manifests.replicas(servers)[0]
    name, service = servers.owner["metadata"]["name"], servers.owner["spec"]["serviceName"]
    pods = {f"{name}-{number}.{service}" for number in range(count)} if count > 1 else set()
    for config in manifests.of("ConfigMap"):
        if text := config.get("data", {}).get("nats.conf"):
            routes = set(re.findall(r"nats-route://([\w.-]+):6222", text))
            if routes != pods:
                yield f"routes lead to {sorted(routes)} instead of {sorted(pods)}"
    if (manifests.named("Service", service) or {"spec": {}})["spec"].get("clusterIP") != "None":
        yield f"Service {service} is not headless: its pods have no names"
    for ours in manifests.ours:
        if (keep := int(manifests.env(ours.main).get("DREAM_BUS_REPLICAS", "1"))) != min(count, 3):
            yield f"{ours.name}: {keep} of {count} servers keep the stream (DREAM_BUS_REPLICAS)"


@rule("bus-store")
def _store(manifests: Manifests, _: Facts) -> Iterator[str]:
    """The stream fits into what NATS may store, and that onto its volume."""
    for config in manifests.of("ConfigMap"):
        text = config.get("data", {}).get("nats.conf", "")
        if not (found := re.search(r"max_file_store: (\d+)([MG])B", text)):
            continue
        room = int(found[1]) * 1024 ** (2 if found[2] == "M" else 3)
        wanted = max(int(manifests.env(pods.main).get("DREAM_BUS_MAX_BYTES", BYTES)) for pods in manifests.ours)
        if wanted > room:
            yield f"the stream may have {wanted} bytes, NATS stores {room}"
        for pods in manifests.pods:
            if pods.component != "nats":
                continue
            sizes = [one["emptyDir"]["sizeLimit"] for one in pods.spec["volumes"] if "emptyDir" in one]
            claims = pods.owner["spec"].get("volumeClaimTemplates", ())
            sizes += [one["spec"]["resources"]["requests"]["storage"] for one in claims]
            if max((quantity(size) or 0 for size in sizes), default=0) <= room:
                yield f"NATS may store {room} bytes, its volume has {sizes}"


@rule("bus-users")
def _users(manifests: Manifests, _: Facts) -> Iterator[str]:
    """Each Deployment is a user of its own, and nobody else is one."""
    wanted = {f"NKEY_{pods.component.replace('-', '_').upper()}" for pods in manifests.pods if pods.is_ours}
    for config in manifests.of("ConfigMap"):
        if "authorization.conf" in (data := config.get("data", {})):
            text = data["authorization.conf"]
            found = set(re.findall(r"\$(NKEY_[A-Z_]+)", text))
            yield from (f"NATS does not know the user {name}" for name in sorted(wanted - found))
            yield from (f"{name} is nobody's user" for name in sorted(found - wanted))
            if re.search(r"\bU[A-Z2-7]{55}\b|password", text):
                yield "authorization.conf has a key or a password of somebody"
            if (
                'include "../nats-users/users.conf"' not in text
                or 'include "authorization.conf"' not in data["nats.conf"]
            ):
                yield "nats.conf does not read authorization.conf, or that not the users' keys"
