"""What was learned from examples, kept between starts: learning takes half a minute of processor time, reading it
back a tenth of a second. The key is all that it was learned from, so nothing is ever out of date; what cannot be read
is learned again, and where nothing can be written it is learned at each start. What the packs of a plain installation
teach comes with the product (`make learned`)."""

import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

Arrays = Mapping[str, NDArray[Any]]
LEARNED = ".npz"
MOST = 120
"""Files that are kept of an ending, half a megabyte at most: each set of packs has some eight, and who writes a pack
learns anew with every example."""

MOST_VECTORS = 20_000
"""Of sentences, 40 MB; the packs that come with the product teach with half as many."""
SHIPPED = Path(__file__).parents[1] / "data" / "learned"


def key_of(parts: Iterable[bytes]) -> str:
    """A hash of the parts, each with its length, so that no two lists of parts are alike."""
    digest = sha256(np.__version__.encode())
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def kept(key: str, learn: Callable[[], Arrays], ending: str = LEARNED) -> Arrays:
    """What `learn` gives, or gave under this key before. Of several processes that ask at once only one learns. Under
    another `ending` it is not shipped."""
    name = f"{key}{ending}"
    path = folder() / name
    if (found := read_arrays(SHIPPED / name) or read_arrays(path)) is not None:
        return found
    with _alone(path):
        if (found := read_arrays(path, quietly=True)) is not None:
            return found
        made = learn()
        with suppress(OSError):  # a read-only disk, a full one, a home that is not there
            write_arrays(path, made)
    return made


def kept_vectors(
    name: str, texts: Sequence[str], encode: Callable[[Sequence[str]], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Vectors of texts by the encoder of that name: those that it has made for somebody who learned before, and the
    rest anew. Most sentences are those of the packs that come with the product, whoever else teaches something; to be
    called by who learns, since of those there is one at a time."""
    path = folder() / f"{name}.vectors"
    keys = [sha256(text.encode("utf-8", "surrogatepass")).digest()[:16] for text in texts]
    before = read_arrays(path) or {}
    known = dict(zip((bytes(one) for one in before.get("keys", ())), before.get("vectors", ()), strict=True))
    new = [at for at, key in enumerate(keys) if key not in known]
    if new:
        known |= zip([keys[at] for at in new], encode([texts[at] for at in new]), strict=True)
        newest = list(known)[-MOST_VECTORS:]
        with suppress(OSError):
            rows = np.frombuffer(b"".join(newest), dtype=np.uint8).reshape(-1, 16)
            write_arrays(path, {"keys": rows, "vectors": np.stack([known[key] for key in newest])})
    return np.stack([known[key] for key in keys])


def read_arrays(path: Path, *, quietly: bool = False) -> Arrays | None:
    """None for a file that is not there or cannot be read, which is logged."""
    try:
        # without pickles: a file holds numbers, and no code that would run
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, EOFError, BadZipFile) as error:
        if not quietly:
            log.warning(
                "what was learned cannot be read, so it is learned again",
                extra={"file": str(path), "error": repr(error)},
            )
        return None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While others that want the same file wait; where no file can be, nobody waits."""
    with ExitStack() as exits:
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = exits.enter_context((path.parent / "lock").open("w"))
            flock(lock, LOCK_EX)
        yield


def folder() -> Path:
    """`DREAM_CACHE_DIR`, or that of the person who runs this, as the XDG base directories say."""
    if chosen := os.environ.get("DREAM_CACHE_DIR"):
        return Path(chosen) / "learned"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111  # Path raises without a home
    return Path(home) / "dream-agent" / "learned"


def write_arrays(path: Path, made: Arrays) -> None:
    """Whole or not at all. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        try:
            np.savez(file, allow_pickle=False, **made)
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    for old in sorted(path.parent.glob(f"*{path.suffix}"), key=lambda one: one.stat().st_mtime)[:-MOST]:
        old.unlink(missing_ok=True)


def sample(texts: Iterable[str], most: int) -> list[str]:
    """At most so many of them, the same ones whatever others come and go: a sentence that a pack adds takes the place
    of one at most, so that what is learned of all hardly moves."""
    return sorted(texts, key=lambda text: sha256(text.encode("utf-8", "surrogatepass")).digest())[:most]
