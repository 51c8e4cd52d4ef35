"""Rows that lack something, or have anything at all, said in words that no rule knows ("no collection date yet")."""

from packs.marketing.asking.meaning.sought import Nearness, Sought, Vectors
from packs.marketing.asking.naming import is_of_persons
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.request import Filter

_AROUND = 28
"""Letters on either side of what says "no", in which it says of what."""
_NEAR_ENOUGH = 0.6
_OF_ITS_KIND = 0.3
"""How much nearer a column is that is of what was said: a day, a person."""


def narrowed(asked: Sought, vectors: Vectors) -> Sought:
    """Of the columns with empty cells the one that comes nearest to the words around the "no" is taken to be empty; as
    it was where none comes near, or nobody says "no"."""
    said, sentence, profile = words(), asked.sentence, asked.profile
    kept = {one.column for one in asked.kept.filters}
    columns = [one for one in profile.columns if not one.made and one.name not in kept]
    columns = [one for one in columns if profile.frame[one.name].null_count()]
    days = [one for one in columns if one.kind == "date"]
    found = []
    filled = compiled(said["present"]).search(sentence.left)
    cues = [filled] if filled is not None else list(compiled(said["absent"]).finditer(sentence.left))
    for match in cues if columns else ():
        around = sentence.left[max(0, match.start() - _AROUND) : match.end() + _AROUND]
        near = Nearness(asked, vectors, around, without=asked.rows)
        of_a_day = len(days) == 1 and compiled(said["day_asked"]).search(around) is not None
        of_a_person = compiled(said["who"]).search(around) is not None
        for one in columns:
            meant = (of_a_day and one in days) or (of_a_person and is_of_persons(one))
            close = near.to_heading(one)[0] + (_OF_ITS_KIND if meant else 0.0)
            found.append((close, one.name, match.span()))
    close, name, span = max(found, default=(0.0, "", (0, 0)))
    if close < _NEAR_ENOUGH:
        return asked
    sentence.blank(*span)
    asked.kept.filters.append(Filter(name, "empty" if filled is None else "filled", ()))
    return asked.as_it_is_left()
