"""Values, days and bounds that a sentence leaves out, and does not keep."""

from packs.marketing.asking.phrasing import AskedSentence, compiled, words


def is_left_out(sentence: AskedSentence, start: int, end: int) -> bool:
    """Whether there is "말고" behind the value or behind a list that begins with it, "except" before it."""
    listed = r"(?:\s*(?:과|와|이랑|랑|하고|,|and|と|、|や)\s*\S{1,15}?)?"
    if compiled(words()["and_the_rest"]).match(sentence.text, end) is not None:
        return False  # "Japan and the rest"
    said = words()["not_after"]
    after = rf"{''.join(said['between'])}(?:{said['said']})|{said['alone']}"
    if (behind := compiled(rf"{listed}(?P<said>{after})").match(sentence.text, end)) is not None:
        sentence.blank(*behind.span("said"))
        return True
    before = compiled(words()["not_before"]).search(sentence.text[:start])
    if before is None:
        left, right = words()["not_around"]
        around = compiled(right).match(sentence.text, end)
        before = compiled(left).search(sentence.text[:start]) if around is not None else None
        if around is not None and before is not None:
            sentence.blank(*around.span())
    if before is not None:
        sentence.blank(*before.span())
    return before is not None
