"""What people say of a table in words of their own, where it has a heading for it: the word count of Words, 最高点 of
審査点, what is outstanding of what has a day on which it was paid."""

import re

from packs.marketing.asking.happened import stem_of
from packs.marketing.asking.naming import bare_heading
from packs.marketing.asking.phrasing import AskedSentence, compiled, words
from packs.marketing.asking.profile import Profile

_PLURAL = re.compile(r"[A-Za-z]{3,14}[^su]s")


def as_headed(sentence: AskedSentence, profile: Profile) -> None:
    """Puts the heading where it is spoken of so; once each, for places behind it move."""
    _counts(sentence, profile)
    _extreme(sentence, profile)
    _outstanding(sentence, profile)


def _counts(sentence: AskedSentence, profile: Profile) -> None:
    said = words()["as_headed"]
    for column in profile.of("number"):
        heading = bare_heading(column.name)
        if _PLURAL.fullmatch(heading) is None:
            continue
        match = sentence.find(said["count"].replace("ONE", heading[:-1]))
        if match is not None:
            figured = compiled(said["figure"]).search(sentence.text) is not None
            sentence.put(*match.span(), heading if figured else f"total {heading}")
            return


def _extreme(sentence: AskedSentence, profile: Profile) -> None:
    """Only where one heading alone ends so."""
    said = words()["as_headed"]
    headings = [bare_heading(one.name) for one in profile.of("number")]
    for tail, spelt in said["tails"].items():
        found = [one for one in headings if one.endswith(tail)]
        if len(found) != 1:
            continue
        begin = re.escape(found[0].removesuffix(tail))
        for least, end in enumerate(said["ends"]):
            match = sentence.find(end.replace("TAIL", spelt).replace("BEGIN", begin))
            if match is not None:
                asked = compiled(said["of_whom"]).search(sentence.text) is not None
                if (figure := sentence.find(said["and_how_much"])) is not None and figure.start() > match.start():
                    sentence.put(*figure.span(), "")  # it is told with the row
                language = "ja" if compiled("[ぁ-ん]").search(sentence.text) is not None else "ko"
                way = said["row" if asked else "alone"][language][least]
                sentence.put(*match.span(), way.replace("NAME", found[0]))
                return


def _outstanding(sentence: AskedSentence, profile: Profile) -> None:
    said = words()["as_headed"]
    match = sentence.find(said["outstanding"])
    gaps = [one for one in profile.of("date") if profile.frame[one.name].null_count()]
    if match is not None and any(compiled(stem).fullmatch("paid") for one in gaps if (stem := stem_of(one))):
        sentence.put(*match.span(), "not paid yet")
