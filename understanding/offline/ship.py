"""`python -m understanding.offline.ship`: learns what the packs of a plain installation teach, so that nobody's first
start has to; for understanding/data/learned."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from backbone import packs
from understanding.offline.encoder import best_encoder
from understanding.offline.learned import SHIPPED
from understanding.offline.pack import read_packs
from understanding.offline.turn_moves import move_heads
from understanding.offline.understand import SentenceReader


def main() -> None:
    """Takes the place of what was there, if that is out of date."""
    plain = packs.load()
    before = {path.name for path in SHIPPED.glob("*.npz")}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DREAM_CACHE_DIR"] = folder
        _learn(plain)
        made = sorted(Path(folder).glob("learned/*.npz"))
        if not made:
            sys.stdout.write(f"{len(before)} files are those of the packs as they are\n")
            return
        shutil.rmtree(SHIPPED, ignore_errors=True)
        SHIPPED.mkdir()
        _learn(plain)
        for path in sorted(Path(folder).glob("learned/*.npz")):
            shutil.copyfile(path, SHIPPED / path.name)
            sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")


def _learn(plain: packs.Catalogue) -> None:
    encoder = best_encoder()
    SentenceReader(read_packs(plain.packs.values()), encoder)
    move_heads(plain.packs.values(), encoder)


if __name__ == "__main__":
    main()
