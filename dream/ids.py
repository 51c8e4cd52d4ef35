"""Ids as people type them."""

from collections.abc import Collection

SHORT = 8
"""Letters of an id that are shown at least; commands take any beginning that is unique."""


def beginnings(ids: Collection[str]) -> dict[str, str]:
    """Of each id so much that no other one begins so, and eight characters at least: the ids of runs that began within
    a minute have the first eight in common."""
    found = {}
    for one in ids:
        others = [other for other in ids if other != one]
        many = next((n for n in range(SHORT, len(one)) if not any(it.startswith(one[:n]) for it in others)), len(one))
        found[one] = one[:many]
    return found
