"""Whether a request is for what was made last, once more or in another form: then it is of the same rows."""

from contracts.wishes import WishAsked
from packs.marketing.asking.phrasing import compiled
from packs.marketing.overview.wanted import words


def of_the_same(asked: WishAsked) -> bool:
    """A request that names nothing it is of, and says no more than how it is to look ("as slides, rather"), or points
    at what was made ("that one, but …"), or names nothing of what is made at all ("only for Leeds"). One that names
    reviews, a table or a file is of all that is there."""
    said = asked.request or str(asked.params.get("asked", ""))
    if not asked.before or not said or compiled(words()["of_files"]).search(said):
        return False
    return asked.goes_on or any(compiled(words()[one]).search(said) for one in ("same", "form"))
