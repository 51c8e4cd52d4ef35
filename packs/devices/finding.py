"""Places as a person names them to a tool: those of the table, and those of the operator's settings HOME and WORK."""

import re
from functools import cache

from contracts.errors import Code
from contracts.patterns import bounded
from contracts.tools import ToolContext, ToolError
from packs.devices import phrases
from packs.devices.atlas import places
from packs.devices.atlas.places import Place
from packs.devices.names import listed

SETTINGS = {"home": "HOME", "work": "WORK"}


def meant(said: str) -> str:
    """home, work or here, when the words are for one of them; else nothing."""
    found = (name for name in ("home", "work", "here") if phrases.whole("places", name, said))
    return next(found, "")


def known(said: str) -> Place | None:
    """The place that is called so, perhaps with a word too many (the city of …)."""
    found = places.names().find(said)
    return found or places.names().find(_bare().sub("", said.strip()))


def place_of(said: str, context: ToolContext) -> Place:
    """Raises ToolError, which names the place and those that are called like it."""
    setting = SETTINGS.get(meant(said))
    name = context.config.get(setting, "") if setting else said
    if setting and not name:
        key = "navigation.error.setting"
        raise ToolError(Code.TOOL_FAILED, context.text(key, place=said, setting=setting), place=said, setting=setting)
    if found := known(name):
        return found
    similar = [one.name(context.language) for one in places.names().similar(name)]
    key = "place.error.unknown_similar" if similar else "place.error.unknown"
    message = context.text(key, place=name, similar=listed(similar))
    raise ToolError(Code.TOOL_FAILED, message, place=name, similar=list(similar))


@cache
def _bare() -> re.Pattern[str]:
    return bounded(phrases.shared("places", "bare"))
