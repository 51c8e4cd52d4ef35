"""Reads that each of two people of one name is meant ("both Minsus", "둘 다")."""

import re
from collections.abc import Sequence

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.transfer.correcting import LONGEST_CHOICE, NAME
from packs.transfer.names import AMONG
from packs.transfer.wording import Words

FIRST_TWO = ("1", "2")


def both_asked_about(clause: Clause, language: Words) -> Sequence[JsonObject]:
    """The answer to "which one of them?" that both are meant: the open task for each. Empty for any other turn."""
    name = str(clause.refused.get("target", "")).partition(AMONG)[0]
    said = clause.text.strip(" .,!~。、！")
    if not name or len(said) > LONGEST_CHOICE or not language.both_alone.fullmatch(said):
        return ()
    return _each([{**clause.slots, "target": name}], name)


def both_named(tasks: Sequence[JsonObject], text: str, clause: Clause, language: Words) -> Sequence[JsonObject]:
    """The tasks, with one for each of two where a known name stands with a word for that."""
    named = {str(one.get("target", "")).casefold() for one in tasks}
    for name in sorted(clause.known.get("target", ()), key=len, reverse=True) if len(named) == 1 else ():
        said = re.sub(re.escape(name), lambda found: NAME * len(found[0]), text, flags=re.IGNORECASE)
        if language.both.search(said):
            return _each(tasks[:1], name) if name.casefold() in named.pop() else tasks
    return tasks


def _each(tasks: Sequence[JsonObject], name: str) -> Sequence[JsonObject]:
    return [{**task, "target": f"{place}{AMONG}{name}"} for task in tasks for place in FIRST_TWO]
