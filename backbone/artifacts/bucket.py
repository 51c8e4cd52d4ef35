"""A bucket of S3, Google Cloud Storage or Azure, by obstore: the one door to that library, which is imported with the
first bucket. What goes wrong there becomes a sentence of ours. The library's own texts are long, and may hold
addresses with signatures, so they go neither into messages nor into tracebacks."""

import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backbone.artifacts.port import UNTYPED, ArtifactStoreRefused, ArtifactStoreUnavailable, ArtifactUnknown

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PART_BYTES = 8 * 1024 * 1024
"""A larger file goes up in parts of this size, so many at once; memory is their product."""
PARTS_AT_ONCE = 3
CHUNK = 1024 * 1024
RETRIES = 3
RETRY_SECONDS, SILENCE_SECONDS, CONNECT_SECONDS = 10, 20, 5
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")
_NO_CREDENTIALS = ("/latest/api/token", "/latest/meta-data", "computeMetadata", "metadata/identity", "CredentialsError")
_CREDENTIALS = frozenset({
    "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "AuthenticationFailed",
    "TokenRefreshRequired", "RequestTimeTooSkewed",
})  # fmt: skip
SCHEMES: Mapping[str, tuple[str, str]] = {
    "s3": ("S3Store", "AWS_"),
    "gs": ("GCSStore", "GOOGLE_"),
    "az": ("AzureStore", "AZURE_"),
}
"""Scheme of an address -> class of obstore, and how the names of its variables begin."""


class AddressWrong(ValueError):
    """DREAM_ARTIFACTS_URL, or one of the provider's variables, is not what it has to be."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Objects under a prefix. Raises ArtifactStoreUnavailable and ArtifactStoreRefused throughout."""

    name: str
    """Its address for people, without anything secret."""
    store: "ObjectStore" = field(repr=False)

    async def put(self, key: str, data: bytes | Path, media_type: str, *, create: bool = True) -> None:
        """Stores it, unless `create` and there is one already."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, NotSupportedError

        attributes = {"Content-Type": media_type}
        small = (len(data) if isinstance(data, bytes) else os.path.getsize(data)) <= PART_BYTES  # noqa: ASYNC240, PTH202  # a local file, ours
        with self._told("written"):
            try:
                if small and create:
                    await obstore.put_async(self.store, key, data, attributes=attributes, mode="create")
                    return
            except AlreadyExistsError:
                return
            except NotSupportedError:
                pass  # then it is written again: the bytes are the same, the key says so
            await obstore.put_async(
                self.store, key, data, attributes=attributes, chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE
            )

    async def get(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in chunks. Raises ArtifactUnknown before the first one."""
        import obstore

        with self._told("read"):
            found = await obstore.get_async(self.store, key)
        return self._chunks(found)

    async def _chunks(self, found: Any) -> AsyncIterator[bytes]:
        stream = found.stream(min_chunk_size=CHUNK).__aiter__()
        while True:
            with self._told("read"):
                try:
                    chunk = bytes(await anext(stream))
                except StopAsyncIteration:
                    return
            yield chunk

    async def head(self, key: str) -> tuple[int, str]:
        """Size in bytes and media type. Raises ArtifactUnknown."""
        import obstore

        with self._told("read"):
            found = await obstore.get_async(self.store, key, options={"head": True})
            return found.meta["size"], found.attributes.get("Content-Type", UNTYPED)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, FileNotFoundError, TimeoutError) as error:
            raise _said(self.name, what, error) from None


def opened(scheme: str, bucket: str, prefix: str, environment: Mapping[str, str] = os.environ) -> Bucket:
    """The bucket, not asked yet. Raises AddressWrong for variables of the provider that it does not take."""
    import obstore.store
    from obstore.exceptions import BaseError

    kind, variables = SCHEMES[scheme]
    endpoints = [
        value
        for key, value in environment.items()
        if key.startswith(variables) and "ENDPOINT" in key and "STS" not in key
    ]
    client: dict[str, Any] = {
        # the operator wrote it out: a server of one's own without TLS
        "allow_http": any(value.startswith("http://") for value in endpoints),
        "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
        "read_timeout": timedelta(seconds=SILENCE_SECONDS),
        # each part and each read has its own; a large file on a slow line may take its time
        "timeout": timedelta(hours=1),
    }
    if authority := environment.get("AWS_CA_BUNDLE") or environment.get("SSL_CERT_FILE"):
        try:
            client["root_certificate"] = Path(authority).read_bytes()
        except OSError as error:
            raise AddressWrong(f"the certificates of {authority!r} cannot be read: {error.strerror}") from None
    retry: Any = {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)}
    made: Any = getattr(obstore.store, kind)
    try:
        store = made(
            bucket,
            prefix=prefix or None,
            config=_config(made, bucket, variables, environment),
            client_options=client,
            retry_config=retry,
        )
    except (BaseError, ValueError) as error:
        raise AddressWrong(
            f"{scheme}://{bucket} cannot be used: {type(error).__name__} in the {variables}* variables"
        ) from None
    return Bucket(f"{scheme}://{bucket}{f'/{prefix}' if prefix else ''}", store)


def _config(made: Any, bucket: str, variables: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The provider's variables, as far as the library knows them. It reads them itself, but no longer those that
    backbone.sealing has taken out of what it can see."""
    from obstore.exceptions import UnknownConfigurationKeyError

    known: dict[str, str] = {}
    for name, value in environment.items():
        if name.startswith(variables) and value:
            try:
                made(bucket, config={name.lower(): value})
            except UnknownConfigurationKeyError:
                continue
            except Exception:  # noqa: BLE001, S110  # known, and wrong by itself: said when all are together
                pass
            known[name.lower()] = value
    return known


def _said(name: str, what: str, error: Exception) -> Exception:
    """The library's error as one of ours."""
    text = str(error)
    code = _first(_CODE, text)
    kind = type(error).__name__
    if isinstance(error, FileNotFoundError):
        if what == "written" or code in {"NoSuchBucket", "ContainerNotFound"}:
            return ArtifactStoreRefused(f"the artifact store {name} is not there: no such bucket")
        return ArtifactUnknown("no such artifact")
    if kind in {"UnauthenticatedError", "PermissionDeniedError"}:
        why = f" ({code})" if code else ""
        if kind == "UnauthenticatedError" or code in _CREDENTIALS:
            return ArtifactStoreRefused(f"the artifact store {name} refuses our credentials{why}")
        return ArtifactStoreRefused(f"the artifact store {name} may not be {what} with our credentials{why}")
    if any(sign in text for sign in _NO_CREDENTIALS):
        return ArtifactStoreRefused(f"the artifact store {name} cannot be used: we have no credentials for it")
    status = _first(_STATUS, text)
    why = " ".join(part for part in (status, code) if part) or "no answer"
    return ArtifactStoreUnavailable(f"the artifact store {name} cannot be {what}: {why}")


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""
