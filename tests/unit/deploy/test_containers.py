"""Dockerfile, compose file and their secrets say what the code, and the manifests, say."""

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from backbone.ledger.rights import LOGINS, PACKED
from backbone.settings import Settings, variable
from deploy.containers import compose_secrets
from deploy.containers.images import IDS, OURS, SERVICES
from understanding.kit.data import read_data

ROOT = Path(__file__).parents[3]
DOCKERFILE = (ROOT / "deploy/docker/Dockerfile").read_text("utf-8")
COMPOSE: dict[str, Any] = read_data(ROOT / "deploy/compose.yaml")
PARTS: dict[str, Any] = COMPOSE["services"]
OBSERVERS = {name for name, part in PARTS.items() if part.get("profiles") == ["observe"]}


def targets() -> dict[str, str]:
    """Name of a target -> its part of the Dockerfile."""
    found = re.split(r"^FROM \S+ AS (\S+)$", DOCKERFILE, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def test_there_is_an_image_for_each_service_and_the_administrator() -> None:
    assert {name for name in targets() if name.startswith("dream-")} == set(SERVICES)
    used = set(
        re.findall(r"image: (dream-\w+)", "".join(p.read_text() for p in (ROOT / "deploy/k8s/base").glob("*.yaml")))
    )
    assert used == set(SERVICES)


def test_each_image_has_its_extra_and_only_extras_that_there_are() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for service in OURS:
        told = re.findall(r'"packages\.sh", (?:"--ours", )?(.*)\]', targets()[f"build-{service}"])
        before, ours = (re.findall(r'"([a-z]+)"', one) for one in told)
        assert before == ours, "the second call would take packages away"
        assert ours[0] == service and set(ours) <= set(extras)
        assert not set(ours[1:]) & set(OURS), f"{service} has another's packages"


def test_the_dockerfile_needs_no_builder_of_today_and_no_shell_at_run_time() -> None:
    instructions = [line for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]
    assert not re.search(r"^#\s*syntax=|^RUN .*--mount|<<", DOCKERFILE, re.MULTILINE)
    commands = [line for line in instructions if re.match(r"(RUN|CMD|HEALTHCHECK)\b", line)]
    assert commands
    assert all(re.search(r"(RUN|CMD) \[", line) for line in commands)
    assert "ENTRYPOINT" not in DOCKERFILE, "manifests and compose name the whole command"
    assert DOCKERFILE.count("USER 65532:65532") == 1


@pytest.mark.parametrize("name", sorted(set(PARTS)))
def test_every_container_is_confined(name) -> None:
    part = PARTS[name]
    assert part["read_only"] and part["cap_drop"] == ["ALL"] and "cap_add" not in part
    assert part["security_opt"] == ["no-new-privileges:true"] and "privileged" not in part
    assert not part["user"].startswith(("0", "root"))
    assert part["user"] == IDS.get(name, part["user"])
    assert all(port.startswith("127.0.0.1:") for port in part.get("ports", ()))
    assert re.search(r"\$\{\w+:-[^}]+:[^}]+\}$|\$\{DREAM_TAG:-dev\}$", part["image"]), "another image can be named"
    assert "latest" not in part["image"]


def test_services_wait_for_the_administrator_and_he_for_the_servers() -> None:
    done = {"condition": "service_completed_successfully"}
    assert all(PARTS[name]["depends_on"] == {"migrate": done, "declare": done} for name in OURS)
    assert PARTS["migrate"]["command"] == ["dream", "admin", "migrate"]
    assert PARTS["declare"]["command"] == ["dream", "admin", "bus", "declare"]
    assert PARTS["keeper"]["depends_on"] == {"declare": done}, "who makes room in a stream that is full"
    assert {*PARTS["migrate"]["depends_on"], *PARTS["declare"]["depends_on"]} == {"postgres", "nats"}


def test_every_variable_is_a_setting_and_no_secret_is_a_value() -> None:
    known = {variable(name) for name in Settings.model_fields}
    for name in (*OURS, "migrate", "declare", "keeper"):
        told = PARTS[name]["environment"]
        assert {key.removesuffix("_FILE") if key not in known else key for key in told} <= known
        assert told["DREAM_BUS_DECLARE"] == "false" and told["DREAM_NATS_URL"].startswith("tls://")
        assert not [value for value in told.values() if value and "@" in value]
    assert not [name for name in OURS if "owner_url" in str(PARTS[name]["secrets"])], "services do not own the ledger"


def test_each_service_has_its_own_key_and_nobody_elses() -> None:
    for name in OURS:
        mounted = [one for one in PARTS[name]["secrets"] if isinstance(one, dict)]
        keys = [one["source"] for one in mounted if one["target"] == "nats_nkey"]
        assert keys == [f"nkey_{name}"]


def test_each_service_has_its_own_login_and_two_of_them_let_packs_in() -> None:
    for name in OURS:
        mounted = PARTS[name]["secrets"]
        assert [one["source"] for one in mounted if isinstance(one, dict) and one["target"] == "database_url"] == [
            f"database_{name}"
        ]
        assert ("packs_secret" in mounted) == (name in PACKED)
        assert ("DREAM_DATABASE_PACKS_SECRET_FILE" in PARTS[name]["environment"]) == (name in PACKED)
    told, mounted = PARTS["migrate"]["environment"], PARTS["migrate"]["secrets"]
    given = {one["target"]: one["source"] for one in mounted if isinstance(one, dict)}
    assert told["DREAM_DATABASE_LOGINS"] == "/run/secrets/logins"
    assert {target: source for target, source in given.items() if target.startswith("logins/")} == {
        f"logins/{service}": f"database_{service}" for service in OURS
    }
    assert given["database_url"] == "database_admin" and "packs_secret" in mounted


def test_the_core_runs_without_those_who_look_at_it() -> None:
    assert {"otel-collector", "tempo", "prometheus", "grafana"} == OBSERVERS
    assert not [name for name in set(PARTS) - OBSERVERS if OBSERVERS & set(PARTS[name].get("depends_on", ()))]


def test_every_file_that_compose_mounts_is_there() -> None:
    for config in COMPOSE["configs"].values():
        assert (ROOT / "deploy" / config["file"]).is_file()
    named = {Path(one["file"].rpartition("}/")[2]).name for one in COMPOSE["secrets"].values()}
    assert named > {f"{server}.{end}" for server in compose_secrets.SERVERS for end in ("crt", "key")}


def test_prometheus_scrapes_each_service_where_it_answers() -> None:
    jobs = read_data(ROOT / "deploy/compose/prometheus.yaml")["scrape_configs"]
    targets = {target for job in jobs for one in job["static_configs"] for target in one["targets"]}
    assert {target.split(":")[0] for target in targets} >= set(OURS)
    assert {port for target in targets if (port := target.split(":")[1]) and target.split(":")[0] in OURS} == {
        "8080",
        "8765",
    }
    assert "DREAM_HEALTH_PORT=8080" in DOCKERFILE


def test_secrets_are_made_once_in_a_folder_for_its_owner(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(compose_secrets, "_users", lambda folder: None)  # starts an interpreter
    folder = tmp_path / "made"
    compose_secrets.make(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    compose_secrets.make(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    authority = x509.load_pem_x509_certificate(before["ca.crt"])
    for server in compose_secrets.SERVERS:
        made = x509.load_pem_x509_certificate(before[f"{server}.crt"])
        made.verify_directly_issued_by(authority)
        names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert server in names.get_values_for_type(x509.DNSName)
    assert before["owner_password"] in before["owner_url"]
    urls = {name: text for name, text in before.items() if name.startswith("database_")}
    assert urls.keys() == {f"database_{service}" for service in LOGINS}
    secrets = [text.partition(b"@")[0].rpartition(b":")[2] for text in urls.values()]
    assert len({before["owner_password"], before["packs_secret"], *secrets}) == len(urls) + 2


def test_a_certificate_that_was_deleted_is_made_by_the_same_authority(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(compose_secrets, "_users", lambda folder: None)
    compose_secrets.make(tmp_path)
    authority, old = (tmp_path / "ca.crt").read_bytes(), (tmp_path / "nats.crt").read_bytes()
    (tmp_path / "nats.crt").unlink()
    compose_secrets.make(tmp_path)
    assert (tmp_path / "ca.crt").read_bytes() == authority
    assert (tmp_path / "nats.crt").read_bytes() != old
