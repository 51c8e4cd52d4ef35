"""`make k8s-secrets`: the Secrets of an installation as manifests on standard output, each value made anew.

For a cluster without a secret store, and for whoever fills one. Run it with the Python of deploy/requirements.txt.
Nothing is written to a file: pipe it into `kubectl apply -f -`. Each run makes other values: apply all or none."""

import argparse
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

LAYERS = Path(__file__).parent / "k8s/base"
SERVICES = ("gateway", "cognitive", "planning", "response", "execution")
ADMIN = "admin"
OWNER = "dream"
CNPG_CA = "/run/secrets/postgres-ca/ca.crt"
"""Where the component cnpg mounts it."""


def users() -> list[str]:
    """The Deployments' names on the bus, and the administrator's."""
    found = [
        one["metadata"]["labels"]["app.kubernetes.io/component"]
        for name in ("gateway.yaml", "layers.yaml", "executors.yaml")
        for one in yaml.safe_load_all((LAYERS / name).read_text("utf-8"))
        if one["kind"] == "Deployment"
    ]
    return [ADMIN, *found]


def secret(name: str, values: Mapping[str, str], namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
        "stringData": dict(values),
    }


def keys(namespace: str) -> list[dict[str, Any]]:
    """A seed for each user of the bus, and the public keys of all for NATS."""
    import nkeys  # of deploy/requirements.txt

    made, public = [], []
    for user in users():
        seed = nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER)
        made.append(secret(f"dream-nats-{user}", {"seed": seed.decode()}, namespace))
        variable = f"NKEY_{user.replace('-', '_').upper()}"
        public.append(f"{variable}: {nkeys.from_seed(bytearray(seed)).public_key.decode()}\n")
    return [*made, secret("dream-nats-users", {"users.conf": "".join(public)}, namespace)]


def databases(host: str, owner: str, ending: str, namespace: str) -> list[dict[str, Any]]:
    """A login for each service, and what packs' passwords follow from; that of the administrator, and the owner's for
    him, where it is not made elsewhere."""

    def url(role: str, password: str) -> str:
        return f"postgresql://{role}:{password}@{host}:5432/dream{ending}"

    # 256 bits in hexadecimal digits: such passwords are hashed once
    logins = {name: {"url": url(f"dream_{name}", secrets.token_hex(32))} for name in (*SERVICES, ADMIN)}
    if owner:
        logins[ADMIN]["owner_url"] = url(OWNER, quote(owner, safe=""))
    packs = secret("dream-database-packs", {"secret": secrets.token_hex(32)}, namespace)
    return [packs, *(secret(f"dream-database-{name}", login, namespace) for name, login in logins.items())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--namespace", default="dream")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--cnpg", action="store_true", help="Postgres is CloudNativePG's, which makes the owner's login")
    which.add_argument("--postgres", metavar="HOST", help="Postgres is elsewhere; owner's password by stdin")
    told = parser.parse_args()
    if told.cnpg:
        made = databases("dream-postgres-rw", "", f"?sslmode=verify-full&sslrootcert={CNPG_CA}", told.namespace)
    elif told.postgres:
        made = databases(told.postgres, sys.stdin.readline().strip(), "?sslmode=require", told.namespace)
    else:
        owner = secrets.token_urlsafe(24)
        made = databases("dream-postgres", owner, "", told.namespace)
        made.append(secret("dream-postgres", {"password": owner}, told.namespace))
    yaml.safe_dump_all(made + keys(told.namespace), sys.stdout, sort_keys=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
