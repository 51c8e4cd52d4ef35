"""Why the low ones are low: what they speak of more often than all others, with counts on both sides; never a cause."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from contracts.tools import ToolContext
from packs.marketing.asking.answering import kept_rows
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Request
from packs.marketing.evidence import say
from packs.marketing.keywords import english, japanese, korean

TERMS, QUOTES = 5, 2
FEWEST = 3
"""Low rows that have to hold a word."""
MOST_READ = 5000
QUOTE = 120
_ROW = "#row"


def told(profile: Profile, request: Request, ctx: ToolContext) -> list[str]:
    """Nothing where the table has no ratings or no texts, or too few low rows."""
    rating, text = profile.rating, profile.text
    if rating is None or rating.scale is None or text is None:
        return []
    is_low = pl.col(rating.name) <= rating.scale.negative_to
    table = replace(profile, frame=profile.frame.with_row_index(_ROW).drop_nulls([rating.name, text.name]))
    rows = kept_rows(table, request.filters)
    found = rows.filter(is_low).head(MOST_READ)
    low = found[text.name].to_list()
    # of the whole table: what all rows of a shop speak of may be why it is low
    high = table.frame.join(found, on=_ROW, how="anti").head(MOST_READ)[text.name].to_list()
    if len(low) < FEWEST:
        return [say(ctx, "ask.why.few", len(low), low=len(low), to=f"{rating.scale.negative_to:g}")]
    shown = {"low": f"{len(low):,}", "rows": f"{rows.height:,}", "to": f"{rating.scale.negative_to:g}"}
    lines: list[str] = [say(ctx, "ask.why.low", rows.height, of=None, interval=None, **shown)]
    terms = _terms(low, high)
    for term, ours, theirs in terms:
        counted: dict[str, object] = {
            "ours": ours,
            "low": f"{len(low):,}",
            "theirs": theirs,
            "others": f"{len(high):,}",
        }
        lines.append(say(ctx, "ask.why.term", ours + theirs, of={"term": term}, interval=None, term=term, **counted))
    quotes = [one for one in low if any(term in one.lower() for term, _, _ in terms)] or low
    lines += [ctx.text("ask.why.quote", text=_cut(one)) for one in sorted(quotes, key=len)[-QUOTES:]]
    return lines


def _terms(low: Sequence[str], high: Sequence[str]) -> list[tuple[str, int, int]]:
    words = _words([*low, *high])
    ours = Counter(word for one in words[: len(low)] for word in set(one))
    theirs = Counter(word for one in words[len(low) :] for word in set(one))
    share = {
        word: count / len(low) - theirs[word] / max(len(high), 1) for word, count in ours.items() if count >= FEWEST
    }
    best = sorted((word for word in share if share[word] > 0), key=lambda word: (-share[word], word))[:TERMS]
    return [(word, ours[word], theirs[word]) for word in best]


def _words(texts: Sequence[str]) -> list[list[str]]:
    """By the script that most of the texts are written in."""
    sample = "".join(texts[:200])
    hangul = sum("\uac00" <= one <= "\ud7a3" for one in sample)
    kana = sum("\u3041" <= one <= "\u30ff" for one in sample)
    if hangul > max(kana, len(sample) // 10):
        return korean.settle(list(korean.nouns(texts)))
    if kana > len(sample) // 20:
        return japanese.words(texts)
    found: list[list[str]] = [[] for _ in texts]
    for term in english.phrases(texts, 40):
        for at in term.documents:
            found[at].append(term.term)
    return found


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= QUOTE else f"{flat[: QUOTE - 1]}…"
