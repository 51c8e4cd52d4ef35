"""Who may log in to NATS, and whose certificate is believed: what goes wrong is one sentence, and over when it is."""

import asyncio
import datetime as dt
import gc
import ipaddress
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import nats
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import SecretStr

from backbone import connection as module
from backbone.bus import access, declare, keys
from backbone.bus.administration import Login, administer
from backbone.bus.port import BusUnavailable
from backbone.bus.rights import Rights, rights_of
from backbone.service import Backbone, Service
from backbone.settings import Settings
from backbone.telemetry import metrics
from contracts import subjects
from dream.local.embedded import EmbeddedNats
from tests.conformance.facts import PRODUCER, append, fact, note
from tests.conformance.harness import until

# nats-py leaves what was refused open
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
async def backbone(nats_server: EmbeddedNats, postgres_url: str, tmp_path: Path) -> AsyncIterator[Backbone]:
    """As the gateway of an embedded server has it."""
    backbone = await Backbone.connect(
        Settings(
            nats_url=nats_server.door,
            nats_nkey_file=nats_server.seed("gateway"),
            database_url=SecretStr(postgres_url),
            artifacts_url=tmp_path.as_uri(),
            bus_declare=False,
        )
    )
    await declared(nats_server)
    try:
        yield backbone
    finally:
        await backbone.close()


async def declared(server: EmbeddedNats) -> None:
    """As the admin does it before services come."""
    async with administer(Login(server.url), (), declare.stream_config(1 << 26, 3600)) as admin:
        await admin.declare()


def with_settings(backbone: Backbone, **changed: object) -> Backbone:
    return replace(backbone, settings=backbone.settings.model_copy(update=changed))


@asynccontextmanager
async def started(backbone: Backbone) -> AsyncIterator[Service]:
    service = Service("gateway", backbone, relays=[PRODUCER], hears=(subjects.EVENTS, subjects.LIVE))
    try:
        await service.start()
        yield service
    finally:
        await service.stop()


async def relays(service: Service, nats_server: EmbeddedNats) -> None:
    """What is appended now arrives at somebody who listens."""
    admin = await nats.connect(nats_server.url)
    try:
        heard = await admin.subscribe(subjects.EVENTS)
        await admin.flush()
        session = uuid4()
        await service.backbone.ledger.append(PRODUCER, "test", [append(session, fact(note()))])
        async with asyncio.timeout(20):
            while str(session) not in (await heard.next_msg(timeout=20)).subject:
                pass
    finally:
        await admin.close()


def counted(kind: str) -> float:
    return float(metrics.BUS_VIOLATIONS.labels(kind)._value.get())


async def test_a_key_that_is_changed_works_without_a_restart(backbone: Backbone, nats_server: EmbeddedNats) -> None:
    async with started(backbone) as service:
        await relays(service, nats_server)
        seed = nats_server.seed("gateway")
        before, old = keys.public_key(seed), seed.read_bytes()
        seed.unlink()
        nats_server.reload()
        assert keys.public_key(seed) != before
        await relays(service, nats_server)
        refused = counted("login")
        new = seed.read_bytes()
        seed.write_bytes(old)  # as if the service's file were still the old one
        client = service.broker.config.connection_state.connection
        await client.force_reconnect()
        await until(lambda: any("(login)" in one for one in service.problems()))
        assert counted("login") > refused
        seed.write_bytes(new)
        await until(lambda: service.access.problems() == [], 20)
        await relays(service, nats_server)


async def test_a_user_who_is_taken_away_is_named_until_he_is_back(
    backbone: Backbone, nats_server: EmbeddedNats
) -> None:
    async with started(backbone) as service:
        seed = nats_server.seed("gateway")
        kept = seed.read_bytes()
        keys_of_nobody: Mapping[str, Rights] = {"nobody": Rights((), ())}
        nats_server.reload(keys_of_nobody)
        await until(lambda: any("does not let user 'gateway' in (login)" in one for one in service.problems()), 20)
        assert seed.read_bytes() == kept
        nats_server.reload()
        await until(lambda: service.problems() == [], 20)
        await relays(service, nats_server)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "the nkey seed cannot be read"),
        (b"SUANOTASEED", "holds no nkey seed of a user"),
        (b"", "holds no nkey seed of a user"),
        ("stranger", "Authorization Violation"),
    ],
)
async def test_a_seed_that_is_missing_broken_or_a_strangers_is_one_sentence(
    content: bytes | str | None, said: str, backbone: Backbone, tmp_path: Path
) -> None:
    seed = tmp_path / "keys" / "one.seed"
    if content == "stranger":
        keys.make(seed)
    elif isinstance(content, bytes):
        seed.parent.mkdir()
        seed.write_bytes(content)
    with pytest.raises(BusUnavailable, match=said):
        async with started(with_settings(backbone, nats_nkey_file=seed)):
            pass


async def test_a_service_that_lacks_a_right_at_its_start_says_so_and_goes_on_when_it_is_there(
    backbone: Backbone, nats_server: EmbeddedNats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "RETRY_SECONDS", 0.05)
    for gone in ("_INBOX_gateway.>", "wake.gateway"):
        own = Service("gateway", backbone, relays=[PRODUCER], hears=(subjects.EVENTS, subjects.LIVE))
        whole = rights_of(own.station)
        left = replace(whole, subscribe=tuple(one for one in whole.subscribe if one != gone))
        nats_server.reload({"gateway": left})
        async with started(backbone) as service:
            sentence = f"NATS does not let user 'gateway' subscribe to {gone!r}"
            await until(lambda: sentence in service.problems())  # noqa: B023  # it is waited for here
            nats_server.reload()
            await until(lambda: service.problems() == [], 20)  # it is waited for here
            await relays(service, nats_server)


@dataclass(slots=True)
class TlsNats(EmbeddedNats):
    """With a certificate."""

    certificate: Path = Path()

    def _configured(self, rights: Mapping[str, Rights] | None = None) -> Path:
        file = EmbeddedNats._configured(self, rights)
        key = self.certificate.with_suffix(".key")
        file.write_text(f'{file.read_text()}tls {{ cert_file: "{self.certificate}", key_file: "{key}" }}\n')
        return file


def certified(folder: Path, name: str, days: int) -> Path:
    """A certificate for this machine that vouches for itself and ends in so many days."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = dt.datetime.now(dt.UTC)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=30)).not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    file = folder / f"{name}.pem"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.with_suffix(".key").write_bytes(private)
    return file


@pytest.fixture
def tls_server(tmp_path: Path) -> AsyncIterator[Callable[[Path], TlsNats]]:  # type: ignore[misc]
    made: list[TlsNats] = []

    def start(certificate: Path) -> TlsNats:
        server = TlsNats(tmp_path / certificate.stem, certificate=certificate)
        made.append(server)
        server.start()
        return server

    yield start
    for server in made:
        server.stop()


# nats-py leaves the socket of a connect that was broken off to the garbage collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_certificate_is_believed_when_somebody_vouches_for_it_and_it_has_not_ended(
    backbone: Backbone, tls_server: Callable[[Path], TlsNats], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 2.0)
    good, ended = certified(tmp_path, "good", 1), certified(tmp_path, "ended", -1)

    def at(server: TlsNats, trusted: Path) -> Backbone:
        door = server.door.replace("nats://", "tls://")
        return with_settings(backbone, nats_url=door, nats_nkey_file=server.seed("gateway"), nats_ca_file=trusted)

    server, expired = tls_server(good), tls_server(ended)
    client = await nats.connect(server.url.replace("nats://", "tls://"), tls=keys.trusting(good))
    await declare.stream(client.jetstream(), declare.stream_config(1 << 26, 3600), may_create=True)
    await client.close()
    async with started(at(server, good)) as service:
        assert service.access.problems() == []
    before = counted("certificate")
    for where, trusted, why in ((server, ended, "self-signed certificate"), (expired, ended, "has expired")):
        with pytest.raises(BusUnavailable, match=rf"no NATS at tls://.*\(certificate\): .*{why}"):
            async with started(at(where, trusted)):
                pass
    assert counted("certificate") > before
    gc.collect()
