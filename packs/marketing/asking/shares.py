"""What a share is of: "of all one-point reviews, how many per cent …", "별 다섯 개 중에 …", "…のうち"."""

from collections.abc import Callable, Sequence

from packs.marketing.asking.phrasing import AskedSentence, compiled, words
from packs.marketing.asking.request import Filter


def whole(sentence: AskedSentence, filters_of: Callable[[str], Sequence[Filter]]) -> list[Filter]:
    """The filters that the words for the whole name by themselves; nothing where no words say what the whole is."""
    for pattern in words()["share_of_what"]:
        match = compiled(pattern).search(sentence.text)
        if match is not None and (found := list(filters_of(match["whole"]))):
            return found
    return []
