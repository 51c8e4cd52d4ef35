"""The artifact store at DREAM_ARTIFACTS_URL: the one place that knows which addresses there are."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from backbone.artifacts.bucket import SCHEMES, AddressWrong, opened
from backbone.artifacts.cache import FileCache
from backbone.artifacts.local import LocalArtifacts
from backbone.artifacts.objects import ObjectArtifacts
from backbone.artifacts.port import ArtifactStore

CACHE_BYTES = 2 * 1024**3


def artifacts_at(
    url: str, cache_bytes: int = CACHE_BYTES, environment: Mapping[str, str] = os.environ
) -> ArtifactStore:
    """The store at file://<folder>, s3://<bucket>/<prefix>, gs://… or az://<container>/<prefix>; nothing is asked of a
    bucket yet. Raises AddressWrong, with a sentence that repeats no password."""
    if (folder := folder_of(url)) is not None:
        return LocalArtifacts(folder)
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in ("file", *SCHEMES))
        raise AddressWrong(f"DREAM_ARTIFACTS_URL begins with {parts.scheme!r}: it has to be one of {known}")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise AddressWrong(
            f"DREAM_ARTIFACTS_URL is {parts.scheme}://<bucket>/<prefix> and nothing else: who we are is told by "
            f"variables of the provider ({SCHEMES[parts.scheme][1]}*)"
        )
    if not parts.netloc:
        raise AddressWrong(f"DREAM_ARTIFACTS_URL names no bucket: {parts.scheme}://<bucket>/<prefix>")
    prefix = unquote(parts.path).strip("/")
    bucket = opened(parts.scheme, parts.netloc, prefix, environment)
    # one for each bucket: what another has is unknown in this one
    name = hashlib.sha256(bucket.name.encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"dream-artifacts-{os.getuid()}-{name}"
    return ObjectArtifacts(bucket, FileCache(folder, cache_bytes))


def folder_of(url: str) -> Path | None:
    """The folder of file://; None for what is elsewhere."""
    parts = urlsplit(url)
    return Path(unquote(parts.netloc + parts.path)) if parts.scheme == "file" else None
