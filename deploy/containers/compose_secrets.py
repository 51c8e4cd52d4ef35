"""`make compose-secrets`: certificates, passwords and nkeys for deploy/compose.yaml, in a folder for its owner alone.

What is there stays, what is missing is made: delete a file to have another. Files may be read by whoever gets into the
folder: on this machine its owner, in a container the user that one is mounted for, whatever its number."""

import os
import secrets
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from backbone.ledger.logins import role_of_service
from backbone.ledger.rights import LOGINS
from deploy.containers.dockerd import ROOT

FOLDER = ROOT / "deploy/compose/secrets"
SERVERS = ("nats", "postgres")
OWNER = "dream"
CA_DAYS, DAYS = 3650, 825
IN_CONTAINER = "/run/secrets"


def make(folder: Path = FOLDER) -> None:
    """Makes what is missing, and the users' rights anew: those follow from the code."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    _certificates(folder)
    _databases(folder)
    _once(folder / "grafana_password", secrets.token_urlsafe(24))
    _users(folder)


def _once(file: Path, text: str) -> str:
    if not file.exists():
        _write(file, text.encode())
    return file.read_text("ascii")


def _write(file: Path, data: bytes, mode: int = 0o444) -> None:
    unfinished = file.with_name(file.name + ".new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(data)
    unfinished.chmod(mode)
    unfinished.replace(file)


def _databases(folder: Path) -> None:
    ending = f"@postgres:5432/dream?sslmode=verify-full&sslrootcert={IN_CONTAINER}/ca.crt"
    owner = _once(folder / "owner_password", secrets.token_urlsafe(24))
    _write(folder / "owner_url", f"postgresql://{OWNER}:{owner}{ending}".encode())
    for service in LOGINS:
        url = f"postgresql://{role_of_service(service)}:{secrets.token_hex(32)}{ending}"
        _once(folder / f"database_{service}", url)
    _once(folder / "packs_secret", secrets.token_hex(32))


def _users(folder: Path) -> None:
    """A key for each user of the bus, and what each may say and hear there."""
    keys = folder / "nkeys"
    keys.mkdir(mode=0o700, exist_ok=True)
    dream = str(Path(sys.executable).parent / "dream")
    command = [dream, "admin", "bus", "rights", "--format", "conf", "--keys", str(keys)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DREAM_")}
    told = subprocess.run(command, capture_output=True, env=environment, cwd=folder, check=False)
    if told.returncode:
        sys.exit(f"the rights on the bus cannot be told: {told.stderr.decode().strip()}")
    _write(folder / "authorization.conf", told.stdout)
    for seed in keys.glob("*.seed"):
        seed.chmod(0o444)


def _certificates(folder: Path) -> None:
    missing = [name for name in SERVERS if not (folder / f"{name}.crt").exists()]
    key_file, file = folder / "ca.key", folder / "ca.crt"
    if not (key_file.exists() and file.exists()):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Dream Agent, this installation")])
        usage = x509.KeyUsage(
            digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
            key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
        )  # fmt: skip
        made = (
            _begun(name, name, key, CA_DAYS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        _write(key_file, _pem(key), 0o400)
        _write(file, made.public_bytes(serialization.Encoding.PEM))
        missing = list(SERVERS)
    if not missing:
        return
    authority = x509.load_pem_x509_certificate(file.read_bytes())
    signing = serialization.load_pem_private_key(key_file.read_bytes(), None)
    assert isinstance(signing, ec.EllipticCurvePrivateKey)
    for server in missing:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, server)])
        known_as = x509.SubjectAlternativeName([x509.DNSName(server), x509.DNSName("localhost")])
        made = (
            _begun(name, authority.subject, key, DAYS)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(known_as, critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False)
            .sign(signing, hashes.SHA256())
        )
        _write(folder / f"{server}.key", _pem(key))
        _write(folder / f"{server}.crt", made.public_bytes(serialization.Encoding.PEM))


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=days))
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
