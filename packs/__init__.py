"""The packs that come with the product, and those of the folders that DREAM_PACK_PATH names and of ./packs here: a pack
<name> in any of them is the module packs.<name>."""

import os
from pathlib import Path


def _folders() -> list[str]:
    """Where packs may lie, absolute, each once, ours first: what is built in cannot be replaced by a folder."""
    told = [Path(one) for one in os.environ.get("DREAM_PACK_PATH", "").split(os.pathsep) if one]
    found = [str(folder.resolve()) for folder in (Path(__file__).parent, *told, Path("packs")) if folder.is_dir()]
    return list(dict.fromkeys(found))


__path__ = _folders()
