"""What one has to be to use an address, where the gateway asks for keys. Pure; what is not named here is for nobody
without a key, and what is somebody's session is for that person and for operators."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from contracts.access import Principal, Role
from contracts.errors import Code
from services.gateway.domain.refusal import Refused, short


class Need(Enum):
    """Who may use an address."""

    NOTHING = auto()
    """It says the same to everybody, and nothing about anybody."""
    KEY = auto()
    READER = auto()
    """Whose session it is, or an operator: to read it, and to pause, resume, interrupt or cancel its runs."""
    OWNER = auto()
    """Whose session it is: to say something in it, or to decide."""
    OPERATOR = auto()


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address needs; `session` is the text of the id in it, where it needs its owner or a reader."""

    need: Need
    session: str = ""


_OPEN = frozenset({
    "/", "/console", "/console/", "/console/icon.svg", "/login", "/logout", "/me",
    "/health", "/health/live", "/health/ready", "/openapi.json", "/asyncapi.json", "/docs",
})  # fmt: skip
"""Probes come without a key. /me says to who has none that there is none."""
_OPEN_BELOW = "/console/assets/"
_OPERATORS = re.compile(r"/(runs|dead-letters|metrics)(/.*)?")
_SESSION = re.compile(r"/(?:sessions|ws)/([^/]*)(?:/.*)?")
_READS = frozenset({"GET", "HEAD"})
_STEERS = "/control"
EVERYBODY = Principal(user="", role=Role.OPERATOR, key_id="")
"""Who asks where no keys are asked for: all are one, and nothing is hidden from them. Whose memory it is they say."""


def asked(path: str, method: str = "GET") -> Asked:
    """What a method needs at a path. A socket is read; what is said through it is looked at frame by frame."""
    if path in _OPEN or path.startswith(_OPEN_BELOW):
        return Asked(Need.NOTHING)
    if _OPERATORS.fullmatch(path):
        return Asked(Need.OPERATOR)
    if found := _SESSION.fullmatch(path):
        reads = method in _READS or path.endswith(_STEERS)
        return Asked(Need.READER if reads else Need.OWNER, found[1])
    return Asked(Need.KEY)


def lasts(path: str) -> bool:
    """Whether what is asked for there is a stream, which stays open."""
    return path == "/agui" or path.endswith("/stream")


def user_of(principal: Principal, said: str | None) -> str | None:
    """Whose the new session is: what the key says, and nothing else may be said. Raises Refused."""
    if principal is EVERYBODY:
        return said
    if said not in (None, principal.user):
        raise Refused(Code.FORBIDDEN, f"user is {short(said)}, and the key is that of {principal.user}: leave user out")
    return principal.user


def require_operator(principal: Principal) -> None:
    """Raises Refused."""
    if not principal.operates:
        raise Refused(Code.FORBIDDEN, "only operators may look at the whole installation: ask for a key of theirs")
