"""What exactly a person approves: the hash over a call's arguments. Whoever records an approval and whoever checks it
count it here."""

from hashlib import sha256

import orjson

from contracts.shape import JsonObject


def arguments_hash(params: JsonObject) -> str:
    """SHA-256 over the canonical JSON of a call's arguments."""
    return sha256(orjson.dumps(params, option=orjson.OPT_SORT_KEYS)).hexdigest()
