"""What is known of the columns of tables: some of what people ask wants columns that only some tables have."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from backbone.kept.arrivals import Arrivals
from contracts.artifacts import Attachment
from contracts.packs import IntentSpec
from contracts.profiles import roles_in
from contracts.shape import ArtifactType

PATIENCE = 3.0
"""Seconds that a message waits for what is found in a file that came with it."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Of files of the types that intents are particular about."""

    arrivals: Arrivals
    types: frozenset[ArtifactType]

    @classmethod
    def wanted_by(cls, intents: Iterable[IntentSpec], arrivals: Arrivals) -> Self:
        return cls(arrivals, frozenset(type_ for one in intents if one.having for type_ in one.needs))

    async def roles(self, file: Attachment, *, now: bool) -> tuple[str, ...] | None:
        """None where nobody has found out, or nobody wants to know. A file that came `now` is waited for."""
        if file.type not in self.types:
            return None
        looked = await self.arrivals.known(file.artifact_id)
        if not looked and now:
            looked = await self.arrivals.asked(file, PATIENCE)
        found = [roles for one in looked if one.error is None and (roles := roles_in(one.result)) is not None]
        return tuple(sorted(frozenset[str]().union(*found))) if found else None
