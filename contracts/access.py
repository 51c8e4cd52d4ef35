"""Who asks, where the gateway asks for keys (docs/adr/0091)."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a key may do: its own sessions, or the whole installation."""

    PERSON = "person"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: whose memory, calendar and money it is, and what they may look at."""

    user: str
    role: Role
    key_id: str

    @property
    def operates(self) -> bool:
        return self.role is Role.OPERATOR
