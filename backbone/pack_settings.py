"""Settings of packs: variables of the environment that a pack's code is given, and nobody else's."""

from collections.abc import Collection, Mapping

PREFIX = "DREAM_PACK_"


def settings_of(pack: str, packs: Collection[str], environment: Mapping[str, str]) -> dict[str, str]:
    """DREAM_PACK_<PACK>_<NAME> by <NAME>. `packs` are all that are loaded: the name of one may begin with another's."""
    prefix = _prefix(pack)
    longer = tuple(one for one in map(_prefix, packs) if one != prefix and one.startswith(prefix))
    return {
        name.removeprefix(prefix): value
        for name, value in environment.items()
        if name.startswith(prefix) and not name.startswith(longer)
    }


def _prefix(pack: str) -> str:
    return f"{PREFIX}{pack.upper()}_"
