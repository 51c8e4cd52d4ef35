"""The judgement that a command has had its effect already."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repeated:
    """Nothing is to be recorded: what has this effect is in the ledger already, at `version` of the session."""

    version: int
