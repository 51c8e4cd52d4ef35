"""authorization.conf: the users of the bus and their rights, as the code works them out. Public keys come beside it, by
names, so that neither a key nor whoever has it stands in the repository."""

import re

from backbone import packs
from backbone.bus import rights

HEAD = """\
# Written by make k8s-build: who may say and hear what on the bus. Keys are in the Secret dream-nats-users, users.conf.
include "../nats-users/users.conf"
"""


def variable(user: str) -> str:
    """The name of a user's public key in users.conf."""
    return f"NKEY_{user.replace('-', '_').upper()}"


def authorization() -> str:
    """The file's text."""
    stations = rights.stations(packs.load(()).executors, split=True)
    given = {station.name: rights.rights_of(station) for station in stations}
    names = {user: f"@{variable(user)}@" for user in (*given, rights.ADMIN)}
    text = re.sub(r'"@(NKEY_[A-Z_]+)@"', r"$\1", rights.as_conf(given, names))
    return HEAD + text
