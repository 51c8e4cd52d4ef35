"""Why the low ones are low, or the high ones high: what they speak of more often than all others, with counts on both
sides; never a cause."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

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
Side = Literal["low", "high"]


def told(profile: Profile, request: Request, ctx: ToolContext, *, side: Side = "low") -> list[str]:
    """Nothing where the table has no ratings or no texts; too few rows of that side are said to be few."""
    rating, text = profile.rating, profile.text
    if rating is None or rating.scale is None or text is None:
        return []
    to = rating.scale.negative_to if side == "low" else rating.scale.positive_from
    mine = pl.col(rating.name) <= to if side == "low" else pl.col(rating.name) >= to
    table = replace(profile, frame=profile.frame.with_row_index(_ROW).drop_nulls([rating.name, text.name]))
    rows = kept_rows(table, request.filters)
    found = rows.filter(mine).head(MOST_READ)
    ours = found[text.name].to_list()
    # of the whole table: what all rows of a shop speak of may be why it is low
    theirs = table.frame.join(found, on=_ROW, how="anti").head(MOST_READ)[text.name].to_list()
    if len(ours) < FEWEST:
        return [say(ctx, f"ask.why.few.{side}", len(ours), ours=len(ours), to=f"{to:g}")]
    shown = {"ours": f"{len(ours):,}", "rows": f"{rows.height:,}", "to": f"{to:g}"}
    terms = _terms(ours, theirs)
    key = f"ask.why.{side}" if terms else f"ask.why.none.{side}"
    lines: list[str] = [say(ctx, key, rows.height, of=None, interval=None, **shown)]
    for term, count, others in terms:
        counted: dict[str, object] = {
            "count": count,
            "ours": f"{len(ours):,}",
            "beside": others,
            "others": f"{len(theirs):,}",
        }
        key = f"ask.why.term.{side}"
        lines.append(say(ctx, key, count + others, of={"term": term}, interval=None, term=term, **counted))
    quotes = [one for one in ours if any(term in one.lower() for term, _, _ in terms)] or ours
    lines += [ctx.text("ask.why.quote", text=_cut(one)) for one in sorted(set(quotes), key=len)[-QUOTES:]]
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
